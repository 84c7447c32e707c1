/* The workspace: the runs of a project beside their charts. `/table` is the list alone, over the whole width. */

import { apiPath } from '../address.js';
import { ask } from '../api.js';
import { panelGrid } from '../chart/panel_grid.js';
import { panelKeys } from '../chart/panel_keys.js';
import { el } from '../dom.js';
import { runList } from '../parts/run_list.js';
import { split } from '../parts/split.js';

const KEYS = 10000;

async function keysOf(path) {
	const answer = await ask('GET', `${path}/keys?limit=${KEYS}`);
	return answer.status === 200 ? panelKeys(answer.body.items) : null;
}

function looksOf({ id, name, slot, color }) {
	return { id, name, slot, color };
}

/* What is drawn follows the list, which says how many rows each run has by now. */
function charts({ entity, project }, pick) {
	const path = apiPath(entity, project);
	const rows = new Map();
	let keys = [];
	const grid = panelGrid({ entity, project, runs: [], keys, pick });

	async function readKeys() {
		const now = await keysOf(path);
		if (!now) return;
		({ keys } = now);
		grid.update(now);
	}

	function draw(runs) {
		const grown = runs.filter((run) => rows.has(run.id) && rows.get(run.id) !== run.rows);
		runs.forEach((run) => rows.set(run.id, run.rows));
		grid.update({ runs: runs.map(looksOf) });
		grown.forEach(({ id }) => grid.rowsCame(id, keys, 0));
		if (grown.length) readKeys();
	}

	return { node: grid.node, draw, readKeys, stop: grid.stop };
}

export async function tablePage(address, { user } = {}) {
	const list = runList({ address, isTable: true, user });
	const answer = await list.start();
	if (!answer) return { node: el('div', { class: 'split' }, list.node), stop: list.stop, title: address.project };
	list.stop();
	return { answer };
}

export async function workspacePage(address, { user } = {}) {
	const right = charts(address, (id) => list.pick(id));
	const list = runList({ address, isTable: false, user, ondrawn: right.draw });
	const stop = () => [list, right].forEach((part) => part.stop());
	const answer = await list.start();
	if (answer) {
		stop();
		return { answer };
	}
	right.readKeys();
	return { node: split(list.node, right.node).node, stop, title: address.project };
}
