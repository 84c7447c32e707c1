/*
 * Widths of the panels of a section, in columns of 12, so that each row is full: three in a row, and of a rest that would
 * be alone or two the last panels are halves. Pure.
 */

export const WIDE = 12;

function inThrees(count) {
	if (count === 1) return [12];
	const halves = { 0: 0, 1: 4, 2: 2 }[count % 3];
	return Array.from({ length: count }, (_, at) => at < count - halves ? 4 : 6);
}

const inTwos = (count) => Array.from({ length: count }, (_, at) => at === count - 1 && count % 2 ? 12 : 6);

/*
 * isWide: of each panel, whether its kind takes a whole row. Returns {three, two} of each: its width where three, and
 * where two are in a row.
 */
export function rowWidths(isWide) {
	const widths = [];
	let from = 0;
	const fill = (to) => {
		const [three, two] = [inThrees(to - from), inTwos(to - from)];
		three.forEach((width, at) => { widths[from + at] = { three: width, two: two[at] }; });
	};
	isWide.forEach((wide, at) => {
		if (!wide) return;
		fill(at);
		widths[at] = { three: WIDE, two: WIDE };
		from = at + 1;
	});
	fill(isWide.length);
	return widths;
}
