/*
 * Two texts line by line: what one has, what the other, what both. By the longest common lines, as far as that is
 * affordable.
 */

const CELLS = 4000000; /* lines times lines that are weighed; beyond that the middle is one change */

function lengths(a, b) {
	const table = Array.from({ length: a.length + 1 }, () => new Uint32Array(b.length + 1));
	for (let i = a.length - 1; i >= 0; i--) {
		for (let j = b.length - 1; j >= 0; j--) {
			table[i][j] = a[i] === b[j] ? table[i + 1][j + 1] + 1 : Math.max(table[i + 1][j], table[i][j + 1]);
		}
	}
	return table;
}

function middle(a, b) {
	if (a.length * b.length > CELLS) return [...a.map((line) => ['-', line]), ...b.map((line) => ['+', line])];
	const table = lengths(a, b);
	const told = [];
	let [i, j] = [0, 0];
	while (i < a.length || j < b.length) {
		if (i < a.length && j < b.length && a[i] === b[j]) told.push([' ', a[i++], j++]);
		else if (j >= b.length || (i < a.length && table[i + 1][j] >= table[i][j + 1])) told.push(['-', a[i++]]);
		else told.push(['+', b[j++]]);
	}
	return told.map(([sign, line]) => [sign, line]);
}

/* [sign, line] each: '-' the first alone has, '+' the second, ' ' both. */
export function diffLines(first, second) {
	const [a, b] = [first, second].map((text) => text ? text.split('\n') : []);
	let from = 0;
	while (from < a.length && from < b.length && a[from] === b[from]) from++;
	let same = 0;
	while (same < a.length - from && same < b.length - from && a[a.length - 1 - same] === b[b.length - 1 - same]) same++;
	const both = (line) => [' ', line];
	return [...a.slice(0, from).map(both), ...middle(a.slice(from, a.length - same), b.slice(from, b.length - same)),
		...a.slice(a.length - same).map(both)];
}
