/* Which texts a search means: by a regular expression. Pure. */

/* A text that is no regular expression is looked for as it stands. */
export function matcherOf(text) {
	if (!text) return () => true;
	try {
		const pattern = new RegExp(text, 'i');
		return (key) => pattern.test(key);
	} catch {
		const plain = text.toLowerCase();
		return (key) => key.toLowerCase().includes(plain);
	}
}
