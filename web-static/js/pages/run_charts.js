/* The charts of one run: the mean line, the true least and greatest of every bucket as a band. */

import { apiPath } from '../address.js';
import { ask } from '../api.js';
import { labelSlots } from '../base/label_slots.js';
import { nameOf, slotAlone } from '../base/slot.js';
import { chartKeys, lazyDefinitions } from '../chart/data/chart_keys.js';
import { growth } from '../chart/data/growth.js';
import { panelGrid } from '../chart/panel/panel_grid.js';
import { follow } from '../live.js';
import { loaded } from '../ui/later.js';

/* known: run_data.js, where there is one: how many writers there are, and the colours of their labels. */
function lineOfRun(run, known) {
	let [of, slotOf] = [null, () => undefined];
	function labelSlot(label) {
		if (known.writers && known.writers !== of) [of, slotOf] = [known.writers, labelSlots(known.writers)];
		return slotOf(label);
	}
	const writers = () => known.writers?.length;
	return [{ id: run.id, name: nameOf(run), slot: slotAlone(run), color: run.color, writers, labelSlot }];
}

/* Marks of the run, which are loaded when the charts are there; until then there are none. */
function lateMarks() {
	let [made, items, isStopped] = [null, [], false];
	let place = {}; /* {page, changed} of the charts */

	/* shown(): the switch of the marks may have to change, as they are shown unasked if they are few. */
	async function load({ shown, ...of }) {
		const module = await loaded(() => import('../chart/data/run_marks.js'));
		if (!module || isStopped) return;
		made = module.runMarks({ ...of, ...place, changed: () => {
			place.changed();
			shown();
		} });
		made.update();
		made.keys(items);
		shown();
		made.now();
	}

	return {
		of(page, changed) {
			place = { page, changed };
			return { at: (x) => made?.at(x) ?? [], isShown: () => made?.isShown() ?? page.look.events ?? true,
				rowsCame: () => made?.rowsCame() };
		},
		keys(next) {
			items = next;
			made?.keys(items);
		},
		load, soon: () => made?.soon(), update: () => made?.update(),
		stop() {
			isStopped = true;
			made?.stop();
		},
	};
}

export async function chartsTab({ entity, project, run: id }, context) {
	const path = apiPath(entity, project, id);
	const shown = context.run ? { status: 200, body: context.run.run } : await ask('GET', path);
	if (shown.status !== 200) return { answer: shown };
	const { run = {} } = context; /* which knows its keys from then on */
	const marks = lateMarks();
	const grid = panelGrid({ entity, project, runs: lineOfRun(shown.body, run), keys: [], events: marks.of });
	const keys = chartKeys(path, (found, items) => {
		run.keyCount = found.keys.length;
		grid.update(found);
		marks.keys(items);
	});
	const grown = growth([shown.body]);
	const define = lazyDefinitions((defined) => grid.update({ defined }));
	const [answer] = await Promise.all([keys.read(), define([run.config])]);

	function came(rows, lastStep) {
		const from = grown({ id, rows, lastStep });
		if (from === null) return;
		keys.soon();
		marks.soon();
		grid.rowsCame(id, from);
	}

	function update() {
		marks.update();
		define([run.config]);
	}

	async function look() {
		const { status, body } = await ask('GET', path);
		if (status === 200) came(body.rows, body.last_step);
	}

	const handlers = { open: look, again: look, rows: (item) => came(item.row_next, item.last_step) };
	const stops = [() => keys.stop(), () => marks.stop(), () => grid.stop()];

	function stop() {
		stops.forEach((one) => one());
	}

	if (answer) {
		stop();
		return { answer };
	}
	stops.push(follow({ entity, project, run: id, streams: ['rows'] }, ({ type, data }) => handlers[type]?.(data)));
	update();
	marks.load({ path, run, shown: grid.showsMarks });
	return { node: grid.node, update, stop, title: nameOf(shown.body) };
}
