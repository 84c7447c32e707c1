/* Lines of the metrics of what is compared: the pinned ones, else all, along the x that the runs define. */

import { styleOfRun } from '../base/slot.js';
import { runDefinitions } from '../chart/data/run_definitions.js';
import { panelGrid } from '../chart/panel/panel_grid.js';

/* parent: where the grid stands while it is shown. show: as comparePlots.update. */
export function linePlots(address, parent) {
	const definitions = runDefinitions(address, define);
	let now = null;
	let grid = null;
	let defined = null;
	let known = null; /* {defined, of: keys and pins} as the grid knows them */

	function define(next) {
		defined = next;
		if (grid) grid.update(news());
	}

	/* A metric that is pinned is shown, and may lie along one that is not. */
	function news() {
		const { keys, view: { pins } } = now;
		const of = JSON.stringify([keys, pins]);
		if (!defined || (known?.defined === defined && known.of === of)) return {};
		known = { defined, of };
		const { xOf, shown } = defined;
		return { defined: { ...defined, xOf: (some) => xOf(some, keys), shown: pins.length ? (some) => some : shown } };
	}

	function show(next) {
		now = next;
		const { keys, kinds, lines: groups, view: { pins } } = now;
		const runs = now.runs.map((run, at) => ({ ...styleOfRun(run), isBase: at === 0 && now.runs.length > 1 }));
		const shown = { runs, groups, keys: pins.length ? pins.filter((key) => keys.includes(key)) : keys, kinds };
		definitions.draw({ runs, groups: runs.length ? [] : groups, scope: { counted: groups[0]?.filter } });
		if (grid) return grid.update({ ...shown, ...news() });
		grid = panelGrid({ ...address, ...shown, hasLegend: true });
		parent.append(grid.node);
		grid.update(news());
	}

	function hide() {
		grid?.node.remove();
		grid?.stop();
		grid = known = null;
	}

	return {
		show, hide,
		rowsCame(id) {
			grid?.rowsCame(id, 0);
			definitions.changed(id);
		},
		stop() {
			grid?.stop();
			definitions.stop();
		},
	};
}
