/* The values of a document by their dotted names. */

function isBranch(value) {
	return value !== null && typeof value === 'object' && !Array.isArray(value) && Object.keys(value).length > 0;
}

/* A histogram, an image, a table of the wandb SDK is one value to who reads it. */
export const isTyped = (value) => value !== null && typeof value === 'object' && /^(histogram|[\w/-]*-file)$/.test(value._type);

/* [before, key, value, path]: before ends with a dot, or is empty; of the path's names NUL is between them. */
export function* leaves(document, isParted = isBranch, before = '', above = '') {
	for (const [key, value] of Object.entries(document)) {
		if (isParted(value)) yield* leaves(value, isParted, `${before}${key}.`, `${above}${key}\0`);
		else yield [before, key, value, above + key];
	}
}

const TYPE = '._type';

/* Puts typed values together again whose parts are members by themselves, as in summaries: {"img._type": …, "img.path": …}. */
export function wholeTyped(document) {
	const names = Object.keys(document).filter((key) => key.endsWith(TYPE) && isTyped({ _type: document[key] }))
		.map((key) => key.slice(0, -TYPE.length));
	if (!names.length) return document;
	const nameOf = (key) => names.find((name) => key.startsWith(`${name}.`));
	const found = {};
	for (const [key, value] of Object.entries(document)) {
		const name = nameOf(key);
		if (name === undefined) found[key] = value;
		else (found[name] ??= {})[key.slice(name.length + 1)] = value;
	}
	return found;
}

/* Returns the leaves that users logged, typed values whole; an SDK stores its own data under _wandb. */
export function ownLeaves(document) {
	const { _wandb, ...rest } = document;
	return [...leaves(rest, (value) => isBranch(value) && !isTyped(value))];
}
