/* The charts of one run: the mean line, the true least and greatest of every bucket as a band. */

import { apiPath } from '../address.js';
import { ask } from '../api.js';
import { labelSlots } from '../base/label_slots.js';
import { nameOf, slotAlone } from '../base/slot.js';
import { chartKeys, lateDefinitions } from '../chart/data/chart_keys.js';
import { checkpointsOfRun } from '../chart/data/checkpoints.js';
import { evaluationsOfRun } from '../chart/data/evaluations.js';
import { eventPlaces, eventsOf } from '../chart/data/events.js';
import { growth } from '../chart/data/growth.js';
import { panelGrid } from '../chart/panel/panel_grid.js';
import { follow } from '../live.js';

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

export async function chartsTab({ entity, project, run: id }, context) {
	const path = apiPath(entity, project, id);
	const shown = context.run ? { status: 200, body: context.run.run } : await ask('GET', path);
	if (shown.status !== 200) return { answer: shown };
	const checkpoints = checkpointsOfRun(path, () => update());
	const evaluations = evaluationsOfRun(path, () => {
		grid.redraw();
		update(); /* the switch says whether they are shown */
	});
	const { run = {} } = context; /* which knows its keys from then on */
	const events = () => eventsOf({ states: run.states, alerts: run.alerts, checkpoints: checkpoints.list() });
	const grid = panelGrid({ entity, project, runs: lineOfRun(shown.body, run), keys: [],
		events: (page, changed) => eventPlaces(page, changed, evaluations) });
	const keys = chartKeys(path, (found, items) => {
		run.keyCount = found.keys.length;
		grid.update(found);
		evaluations.set(items);
	});
	const grown = growth([shown.body]);
	const define = lateDefinitions((defined) => grid.update({ defined }));
	const [answer] = await Promise.all([keys.read(), define([run.config])]);

	function came(rows, lastStep) {
		const from = grown({ id, rows, lastStep });
		if (from === null) return;
		keys.soon();
		checkpoints.soon();
		grid.rowsCame(id, from);
	}

	function update() {
		grid.update({ events: events() });
		define([run.config]);
	}

	async function look() {
		const { status, body } = await ask('GET', path);
		if (status === 200) came(body.rows, body.last_step);
	}

	const heard = { open: look, again: look, rows: (item) => came(item.row_next, item.last_step) };
	const stops = [() => keys.stop(), () => checkpoints.stop(), () => evaluations.stop(), () => grid.stop()];

	function stop() {
		stops.forEach((one) => one());
	}

	if (answer) {
		stop();
		return { answer };
	}
	stops.push(follow({ entity, project, run: id, streams: ['rows'] }, ({ type, data }) => heard[type]?.(data)));
	update();
	checkpoints.now();
	return { node: grid.node, update, stop, title: nameOf(shown.body) };
}
