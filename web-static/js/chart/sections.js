/* Keys by what stands before their last slash, and which of them a search means. Pure. */

export const CLOSED_ABOVE = 60; /* panels: so large a section is closed until somebody opens it */
export const FIRST_SHOWN = 12;
export const MORE_SHOWN = 40;

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

export const byName = new Intl.Collator('en', { numeric: true }).compare;

export const prefixOf = (key) => key.slice(0, Math.max(0, key.lastIndexOf('/')));
