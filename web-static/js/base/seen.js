/* What is read to be shown waits while nobody sees the tab. */

export const isUnseen = () => globalThis.document?.hidden === true;

/* Calls it once, when the tab, which is not seen now, is; asked for twice it is called once. */
export function whenSeen(then) {
	document.addEventListener('visibilitychange', then, { once: true });
}
