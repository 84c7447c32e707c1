/* The charts of one run: the mean line, the true least and greatest of every bucket as a band. */

import { apiPath } from '../address.js';
import { ask, askAll } from '../api.js';
import { panelGrid } from '../chart/panel_grid.js';
import { panelKeys } from '../chart/panel_keys.js';
import { follow } from '../live.js';

/* came(keys, least step) for rows; opened() once, for what came while the page was made; again() when some may have been missed. */
function followRows(place, { came, opened, again }) {
	let wasOpen = false;
	return follow({ ...place, streams: ['history'] }, ({ type, data }) => {
		if (type === 'history') {
			const keys = new Set(data.items.flatMap(Object.keys));
			came([...keys].filter((key) => !key.startsWith('_')), Math.min(...data.items.map((row) => row._step)));
		} else if (type === 'open' && !wasOpen) {
			wasOpen = true;
			opened();
		} else if (['open', 'reset', 'poll'].includes(type)) again();
	});
}

function lineOfRun(run) {
	return [{ id: run.id, name: run.display_name || run.id, slot: run.color_slot, color: run.color }];
}

async function readKeys(path) {
	const answer = await askAll(`${path}/keys`);
	return answer.status === 200 ? { ...panelKeys(answer.body.items), all: answer.body.items.map((item) => item.key) } : { answer };
}

export async function chartsTab({ entity, project, run: id }, context) {
	const path = apiPath(entity, project, id);
	const [shown, read] = await Promise.all([context.run ? { status: 200, body: context.run.run } : ask('GET', path), readKeys(path)]);
	if (shown.status !== 200) return { answer: shown };
	if (read.answer) return read;
	let { keys } = read;
	let known = new Set(read.all);
	const grid = panelGrid({ entity, project, runs: lineOfRun(shown.body), keys, kinds: read.kinds });

	async function again() {
		const now = await readKeys(path);
		if (now.keys) {
			({ keys } = now);
			known = new Set(now.all);
			grid.update({ keys, kinds: now.kinds });
		}
		grid.rowsCame(id, keys, 0);
	}

	function came(some, from) {
		if (some.some((key) => !known.has(key))) again();
		grid.rowsCame(id, some, from);
	}

	const live = { came, again, opened: () => grid.rowsCame(id, keys) };
	const unfollow = shown.body.ended_at ? () => {} : followRows({ entity, project, run: id }, live);

	function stop() {
		unfollow();
		grid.stop();
	}

	return { node: grid.node, stop, title: shown.body.display_name || id };
}
