/* The values of a document by their dotted names. */

function isBranch(value) {
	return value !== null && typeof value === 'object' && !Array.isArray(value) && Object.keys(value).length > 0;
}

/* One of the wandb SDK is one value to who reads it. */
const isHistogram = ({ _type, values }) => _type === 'histogram' && Array.isArray(values);

/* [before, key, value, path]: before ends with a dot, or is empty; of the path's names NUL is between them. */
export function* leaves(document, isParted = isBranch, before = '', above = '') {
	for (const [key, value] of Object.entries(document)) {
		if (isParted(value)) yield* leaves(value, isParted, `${before}${key}.`, `${above}${key}\0`);
		else yield [before, key, value, above + key];
	}
}

/* What people sent, as they would read it; what an SDK keeps for itself lies under _wandb. */
export function ownLeaves(document) {
	const { _wandb, ...rest } = document;
	return [...leaves(rest, (value) => isBranch(value) && !isHistogram(value))];
}
