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
