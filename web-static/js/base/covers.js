/* Cards and menus that are open over the page: going back closes the newest, leaving the page closes all of them. */

const closers = new Set(); /* the newest last */

/* close() ends it, however often it is called. Gives what says that it is there no more. */
export function cover(close) {
	closers.add(close);
	return () => closers.delete(close);
}

/* null: nothing is over the page. */
export const newest = () => [...closers].at(-1) ?? null;

export function closeAll() {
	for (const close of [...closers].reverse()) close();
}
