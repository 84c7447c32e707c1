/* Dialogs and menus that are open over the page: going back closes the newest, leaving the page closes all of them. */

const closers = new Set(); /* the newest last */

/* close() ends it, and may be called twice. Returns a function that removes it from the list. */
export function overlay(close) {
	closers.add(close);
	return () => closers.delete(close);
}

/* Returns what closes the newest; null: none is open. */
export const newest = () => [...closers].at(-1) ?? null;

export function closeAll() {
	for (const close of [...closers].reverse()) close();
}
