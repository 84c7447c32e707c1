/* A part of a list in a query; a bad escape stands for itself. */
export function decoded(word) {
	try {
		return decodeURIComponent(word);
	} catch {
		return word;
	}
}
