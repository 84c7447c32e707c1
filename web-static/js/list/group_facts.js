/*
 * The facts of a group on top of its runs: how many, in which states, and its numbers from the least to the greatest.
 */

import { apiPath } from '../address.js';
import { ask } from '../api.js';
import { el, replace } from '../base/dom.js';
import { count, number } from '../base/format.js';
import { listText, queryOf } from '../base/query_text.js';
import { reread } from '../base/reread.js';
import { follow } from '../live.js';
import { text } from '../text/list.js';
import { stateBadge } from '../ui/controls.js';
import { columnName } from './model/names.js';
import { groupFilter } from './model/run_query.js';

const words = text.groupPage;
const NUMBERS = 6;
const AGAIN_MS = 2000;

const isOwn = ({ field, kinds }) => field.startsWith('summary.') && !field.startsWith('summary._')
	&& kinds.includes('number');

export const filterOfGroup = (name) => groupFilter('group', { kind: 'text', value: name });

function fact(name, ...body) {
	return el('div', { class: 'fact' }, el('dt', { class: 'clip', title: name }, name), el('dd', {}, body));
}

function numbersFact({ key, numbers }) {
	const { count: n, mean, std, min, max } = numbers;
	const spread = std === undefined || std === null ? '' : ` ± ${number(std)}`;
	return fact(columnName(key), el('b', {}, `${number(mean)}${spread}`), ' ',
		el('span', { class: 'muted' }, words.range(number(min), number(max), count(n))));
}

/* {node, start, stop} */
export function groupFacts({ entity, project, group }) {
	const path = apiPath(entity, project);
	const filter = filterOfGroup(group);
	const facts = el('dl', { class: 'group-facts' });
	const node = el('div', { class: 'group-head' }, el('h2', { class: 'clip' }, words.head, ' ', el('bdi', {}, group)),
		el('div', { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': words.facts(group) }, facts));

	function groupsBy(by, of) {
		return ask('GET', `${path}/groups?${queryOf({ by, of, filter, limit: 100 })}`);
	}

	async function readNumbers() {
		const fields = await ask('GET', `${path}/fields?${queryOf({ limit: 200 })}`);
		const keys = fields.status === 200 ? fields.body.items.filter(isOwn).map(({ field }) => field).slice(0, NUMBERS) : [];
		const answer = keys.length ? await groupsBy('group', listText(keys)) : null;
		const found = answer?.body?.items?.[0]?.numbers ?? [];
		return keys.map((key, at) => ({ key, numbers: found[at] })).filter(({ numbers }) => numbers?.count);
	}

	async function read(signal) {
		const [states, numbers] = await Promise.all([groupsBy('state'), readNumbers()]);
		if (signal.aborted) return null;
		if (states.status !== 200) return states;
		replace(facts, fact(words.runs, el('b', {}, count(states.body.runs))),
			fact(words.states, states.body.items.map((one) => [stateBadge(one.value), ` ${count(one.count)} `])),
				numbers.map(numbersFact));
		return null;
	}

	const turns = reread(read, () => AGAIN_MS);

	const isNews = ({ type, data }) => type !== 'run' || data.items.some((run) => run.group === group);
	const unfollow = follow({ entity, project }, (event) => isNews(event) && turns.soon());
	turns.soon();
	return {
		node,
		stop() {
			turns.stop();
			unfollow();
		},
	};
}
