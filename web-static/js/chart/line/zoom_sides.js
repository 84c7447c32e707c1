/*
 * The rows beside what is zoomed to, by which lines come in and go out of it. They may lie anywhere, so what lies
 * before and behind is asked for, in buckets of its own, where some line has nothing at that edge of what is seen; it
 * gives the next row, and the usual distance of rows.
 */

const NEAR = 2; /* buckets: so near at the edge a row is at the edge */
const NOTHING = { at: [] };

const ownerOf = ({ run, group, key }) => JSON.stringify([run ?? `group:${group}`, key]);
const nameOf = (piece) => `${ownerOf(piece)} ${piece.writer ?? piece.host ?? ''}`;
const rowsIn = ({ n, runs }, at) => Math.max(1, n[at] / (runs?.[at] || 1));

/* Returns the ends of the requested range, on a logarithmic axis above zero; null if it is not zoomed. */
export function endsAsked({ scale, from, to }, zoom) {
	if (!zoom || from === undefined || (scale === 'log' && zoom[0] <= 0)) return null;
	return [scale === 'log' && from <= 0 ? Math.min(zoom[0], 1) : from, to];
}

/* The questions for what lies before and behind; null where there can be nothing. */
export function sideQuestions({ panel, ...who }, buckets) {
	const { from, to, ...own } = panel;
	const how = own.columns ? { ...own, columns: [...new Set([...own.columns, 'first', 'last'])] } : own;
	const row = panel.x === '_step' ? 1 : 0;
	const hasBefore = from > 0 || panel.x === '_timestamp' || (panel.x[0] !== '_' && panel.scale !== 'log');
	return {
		before: hasBefore ? { ...who, panel: { ...how, buckets, to: from - row } } : null,
		after: { ...who, panel: { ...how, buckets, from: to + row } },
	};
}

/* Whether some line has nothing at each edge of what is seen. Pure. */
export function silentSides({ runs, groups, panel }, { series }, zoom) {
	const along = panel.scale === 'log' ? Math.log : (x) => x;
	const [left, right] = zoom.map(along);
	const near = NEAR * (right - left) / panel.buckets;
	const pieces = new Map();
	for (const run of runs) for (const key of panel.keys) pieces.set(ownerOf({ run, key }), []);
	for (const { name: group } of groups) for (const key of panel.keys) pieces.set(ownerOf({ group, key }), []);
	for (const piece of series) pieces.get(ownerOf(piece))?.push(piece);
	const all = [...pieces.values()].flatMap((those) => those.length ? those : [null]);
	const firsts = all.map((piece) => piece?.columns.x_first[0] ?? Infinity);
	const lasts = all.map((piece) => piece?.columns.x_last.at(-1) ?? -Infinity);
	return {
		before: firsts.some((x) => !(along(x) - left <= near)),
		after: lasts.some((x) => !(right - along(x) <= near)),
	};
}

/* How far rows lie apart, by what most buckets have. */
function usualOf(columns) {
	const { x_first: xs } = columns;
	const apart = Array.from(xs.slice(1), (x, i) => (x - xs[i]) / rowsIn(columns, i)).sort((a, b) => a - b);
	return apart[Math.floor(apart.length / 2)];
}

/* Returns the values that columns have in one bucket. */
const bucketOf = (columns, at) => ({ ...Object.fromEntries(Object.entries(columns).map(([name, all]) => [name, [all[at]]])),
	at: [0] });

/*
 * The row that is next, of a run by its order; along a metric where it is alone in its bucket. Of a group `columns` are
 * of that bucket, for its band.
 */
function nextRow({ columns, group }, side, { x, usual }) {
	const at = side === 'before' ? columns.at.length - 1 : 0;
	if (!columns.at.length || (x[0] !== '_' && rowsIn(columns, at) > 1)) return null;
	const [places, values] = side === 'before' ? [columns.x_last, columns.last] : [columns.x_first, columns.first];
	const value = (columns.p50 ?? values ?? columns.mean)[at];
	return Number.isFinite(value) ? { x: places[at], value, usual: usual(columns),
		...(group !== undefined && { columns: bucketOf(columns, at) }) } : null;
}

/*
 * The same answer, whose series have the rows before and behind them: {x, value, usual}, or null. usual(columns): how far
 * apart rows are. Pure.
 */
export function withSides(answer, sides, usual = usualOf) {
	const found = new Map();
	for (const [side, { series }] of Object.entries(sides)) {
		for (const piece of series) {
			const known = found.get(nameOf(piece)) ?? { ...piece, columns: NOTHING };
			found.set(nameOf(piece), { ...known, [side]: nextRow(piece, side, { x: answer.panel.x, usual }) });
		}
	}
	const beside = (piece) => {
		const { before = null, after = null } = found.get(nameOf(piece)) ?? {};
		return { ...piece, before, after };
	};
	const there = new Set(answer.series.map(nameOf));
	const through = [...found].filter(([name, { before, after }]) => !there.has(name) && before && after);
	return { ...answer, series: [...answer.series.map(beside), ...through.map(([, piece]) => piece)] };
}

/* Reads the rows next to the zoom of one panel. came(): when there is more to draw; usual: as withSides has it. */
export function zoomSides(panel, came, usual) {
	let name = null;
	let found = {};
	const cancels = new Map(); /* of what is asked for, by its side */

	function rest() {
		for (const cancel of cancels.values()) cancel();
		cancels.clear();
	}

	function want(side, question) {
		let isDone = false;
		const cancel = panel.page.cache.want(question, ({ answer: more, isOld }) => {
			isDone = !isOld;
			if (isDone) cancels.delete(side);
			if (!more?.panel) return;
			found = { ...found, [side]: more };
			came();
		});
		if (!isDone) cancels.set(side, cancel);
	}

	/* The row that is next stays so: where there was none one may have come. */
	const isDue = (side) => !cancels.has(side) && !found[side]?.series.length;

	return {
		/* what: was asked, and answered so. buckets: of its width. */
		ask(what, answer, buckets) {
			const { look: { zoom } } = panel;
			if (name !== JSON.stringify(what)) {
				rest();
				found = {};
			}
			name = JSON.stringify(what);
			if (!endsAsked(what.panel, zoom)) return;
			const silent = silentSides(what, answer, zoom);
			for (const [side, question] of Object.entries(sideQuestions(what, buckets)))
				if (question && silent[side] && isDue(side)) want(side, question);
		},
		/* As far as they are known: {ends, answer}. */
		join(what, answer) {
			const isKnown = name === JSON.stringify(what) && Object.keys(found).length > 0;
			const ends = isKnown ? endsAsked(what.panel, panel.look.zoom) : null;
			return ends ? { ends, answer: withSides(answer, found, usual) } : { ends: null, answer };
		},
		rest,
	};
}
