/* One run can be in focus on the whole page: a row, a line and a word of a legend point at each other. */

const listeners = new Set();
let focused = null;

export const inFocus = () => focused;

export function onFocus(listener) {
	listeners.add(listener);
	return () => listeners.delete(listener);
}

/* id of a run, or null. */
export function focusRun(id) {
	if (id === focused) return;
	focused = id;
	for (const listener of listeners) listener(id);
}
