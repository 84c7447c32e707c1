/*
 * Shares the width of the pane between names and numbers: columns of numbers give names what their values do not need, and
 * the start gives way. Widths that a user set stay, and so do those of the full table and of a narrow screen.
 */

import { groupNameWidth, nameWidth, numbersWidth } from './cell_widths.js';
import { columnWidth, pinnedFirst } from './model/columns.js';

const LEAST = 150; /* of a name */
const MOST = 260; /* what a longer name needs beyond that is not taken from others */
const AGE = 60;
const ROWS_MOST = 1000; /* of groups and their runs, that are measured */

const sum = (numbers) => numbers.reduce((all, one) => all + one, 0);

/*
 * columns: [{width, least}]; need: of names; room: of the pane without what has a fixed width; age: of the start, which is
 * given up if names need its room. Returns {widths, name}.
 */
export function shared(columns, { need, room, age }) {
	const usual = sum(columns.map(({ width }) => width));
	const slack = sum(columns.map(({ width, least }) => width - least));
	const forAll = room - (need + usual - slack + age <= room ? age : 0);
	const taken = Math.max(0, Math.min(slack, need + usual - forAll));
	const widths = columns.map(({ width, least }) => slack ? Math.floor(width - (width - least) * taken / slack) : width);
	return { widths, name: Math.max(LEAST, forAll - sum(widths)) };
}

/* model, list: as run_list.js has them; columns(): with their usual widths; changed(): others have become known. */
export function nameRoom({ grid, model, list, columns, changed }) {
	const narrow = matchMedia('(max-width: 900px)');
	let size = null; /* {pane, fixed} */
	let leasts = new Map(); /* by column; they do not shrink while the columns stay */
	let leastOf = '';
	let found = null; /* {widths by key, name} */

	function rows() {
		const base = model.base().map((run) => ({ run, depth: 0 }));
		if (!list.seenView().group.length) return [...base, ...model.loaded().map((run) => ({ run, depth: 0 }))];
		return [...base, ...Array.from({ length: Math.min(model.count(), ROWS_MOST) }, (_, at) => model.row(at))];
	}

	const needOf = ({ run, node, depth }) => run ? nameWidth(run, depth, list) : node ? groupNameWidth(node) : 0;

	function leastWidth(column, told) {
		const least = Math.max(leasts.get(column.key) ?? 0, numbersWidth(told, column, list));
		leasts.set(column.key, least);
		return least;
	}

	function update() {
		const all = columns();
		const isGrouped = list.seenView().group.length > 0;
		const told = rows();
		const essence = JSON.stringify([all, isGrouped]);
		if (essence !== leastOf) [leasts, leastOf] = [new Map(), essence];
		if (!size || narrow.matches || !told.length) return void (found = null);
		const { widths, name } = shared(all.map((column) => ({ width: columnWidth(column), least: leastWidth(column, told) })),
			{ need: Math.min(MOST, Math.max(LEAST, ...told.map(needOf))), room: size.pane - size.fixed, age: isGrouped ? 0 : AGE });
		found = { widths: new Map(all.map(({ key }, at) => [key, widths[at]])), name };
	}

	const said = () => found && String([found.name, ...found.widths.values()]);

	const sizes = new ResizeObserver(() => {
		const fixed = sum([...grid.querySelectorAll('.heads > :is(.cell-eye, .cell-more)')].map((cell) => cell.offsetWidth));
		size = { pane: grid.clientWidth, fixed };
		const before = said();
		update();
		if (said() !== before) changed();
	});

	sizes.observe(grid);
	return {
		update,
		columns: () => found ? pinnedFirst(columns().map((column) => ({ ...column, fit: found.widths.get(column.key) }))) : columns(),
		/* Returns the width of names; null: it is that of the style sheet. */
		width: () => found?.name ?? null,
		stop: () => sizes.disconnect(),
	};
}
