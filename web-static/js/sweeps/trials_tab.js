/* The trials of a sweep as a table: their values, parameters and runs. */

import { ask } from '../api.js';
import { serverNow } from '../base/clock.js';
import { el, renew, replace } from '../base/dom.js';
import { count, duration, number } from '../base/format.js';
import { text as common } from '../text/common.js';
import { text } from '../text/sweeps.js';
import { button, card, toast } from '../ui/controls.js';
import { isDone } from '../ui/form.js';
import { badge } from './badge.js';
import { flatParams, isOver, namesIn, tookOf } from './figures.js';
import { runLink } from './run_link.js';

const words = text.sweep;
const PAGE = 100;
const NAMES_MOST = 20; /* columns of parameters */
const ENDED = ['finished', 'canceled'];

function shown(value) {
	if (value === undefined) return el('span', { class: 'muted' }, common.none);
	return typeof value === 'number' ? el('span', { title: value }, number(value)) : el('bdi', { class: 'clip' }, typeof value === 'string' ? value : JSON.stringify(value));
}

/* Best first; those without a value last. */
function byValue(goal, sign) {
	const way = (goal === 'maximize' ? -1 : 1) * sign;
	return (a, b) => (a.value === null) - (b.value === null) || way * (a.value - b.value) || b.trial - a.trial;
}

function sorted(trials, { key, sign }, goal) {
	return [...trials].sort(key === 'value' ? byValue(goal, sign) : (a, b) => sign * (b.trial - a.trial));
}

export function trialsTab(address, feed, { mayWrite }) {
	const rows = new Map();
	const [heads, body] = [el('tr'), el('tbody')];
	const note = el('p', { class: 'note' });
	const more = button(words.more, { onclick: () => {
		most += PAGE;
		update();
	} });
	let order = { key: 'trial', sign: 1 };
	let most = PAGE;
	let drawnHeads = '';

	async function again(trial) {
		const answer = await ask('PATCH', `${feed.path}/trials/${trial}`, { retry: true });
		if (!isDone(answer)) return toast(common.fault.of(answer));
		toast(words.given(answer.body.trial));
		return feed.again();
	}

	function row(trial, names) {
		const values = new Map(flatParams(trial.params));
		const took = tookOf(trial, serverNow());
		return el('tr', {},
			el('th', { scope: 'row', class: 'num' }, count(trial.trial)),
			el('td', {}, badge(trial.state), trial.retry_of !== null && [' ', el('span', { class: 'count' }, words.retryOf(trial.retry_of))],
				words.sources[trial.source] && [' ', el('span', { class: 'count' }, words.sources[trial.source])]),
			el('td', { class: 'num' }, trial.value === null ? common.none : el('span', { title: trial.value }, number(trial.value))),
			names.map((name) => el('td', { class: typeof values.get(name) === 'number' && 'num', title: trial.note }, shown(values.get(name)))),
			el('td', {}, el('bdi', { class: 'clip' }, trial.host ?? common.none)),
			el('td', { class: 'num' }, took === null ? common.none : duration(took)),
			el('td', {}, runLink(address, trial)),
			mayWrite && el('td', {}, isOver(trial) && trial.source !== 'prior' && trial.params !== null && !ENDED.includes(feed.sweep.state)
				&& button(words.again, { look: 'small', 'aria-label': `${words.again}: ${trial.trial}`, title: words.againHow(trial.trial), onclick: () => again(trial.trial) })));
	}

	function sorter(key, label) {
		const isHere = order.key === key;
		const isUp = key === 'trial' ? order.sign < 0 : order.sign > 0 === (feed.sweep.metric?.goal !== 'maximize');
		return el('th', { scope: 'col', class: 'num', 'aria-sort': isHere ? isUp ? 'ascending' : 'descending' : null },
			el('button', { type: 'button', class: 'sorter', title: words.sortBy(label), onclick: () => {
				order = { key, sign: isHere ? -order.sign : 1 };
				update();
			} }, label, isHere && el('span', { 'aria-hidden': 'true' }, isUp ? '↑' : '↓')));
	}

	function drawHeads(names) {
		const essence = JSON.stringify([names, order, feed.sweep.metric]);
		if (essence === drawnHeads) return;
		const at = [...heads.children].findIndex((one) => one.contains(document.activeElement));
		const head = (label, look) => el('th', { scope: 'col', class: look }, label);
		replace(heads, sorter('trial', words.columns.trial), head(words.columns.state), sorter('value', feed.sweep.metric?.name ?? words.columns.value),
			names.map((name) => head(el('bdi', {}, name))), head(words.columns.host), head(words.columns.duration, 'num'), head(words.columns.run), mayWrite && el('td'));
		heads.children[at]?.querySelector('button')?.focus();
		drawnHeads = essence;
	}

	function fresh(trial, names) {
		const now = row(trial, names);
		rows.set(trial.trial, rows.has(trial.trial) ? renew(rows.get(trial.trial), now) : now);
		return rows.get(trial.trial);
	}

	function update() {
		const { trials, sweep, isCut } = feed;
		const all = namesIn(trials);
		const names = all.slice(0, NAMES_MOST);
		drawHeads(names);
		const nodes = sorted(trials, order, sweep.metric?.goal).slice(0, most).map((trial) => fresh(trial, names));
		if (nodes.length !== body.childElementCount || nodes.some((node, at) => body.children[at] !== node)) replace(body, nodes);
		more.hidden = trials.length <= most;
		const said = [!trials.length && words.noTrials, isCut && words.cut(trials.length, sweep.trials.total + sweep.trials.prior), all.length > names.length && words.moreNames(all.length - names.length)];
		replace(note, said.filter(Boolean).join(' '));
		note.hidden = !note.textContent;
	}

	update();
	return {
		node: card(words.trials, null, note, el('div', { class: 'table-wrap', tabindex: 0, role: 'region', 'aria-label': words.trials },
			el('table', { class: 'table sweep-trials' }, el('thead', {}, heads), body)), more),
		update,
	};
}
