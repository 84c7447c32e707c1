/* Entries that say the same of one run after the other are one line of many runs: what somebody did to a selection. */

const SAME = ['actor', 'way', 'key', 'address', 'action', 'entity', 'project', 'subject', 'detail'];

function isLike(entry, other) {
	return Boolean(entry.run) && Boolean(other.run) && SAME.every((name) => entry[name] === other[name]);
}

/* [[entry, …], …] in their order. */
export function folded(entries) {
	const lines = [];
	for (const entry of entries) {
		const line = lines.at(-1);
		if (line && isLike(line[0], entry)) line.push(entry);
		else lines.push([entry]);
	}
	return lines;
}
