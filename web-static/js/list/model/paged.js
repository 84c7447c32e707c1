/*
 * A list of the server's, a page at a time, by the place of what is seen: a jump of the scroll bar reads what is there
 * and nothing between. The list is that of when it was read first, whatever comes or goes meanwhile: what adjoins rows
 * that were read is read by the cursor behind them, or looked for before them; a jump counts on from how many more there
 * are by now; and a row stands where it was seen first. If nothing fits any more, all is read again.
 * `ask(query)` -> an answer of api.js; `changed()` is called when rows came.
 */

import { placedRows } from './placed_rows.js';

export const PAGE = 200;
const TRIES = 3; /* of a place in a list that changes */
const UNSTEADY = { status: 503, body: { detail: 'The list changes faster than it can be read.' } };

export function pagedList({ ask, changed, failed }) {
	let rows = placedRows();
	let shift = 0; /* runs that came before all others since the list was read */
	let wanted = [];
	let generation = 0;
	let drops = 0; /* after which places are others */
	let isLoading = false;
	let hasFailed = false;

	const missing = () => {
		for (const { from, to } of wanted)
			for (let place = from; place < Math.min(to, rows.total()); place++) if (!rows.at(place)) return place;
		return undefined;
	};

	/* {fresh, more, count} or {fault} */
	async function read(query) {
		const answer = await ask({ ...query, count: 'true' });
		if (answer.status !== 200) return { fault: answer };
		const { items, next_cursor: more = null, count } = answer.body;
		return { fresh: items, more, count };
	}

	/* From a place on, where another row may stand by now. */
	async function readAt(place, limit) {
		let answer = null;
		for (let tries = 0; tries < TRIES; tries++) {
			answer = await read({ limit, offset: Math.max(0, place + shift) });
			if (answer.fault || answer.count - rows.total() === shift) break;
			shift = answer.count - rows.total();
		}
		return answer;
	}

	const placeOf = ({ id }) => rows.place(id);

	/* Behind rows that were read, by their cursor; up to the next ones, where those are near. */
	async function readOn({ from, to }) {
		const size = to - from;
		const isToMeet = to < rows.total() && size <= PAGE;
		const cursor = rows.cursorAt(from - 1);
		if (!cursor) return {};
		const answer = await read({ limit: isToMeet ? size + PAGE : PAGE, cursor });
		if (answer.fault?.body?.field === 'cursor') return {};
		return { ...answer, lay: () => layOn({ from, to }, answer) };
	}

	function layOn({ from, to }, { fresh, ...answered }) {
		const meets = fresh.findIndex((row) => placeOf(row) === to);
		const own = (meets < 0 ? fresh : fresh.slice(0, meets)).filter(rows.isNew);
		if (meets >= 0) rows.close({ from, to }, own);
		else if (answered.more !== null && to < rows.total() && own.length >= to - from) return false;
		else rows.goOn(from, own, answered);
		return true;
	}

	/* Before rows that were read, by the first of them. */
	async function readBack({ from, to }) {
		const first = Math.max(from, to - PAGE);
		const isIn = ({ fresh }) => fresh.findIndex((row) => placeOf(row) === to) > 0;
		let answer = await readAt(first, to - first + 1);
		if (!answer.fault && !isIn(answer)) answer = await readAt(Math.max(0, first - PAGE), 3 * PAGE + 1);
		return { ...answer, lay: () => isIn(answer) && layBack({ from, to }, answer.fresh) };
	}

	function layBack({ from, to }, fresh) {
		const before = fresh.slice(0, fresh.findIndex((row) => placeOf(row) === to));
		const meets = before.findLastIndex((row) => placeOf(row) === from - 1);
		const own = before.slice(meets + 1).filter(rows.isNew);
		if (meets >= 0) rows.close({ from, to }, own);
		else rows.comeTo(to, own.slice(-PAGE));
		return meets >= 0 || own.length > 0;
	}

	async function readPage({ from }, place) {
		const first = Math.max(from, place - place % PAGE);
		const answer = await readAt(first, PAGE);
		return { ...answer, lay: () => layPage(first, answer) };
	}

	function layPage(first, { fresh, ...answered }) {
		const own = fresh.filter(rows.isNew);
		if (own.length) rows.goOn(first, own, answered);
		return own.length > 0;
	}

	function readAround(place) {
		const gap = rows.gapAt(place);
		if (gap.from > 0 && place - gap.from < PAGE) return readOn(gap);
		if (gap.to < rows.total() && gap.to - place <= PAGE) return readBack(gap);
		return readPage(gap, place);
	}

	/* The answer that failed, or null; begins() is called before the old rows are dropped. */
	async function begin(mine, begins) {
		const { fault, fresh, ...answered } = await read({ limit: PAGE });
		if (mine !== generation) return null;
		if (fault) return fault;
		rows = placedRows();
		shift = 0;
		hasFailed = false;
		begins();
		rows.begin(fresh, answered);
		changed();
		return null;
	}

	function fail(answer) {
		hasFailed = true;
		failed(answer);
		return false;
	}

	/* Returns whether to continue. Rows that fit nowhere are read again, once. */
	async function loadAt(place, mine, isAnew) {
		const before = drops;
		const { fault, lay } = await readAround(place);
		if (mine !== generation) return false;
		if (before !== drops) return true;
		if (fault) return fail(fault);
		hasFailed = false;
		if (lay?.()) return changed() ?? true;
		if (isAnew.is) return fail(UNSTEADY);
		isAnew.is = true;
		const refused = await begin(mine, () => {});
		return refused ? fail(refused) : mine === generation;
	}

	/* One page at a time, by what is wanted when the one before has come. */
	async function load() {
		const mine = generation;
		const isAnew = { is: false };
		if (isLoading) return;
		isLoading = true;
		while (missing() !== undefined && await loadAt(missing(), mine, isAnew));
		if (mine === generation) isLoading = false;
	}

	return {
		total: () => rows.total(),
		at: (place) => rows.at(place),
		/* Returns those of the first `count` rows that were read. */
		first: (count) => rows.first(count),
		loaded: () => rows.loaded(),
		/* The first place that was not read. */
		firstGap: () => rows.firstGap(),
		/* Whether rows that are wanted could not be read. */
		lacks: () => hasFailed && missing() !== undefined,
		/* Infinity: it is not among those that were read. */
		place: (id) => rows.place(id) ?? Infinity,
		/* Ranges {from, to} that are about to be seen, the most urgent first. */
		need(...ranges) {
			wanted = ranges;
			if (rows.total() !== null) load();
		},
		/*
		 * Reads all again. The old rows stay until the first page has arrived; then begins() is called. Returns the failed answer, or
		 * null.
		 */
		async restart(begins = () => {}) {
			const mine = ++generation;
			isLoading = true;
			const fault = await begin(mine, begins);
			if (mine !== generation) return null;
			isLoading = false;
			if (!fault) load();
			return fault;
		},
		/* Runs as they are now, in their places. */
		put: (fresh) => rows.put(fresh),
		drop(ids) {
			drops++;
			rows.drop(ids);
		},
		stop() {
			generation++;
		},
	};
}
