/*
 * A row a label or host, a column a metric; all of a column have one scale, so that they are compared by eye. Rows
 * beyond the first come when they are asked for.
 */

import { FIRST_SHOWN, MORE_SHOWN } from '../chart/sections.js';
import { el, replace } from '../dom.js';
import { text } from '../text.js';
import { specOf, SystemPanel } from './system_panel.js';

const words = text.system;

const sizeOf = (metric) => `minmax(220px, ${metric.keys.length > 1 ? '1.4fr' : '1fr'})`;

/* kind: 'label' or 'host'; places(): their names in order; belongs(row, place). */
export function placeView(page, { kind, places, belongs, seen, unseen }) {
	const panels = new Map(); /* by place and metric */
	const node = el('div', { class: 'sections' });
	let length = FIRST_SHOWN;
	let shown = [];

	function drop(key) {
		unseen(panels.get(key));
		panels.get(key).stop();
		panels.delete(key);
	}

	function cell(place, metric, kept) {
		const key = JSON.stringify([place, metric.id]);
		const known = panels.get(key);
		kept.add(key);
		if (!known || known.metric !== metric) {
			if (known) drop(key);
			panels.set(key, new SystemPanel(specOf(metric, { only: (row) => belongs(row, place), where: place, isCell: true }),
				page));
			seen(panels.get(key));
		}
		return el('div', { role: 'cell' }, panels.get(key).node);
	}

	function line(place, kept) {
		return el('div', { role: 'row', class: 'place-row' },
			el('div', { role: 'rowheader', class: 'place-name', title: place }, el('bdi', {}, place)),
			shown.map((metric) => cell(place, metric, kept)));
	}

	function head() {
		return el('div', { role: 'row', class: 'place-row head' },
			el('div', { role: 'columnheader', class: 'place-name' }, words.place[kind]),
			shown.map((metric) => el('div', { role: 'columnheader' }, words.title(metric.id))));
	}

	function more(left) {
		if (left <= 0) return null;
		const next = Math.min(MORE_SHOWN, left);
		return el('button', { class: 'btn more', type: 'button', onclick: () => {
			length += next;
			render(shown);
		} }, words.morePlaces(next));
	}

	function render(metrics) {
		shown = metrics;
		const all = places();
		const kept = new Set();
		const lines = all.slice(0, length).map((place) => line(place, kept));
		for (const key of [...panels.keys()]) if (!kept.has(key)) drop(key);
		const table = el('div',
			{ class: 'place-table', role: 'table', tabindex: 0, 'aria-label': words.table[kind],
			'aria-rowcount': all.length + 1 },
			head(), lines);
		table.style.setProperty('--columns', shown.map(sizeOf).join(' '));
		if (!shown.length || !all.length) replace(node,
			el('p', { class: 'empty' }, shown.length ? words.noPlace : words.noMatch));
		else replace(node, table, more(all.length - length));
	}

	return { node, render, all: () => [...panels.values()], stop: () => [...panels.keys()].forEach(drop) };
}
