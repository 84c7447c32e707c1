/* A saved view is what the address says, without what is only being looked at. */

const NOT_KEPT = ['view', 'panel', 'zoom'];
const OF_RUNS = ['on', 'off', 'out', 'base']; /* which another project does not have */

export function stateOf(query) {
	return Object.fromEntries([...query].filter(([name]) => !NOT_KEPT.includes(name)));
}

/* Returns the default that a user set; the built-in one was never saved. */
export function setDefault(views) {
	return views.find(({ kind, version }) => kind === 'default' && version > 0);
}

/* Returns the changes to an address that show a state; values that the state does not have are removed. */
export function changesTo(query, state, view) {
	const gone = Object.fromEntries(Object.keys(stateOf(query)).map((name) => [name, null]));
	const texts = Object.entries(state).filter(([, value]) => typeof value === 'string' && value !== '');
	return { ...gone, ...Object.fromEntries(texts.filter(([name]) => !NOT_KEPT.includes(name))), view };
}

/* now: the state of the address. */
export function isEdited(now, state) {
	const names = new Set([...Object.keys(now), ...Object.keys(state)]);
	return [...names].some((name) => (now[name] ?? '') !== (state[name] ?? ''));
}

/* Returns the part of a state that is valid in another project. */
export function elsewhere(state) {
	return Object.fromEntries(Object.entries(state).filter(([name]) => !OF_RUNS.includes(name)));
}
