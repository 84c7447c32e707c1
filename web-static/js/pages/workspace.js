/* The workspace: the runs of a project beside their charts. `/table` is the list alone, over the whole width. */

import { apiPath, hrefOf } from '../address.js';
import { serverNow } from '../base/clock.js';
import { el } from '../base/dom.js';
import { onKey } from '../base/keys.js';
import { chartKeys } from '../chart/data/chart_keys.js';
import { growth } from '../chart/data/growth.js';
import { runDefinitions } from '../chart/data/run_definitions.js';
import { shownKeys } from '../chart/data/shown_keys.js';
import { facetted, inFew, isWithin } from '../chart/panel/facets.js';
import { panelGrid } from '../chart/panel/panel_grid.js';
import { filterOfGroup, groupFacts } from '../list/group_facts.js';
import { narrow } from '../list/narrow.js';
import { runList } from '../list/run_list.js';
import { runsNews } from '../list/runs_news.js';
import { follow } from '../live.js';
import { firstUse } from '../projects/first_use.js';
import { go, query, setQuery } from '../router.js';
import { text } from '../text/list.js';
import { announcer } from '../ui/announcer.js';
import { split } from '../ui/split.js';

export { walkList } from '../run/walk.js';

const NOTICED_MS = 100;

function styleOfRun({ id, name, slot, color, isBase }) {
	return { id, name, slot, color, isBase };
}

/*
 * Draws what the list selects; the list also knows how many rows each run has. No event names the group of a run that
 * only logs rows: if groups are drawn, all of them are read again.
 */
function charts({ entity, project }, more) {
	const grown = growth();
	const facets = { facetted, inFew, isWithin };
	const grid = panelGrid({ entity, project, runs: [], keys: [], scope: null, facets, ...more });
	const keys = chartKeys(apiPath(entity, project), grid.update);
	const valued = shownKeys(apiPath(entity, project), (of) => grid.update({ valued: of }));
	const definitions = runDefinitions({ entity, project }, (defined) => grid.update({ defined }));
	let drawn = new Set();
	let isGrouped = false;
	const handlers = {
		open: readKeys,
		again: readKeys,
		/* The keys of a run are found when its documents are, which may be after its last rows. */
		run({ items }) {
			if (items.some(({ state }) => state !== undefined)) {
				readKeys();
				grid.fieldsChanged();
				items.forEach(({ id }) => definitions.changed(id));
			}
			if (isGrouped) items.forEach(moved);
		},
	};
	const unfollow = follow({ entity, project }, ({ type, data }) => handlers[type]?.(data));

	function readKeys() {
		keys.soon();
		valued.soon();
	}

	function moved({ id, rows, last_step: lastStep }) {
		if (grown({ id, rows, lastStep }) === null) return;
		readKeys();
		definitions.changed(id);
		grid.rowsCame(id, 0);
	}

	function draw({ runs, groups, scope }) {
		isGrouped = groups.length > 0;
		const more = runs.map((run) => ({ id: run.id, from: grown(run) })).filter(({ from }) => from !== null);
		for (const { id } of more) grid.age(id); /* what was asked before a run was hidden is old when it is back */
		grid.update({ runs: runs.map(styleOfRun), groups, scope });
		definitions.draw({ runs, groups, scope });
		valued.draw({ runs, groups, scope });
		for (const { id, from } of more) {
			definitions.changed(id);
			if (drawn.has(id)) grid.rowsCame(id, from);
		}
		if (more.length) readKeys();
		drawn = new Set(runs.map(({ id }) => id));
	}

	function stop() {
		unfollow();
		keys.stop();
		valued.stop();
		definitions.stop();
		grid.stop();
	}

	readKeys();
	return { node: grid.node, draw, stop };
}

/* Announces new runs to screen readers. */
function voice({ entity, project }) {
	const news = runsNews(serverNow());
	const { node, note, stop } = announcer(news.told);
	const unfollow = follow({ entity, project }, ({ type, data }) => {
		if (type !== 'run') return;
		data.items.forEach(news.take);
		if (data.items.some(({ state }) => state !== undefined)) note();
	});
	return { node, stop: () => [unfollow, stop].forEach((end) => end()) };
}

/* Offers to create a run only to users who may; others only see that there is none. */
function withFirstUse(address, user, node) {
	return user ? firstUse(address, node) : { node, set() {} };
}

/*
 * Returns {answer} of the first request that failed, if any. If it takes longer than users notice: {late}, a promise of
 * it, and the list shows grey rows. Without access no frame of the page is shown. A request that is repeated by itself
 * replaces the page when its answer is there.
 */
async function begin(list, { user, isUnasked }) {
	const begun = list.start();
	const time = new Promise((resolve) => user && !isUnasked && setTimeout(resolve, NOTICED_MS));
	if (!await Promise.race([begun.then(() => true), time])) {
		list.wait();
		return { late: begun };
	}
	return { answer: await begun };
}

export async function tablePage(address, { user, isUnasked } = {}) {
	const list = runList({ address, isTable: true, user, onempty: (isEmpty) => page.set(isEmpty) });
	const said = voice(address);
	const page = withFirstUse(address, user, el('div', { class: 'split' }, list.node, said.node));
	const stop = () => [list, said].forEach((part) => part.stop());
	const { answer, late } = await begin(list, { user, isUnasked });
	if (!answer) return { node: page.node, stop, late, title: address.project };
	stop();
	return { answer };
}

/* A group's page is the workspace of its runs, until another filter is typed. */
function ofGroup(address) {
	if (address.group === undefined) return null;
	if (!query().has('q')) setQuery({ q: filterOfGroup(address.group) });
	return groupFacts(address);
}

/* Returns whether the address is another form of the project's own, which users may still type. */
function isElsewhere({ entity, project, group }) {
	return group === undefined && new URL(hrefOf(entity, project)).pathname !== location.pathname;
}

export async function workspacePage(address, { user, isUnasked } = {}) {
	if (isElsewhere(address)) {
		go(hrefOf(address.entity, address.project) + location.search, { replace: true });
		return { node: el('div') };
	}
	const facts = ofGroup(address);
	const right = charts(address, { pick: (id) => list.pick(id), filter: narrow });
	const list = runList({ address, isTable: false, user, ondrawn: right.draw, onempty: (isEmpty) => page.set(isEmpty) });
	const halves = split(list.node, right.node);
	const page = withFirstUse(address, user, halves.node);
	const said = voice(address);
	const fold = { stop: onKey('[', text.workspace.fold, halves.fold) };
	const stop = () => [facts, list, right, fold, said].forEach((part) => part?.stop());
	const { answer, late } = await begin(list, { user, isUnasked });
	if (answer) {
		stop();
		return { answer };
	}
	halves.node.append(said.node);
	return { node: facts ? el('div', { class: 'group-page' }, facts.node, page.node) : page.node, stop, late,
		title: address.group ?? address.project };
}
