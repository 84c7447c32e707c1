/*
 * Requests for a panel of lines: everything once it is visible, then, as rows arrive, the buckets from the last one on,
 * at most once a second. The answer becomes the panel's `data`, or its `fault`.
 */

import { AGAIN_MS, isTransient } from '../../base/reread.js';
import { lazyModule } from '../../ui/lazy_module.js';
import { addSince, bucketAt, endsOf, lastFilled } from '../data/buckets.js';
import { cacheTurns } from '../data/cache_turns.js';
import { linesOf } from './lines.js';

const beside = lazyModule(() => import('./zoom_sides.js'));
const APPENDED = ['_step', '_relative', '_timestamp']; /* where rows that come lie behind those that are there */
const LEAD_IN = 64;
const GRID_STEP = 64;
const SINCE_MS = 1000;
const WHOLE_MS = 10000; /* rows that are late are not seen by what is added */
const LONGER = 1.5; /* times as many buckets, which are then requested with new limits */

function bucketsOf(width) {
	return Math.max(1, Math.ceil(Math.max(120, width) / GRID_STEP)) * GRID_STEP;
}

/* width: of the plot, in px. */
export function questionOf({ keys, look, page: { runs, groups }, members }, width) {
	const buckets = bucketsOf(width);
	const panel = {
		keys,
		x: look.x,
		buckets,
		...(look.xLog && { scale: 'log' }),
		...(look.split && { split: 'writer' }),
		...(look.band === 'middle' && groups.length && { percentiles: true }),
	};
	if (look.zoom) {
		const [from, to] = look.zoom;
		const before = look.xLog ? from * (from / to) ** (LEAD_IN / buckets) : from - (to - from) * LEAD_IN / buckets;
		Object.assign(panel, { from: before, to, buckets: buckets + LEAD_IN });
		if (look.x === '_step') Object.assign(panel, { from: Math.max(0, Math.floor(panel.from)), to: Math.ceil(to) });
	}
	return {
		runs: [...runs.map((run) => run.id), ...members?.now().runs(panel.buckets) ?? []],
		panel,
		groups: groups.map(({ name, filter, members }) =>
			filter === undefined ? { name, runs: members } : { name, filter },
		),
	};
}

/* changed(): when there is something else to draw. Gives {ask, sized, rowsCame, stop}. */
export function lineAsking(panel, changed) {
	const since = new Map();
	let again = 0;
	let asked = null;
	let given = null; /* what was answered to that */
	let wholeAt = -Infinity;
	let isFailed = false;
	let sides = null; /* of zoom_sides.js, since the first zoom */

	const question = () => questionOf(panel, panel.plotNode.clientWidth);

	const turns = cacheTurns(panel.page.cache, { isDue: () => panel.seen && since.size > 0, next: askSince, answered,
		leastMs: () => isFailed ? AGAIN_MS : SINCE_MS });

	function answered() {
		if (isTransient(panel.fault)) again ||= setTimeout(ask, AGAIN_MS);
		if (!panel.fault) fit();
	}

	/* It may have been sized while it was asked for. */
	function fit() {
		if (panel.seen && asked && !turns.isAsking() && question().panel.buckets !== asked.panel.buckets) ask();
	}

	function ask() {
		clearTimeout(again);
		again = 0;
		if (!panel.seen) return;
		const what = question();
		since.clear();
		isFailed = false;
		turns.want(what, (got, done) => {
			take(what, got);
			done();
		});
	}

	/* For the rows beside what is zoomed to. */
	function askBeside() {
		if (!panel.seen || (!sides && !panel.look.zoom)) return;
		sides ||= beside.there(askBeside)?.zoomSides(panel, () => {
			show();
			changed();
		});
		sides?.ask(asked, given, asked.panel.buckets - LEAD_IN);
	}

	function take(what, { answer, fault, isOld }) {
		if (isOld && JSON.stringify(what) === JSON.stringify(asked))
			return; /* rows that came since are drawn already */
		panel.fault = fault || answer.faults[0];
		if (answer?.panel) {
			asked = what;
			if (!isOld) wholeAt = performance.now();
			given = answer;
			askBeside();
			show();
			panel.order?.now().answered(what.panel.buckets);
			if (what.panel.from === undefined) panel.whole = endsOf(panel.data.grid);
		}
		changed();
	}

	/* Lines of what was answered, with the rows beside it as far as they are known. */
	function show() {
		const { ends, answer } = sides?.join(asked, given) ?? { ends: null, answer: given };
		const how = { isLog: asked.panel.scale === 'log', isMean: panel.look.split === 'mean', ends };
		panel.data = linesOf(answer, panel.page, panel.keys, how);
		panel.data.members = panel.members?.now().linesOf(answer, how);
	}

	/*
	 * The last bucket of all lines of these runs; null if everything has to be requested again, as for rows that are late.
	 */
	function edgeOf(runs, least) {
		const { data, page, look } = panel;
		if (!runs.length || !data?.grid.count || look.zoom || look.xLog) return null;
		if (look.split || page.groups.length || !APPENDED.includes(data.x)) return null;
		const lines = data.lines.filter((line) => runs.some((run) => run.id === line.who));
		const edge = lines.length ? Math.min(...lines.map(lastFilled)) : 0;
		return data.x === '_step' && least < data.grid.from + edge * data.grid.width ? null : edge;
	}

	function askSince() {
		const runs = panel.page.runs.filter((run) => since.has(run.id));
		const edge = edgeOf(runs, Math.min(...since.values()));
		if (edge === null || performance.now() - wholeAt > WHOLE_MS) return ask();
		const { x, grid } = panel.data;
		const from = grid.from + edge * grid.width;
		const part = {
			keys: panel.keys,
			x,
			buckets: asked.panel.buckets,
			from: x === '_step' ? Math.ceil(from - 1e-9) : from,
		};
		const came = [...since];
		since.clear();
		return turns.want({ runs: runs.map((run) => run.id), groups: [], panel: part }, ({ answer }, done) => {
			isFailed = !answer?.panel || answer.faults.length > 0;
			if (isFailed) came.forEach(([run, least]) => note(run, least));
			else add(edge, answer);
			done();
		}, { keep: false });
	}

	function note(run, least) {
		since.set(run, Math.min(least, since.get(run) ?? Infinity));
	}

	/* A line that was not there, or is far longer now than it was, or than one row, brings another grid. */
	function add(edge, { series }) {
		const { grid, lines } = panel.data;
		const furthest = (piece) => bucketAt(grid, piece.columns.x_first[piece.columns.at.length - 1] ?? grid.from);
		const lineOf = (piece) => lines.find((line) => line.who === piece.run && line.key === piece.key);
		const isLong = !grid.width || Math.max(0, ...series.map(furthest)) > asked.panel.buckets * LONGER;
		if (isLong || !series.every(lineOf)) return askWholeSoon(series);
		for (const piece of series) addSince(grid, lineOf(piece), edge, piece.columns);
		panel.whole = endsOf(grid);
		return changed();
	}

	function askWholeSoon(series) {
		wholeAt = -Infinity;
		series.forEach(({ run }) => since.set(run, 0));
	}

	return {
		ask,
		sized: fit,
		/* from: the least step of what came. */
		rowsCame(run, from = Infinity) {
			note(run, from);
			turns.soon();
		},
		stop() {
			turns.rest();
			sides?.rest();
			clearTimeout(again);
			again = 0;
		},
	};
}
