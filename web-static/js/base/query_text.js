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

/* A part of a list in which - in front says something else. */
export const encoded = (word) => word.replace(/%/g, '%25').replace(/^-/, '%2D');

/* A bad escape stands for itself. */
export function decoded(word) {
	try {
		return decodeURIComponent(word);
	} catch {
		return word;
	}
}
