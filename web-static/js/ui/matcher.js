/* Which texts a search means: by a regular expression. Pure. */

/* A text that is no regular expression is looked for as it stands, and isWrong. */
export function matcherOf(typed) {
	const wanted = typed.trim();
	try {
		const pattern = new RegExp(wanted, 'i');
		return Object.assign((key) => pattern.test(key), { isWrong: false });
	} catch {
		const plain = wanted.toLowerCase();
		return Object.assign((key) => key.toLowerCase().includes(plain), { isWrong: true });
	}
}
