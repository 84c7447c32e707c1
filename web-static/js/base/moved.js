/* What stands at one place of a list stands at another: the list is a new one. */
export function moved(list, from, to) {
	const next = list.filter((_, at) => at !== from);
	next.splice(to, 0, list[from]);
	return next;
}
