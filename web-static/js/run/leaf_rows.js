/* Rows of leaves.js as a document shows them. Pure. */

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
