/* How many processes report the metrics of a host at once, from their join to their last message. Pure. */

/* Writers by host -> the most that were there at one time. */
export function reportersAtOnce(writers) {
	const ends = new Map();
	for (const { host, joined_at: joined, heard_at: heard } of writers) {
		const [from, to] = [Date.parse(joined), Date.parse(heard)];
		if (host && from <= to) ends.set(host, [...ends.get(host) || [], [from, 1], [to, -1]]);
	}
	return new Map([...ends].map(([host, all]) => [host, most(all)]));
}

/* Returns the most writers at one time. One that joins at the very moment of another's last message comes after it. */
function most(ends) {
	let [now, all] = [0, 1];
	for (const [, step] of ends.sort((a, b) => a[0] - b[0] || a[1] - b[1])) all = Math.max(all, now += step);
	return all;
}
