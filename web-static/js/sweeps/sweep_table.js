/* Sweeps of a project as a table. */

import { el, renew, replace } from '../base/dom.js';
import { count, number } from '../base/format.js';
import { text as common } from '../text/common.js';
import { text } from '../text/sweeps.js';
import { ago } from '../ui/times.js';
import { badge } from './badge.js';
import { progressOf } from './figures.js';
import { hrefOfSweep } from './places.js';

const words = text.sweeps;

/* A bar with its numbers; a sweep without an end has no bar. */
export function progressBar(sweep) {
	const { done, expected } = progressOf(sweep);
	if (expected === null) return el('span', {}, words.done(done));
	return el('span', { class: 'sweep-progress' },
		el('progress', { max: Math.max(1, expected), value: Math.min(done, expected), 'aria-label': words.progress(sweep.display_name) }),
		el('span', {}, words.doneOf(done, expected)));
}

export function bestWords({ best, metric }) {
	return best === null ? common.none : el('span', { title: `${words.bestOf(metric.name, metric.goal)}: ${best}` }, number(best));
}

function row(place, sweep) {
	const { trials } = sweep;
	return el('tr', {},
		el('th', { scope: 'row' }, el('a', { href: hrefOfSweep({ ...place, sweep: sweep.id }), title: sweep.id }, el('bdi', {}, sweep.display_name)),
			sweep.display_name !== sweep.id && [' ', el('span', { class: 'count' }, sweep.id)],
			sweep.description && el('div', { class: 'soft clip', title: sweep.description }, sweep.description)),
		el('td', {}, badge(sweep.state)),
		el('td', {}, sweep.method),
		el('td', {}, progressBar(sweep)),
		el('td', { class: 'number' }, count(trials.total)),
		el('td', { class: 'number' }, count(trials.running)),
		el('td', { class: 'number' }, bestWords(sweep), sweep.metric && el('div', { class: 'soft clip', title: sweep.metric.name }, sweep.metric.name)),
		el('td', {}, el('bdi', {}, sweep.user ?? common.none)),
		el('td', {}, ago(sweep.created_at)));
}

/* {node, show(sweeps)} */
export function sweepTable(place) {
	const rows = new Map();
	const body = el('tbody');

	function fresh(sweep) {
		const now = row(place, sweep);
		rows.set(sweep.id, rows.has(sweep.id) ? renew(rows.get(sweep.id), now) : now);
		return rows.get(sweep.id);
	}

	return {
		node: el('div', { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': words.table },
			el('table', { class: 'list sweeps' },
				el('thead', {}, el('tr', {}, words.columns.map(([name, isNumber]) => el('th', { scope: 'col', class: isNumber && 'number' }, name)))), body)),
		show(sweeps) {
			const shown = sweeps.map(fresh);
			const areInPlace = shown.length === body.childElementCount && shown.every((node, at) => body.children[at] === node);
			if (!areInPlace) replace(body, shown);
		},
	};
}
