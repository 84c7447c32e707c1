/* Values of several kinds as words. Pure. */

/* The same for equal values of one kind: "1" and 1 differ. */
export const keyOf = (value) => JSON.stringify(value);

const bareOf = (value) => typeof value === 'string' ? value : JSON.stringify(value);

/* (value) => its word next to these values: a string is quoted if one of them that is not a string has the same word. */
export function wordsAmong(values) {
	const others = new Set(values.filter((value) => typeof value !== 'string').map(bareOf));
	return (value) => typeof value === 'string' && others.has(value) ? JSON.stringify(value) : bareOf(value);
}
