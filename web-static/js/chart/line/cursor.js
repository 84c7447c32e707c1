/* One cursor for the page, by the value of x: the panels under no mouse follow. */

const listeners = new Set();

export function onCursor(listener) {
	listeners.add(listener);
	return () => listeners.delete(listener);
}

/* x, or null when it leaves; `from` is who says it. */
export function moveCursor(x, from) {
	for (const listener of listeners) listener(x, from);
}
