/* The query of an address, of those of its pairs that say something. Pure. */

export function queryOf(pairs) {
	const query = new URLSearchParams();
	for (const [name, value] of Object.entries(pairs)) if (value !== null && value !== undefined && value !== '') query.set(name, value);
	return query.toString();
}

/*
 * Lists, in addresses of the page as those of keys in REST: commas separate the parts. A comma within a part has a backslash before
 * it, and so has a backslash that stands before a comma or another backslash.
 */
export const listed = (key) => key.replace(/([\\,])/g, '\\$1');
export const listText = (keys) => keys.map(listed).join(',');

/* Empty ones are left out. */
export function listOf(text) {
	const parts = text?.match(/(?:\\[\\,]|[^,])+/g) ?? [];
	return parts.map((part) => part.replace(/\\([\\,])/g, '$1'));
}
