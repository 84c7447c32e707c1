/* The values of a document by their dotted names. */

function isBranch(value) {
	return value !== null && typeof value === 'object' && !Array.isArray(value) && Object.keys(value).length > 0;
}

/* [before, key, value, path]: before ends with a dot, or is empty; of the path's names NUL is between them. */
export function* leaves(document, before = '', above = '') {
	for (const [key, value] of Object.entries(document)) {
		if (isBranch(value)) yield* leaves(value, `${before}${key}.`, `${above}${key}\0`);
		else yield [before, key, value, above + key];
	}
}

/* What people sent; what an SDK keeps for itself lies under _wandb. */
export function ownLeaves(document) {
	const { _wandb, ...rest } = document;
	return [...leaves(rest)];
}

/* By the part before the first dot or slash, in the order of their first keys; [prefix, rows], '' of those without. */
export function byPrefix(rows) {
	const groups = new Map();
	for (const row of rows) {
		const name = row[0] + row[1];
		const cut = name.search(/[./]/);
		const prefix = cut > 0 ? name.slice(0, cut + 1) : '';
		if (!groups.has(prefix)) groups.set(prefix, []);
		groups.get(prefix).push(row);
	}
	return [...groups];
}

export function matching(rows, words) {
	const sought = words.trim().toLowerCase();
	if (!sought) return rows;
	return rows.filter(([before, key, value]) => (before + key).toLowerCase().includes(sought)
		|| (typeof value === 'string' ? value : JSON.stringify(value)).toLowerCase().includes(sought));
}
