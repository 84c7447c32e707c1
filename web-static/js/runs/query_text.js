/* The query of an address, of those of its pairs that say something. Pure. */

export function queryOf(pairs) {
	const query = new URLSearchParams();
	for (const [name, value] of Object.entries(pairs)) if (value !== null && value !== undefined && value !== '') query.set(name, value);
	return query.toString();
}

/* A key of a list that commas part. */
export const listed = (key) => key.replace(/([\\,])/g, '\\$1');
