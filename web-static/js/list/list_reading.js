/*
 * Reads the list of runs as the address has it: all again if the query changed, the counts again if other runs count
 * in groups; otherwise the list is only drawn. Keys that become known later may change the columns.
 */

import { defaultColumns, pinnedFirst, withKinds } from './model/columns.js';
import { rememberPlace } from './model/list_place.js';
import { summaryColumn } from './model/metric_column.js';
import { essenceOf, orderOf } from './model/run_query.js';
import { readView, WIDTHS, writeView } from './model/run_view.js';

/* Returns the runs that do not count in groups, as a text to compare. */
const outOf = ({ group, out }) => group.length ? String(out) : '';

/*
 * begins(), ends(fault): of each reading; counted(): it was counted again; changed(): it is to be drawn; toTop(): it is
 * seen from the first row on, toFirst(): which is the current one, too.
 */
export function listReading({ address, place, isTable, model, known, begins, ends, counted, changed, toTop, toFirst }) {
	let view = readView(place.query());
	let asked = '';
	let askedOut = '';
	let readings = 0; /* under way */
	let reading = null;

	function columns() {
		return pinnedFirst(withKinds(view.columns || defaultColumns(isTable, known), known,
			{ isGrouped: view.group.length > 0, isChanged: view.change !== 'off' && view.base.length > 0, isTable }));
	}

	/* Decisions are steps of the history; what is typed or dragged is not. */
	function set(changes, { isTyped = false } = {}) {
		place.setQuery(writeView(changes), { replace: isTyped });
	}

	function setWidth(key, width, isDone) {
		const next = columns().map((column) => column.key === key
			? { ...column, width: Math.round(Math.min(Math.max(width, WIDTHS[0]), WIDTHS[1])) } : column);
		view = { ...view, columns: next };
		if (isDone) set({ columns: next }, { isTyped: true });
		else changed();
	}

	/* The answer that failed first of all, or null. */
	async function read() {
		const shownColumns = columns();
		asked = essenceOf(view, shownColumns);
		askedOut = outOf(view);
		readings++;
		begins();
		const fault = await model.open(view, shownColumns).finally(() => readings--);
		ends(fault);
		return fault;
	}

	function open() {
		reading = read();
		return reading;
	}

	/* Others count in groups: the rows stay as they are. A read in progress starts again. */
	async function recount() {
		if (readings) return open();
		askedOut = outOf(view);
		changed();
		if (await model.recount(view.out)) counted();
		return null;
	}

	const isAsked = () => essenceOf(view, columns()) === asked;

	/* Draws the list, or reads it if newly known keys change its columns. */
	function knowMore() {
		if (isAsked()) changed();
		else open();
	}

	const learnChosen = () => known.learnOf((view.columns ?? []).map(({ key }) => summaryColumn(key) ?? key));

	/* Other runs, or others first: they are seen from the first on. */
	const stop = place.onQuery(() => {
		const before = orderOf(view);
		rememberPlace(address, place.query());
		view = readView(place.query());
		if (orderOf(view) !== before) toTop();
		learnChosen().then((isMore) => isMore && knowMore());
		if (isAsked()) return outOf(view) === askedOut ? changed() : recount();
		toFirst();
		return open();
	});

	return {
		view: () => view,
		columns,
		set,
		setWidth,
		open,
		/* Returns the last read, which may be in progress. */
		reading: () => reading,
		/* Keys of the first runs: the columns of who has chosen none, and what is suggested. */
		async learn() {
			await known.learn();
			await learnChosen();
			knowMore();
		},
		stop,
	};
}
