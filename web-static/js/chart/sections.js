/* Keys into sections: by what stands before the last slash. Pure. */

const CLOSED_ABOVE = 60;
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

const byName = new Intl.Collator('en', { numeric: true }).compare;

/* [{name, keys, isOpen}]: those without a slash first, under the name ''. */
export function sectionsOf(keys, search = '') {
	const matches = matcherOf(search);
	const byPrefix = new Map();
	for (const key of [...keys].sort(byName)) {
		if (!matches(key)) continue;
		const name = key.slice(0, Math.max(0, key.lastIndexOf('/')));
		if (!byPrefix.has(name)) byPrefix.set(name, []);
		byPrefix.get(name).push(key);
	}
	return [...byPrefix].sort(([a], [b]) => byName(a, b))
		.map(([name, list]) => ({ name, keys: list, isOpen: Boolean(search) || list.length <= CLOSED_ABOVE }));
}
