/* Marks on the charts of one run: changes of its state, alerts, checkpoints, evaluations. Loaded after the charts. */

import { checkpointsOfRun } from './checkpoints.js';
import { evaluationsOfRun } from './evaluations.js';
import { eventPlaces, eventsOf } from './events.js';

/*
 * path: of the run; run: with its states and alerts; page: of panel_grid.js; changed(): other marks are shown. Returns what
 * eventPlaces() does, and {keys(items of keys), update(), now(), soon(), stop()}; nothing is shown before update().
 */
export function runMarks({ path, run, page, changed }) {
	const checkpoints = checkpointsOfRun(path, () => update());
	const evaluations = evaluationsOfRun(path, changed);
	const places = eventPlaces(page, changed, evaluations);

	function update() {
		places.set(eventsOf({ states: run.states, alerts: run.alerts, checkpoints: checkpoints.list() }));
	}

	function stop() {
		checkpoints.stop();
		evaluations.stop();
	}

	return { ...places, keys: evaluations.set, now: checkpoints.now, soon: checkpoints.soon, update, stop };
}
