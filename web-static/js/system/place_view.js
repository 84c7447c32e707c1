/*
 * A row a label or host, a column a metric; all of a column have one scale, so that they are compared by eye. Rows
 * beyond the first come when they are asked for. What is there stays where it is: it may just be pressed.
 */

import { arrange, el, setText } from '../base/dom.js';
import { FIRST_SHOWN, MORE_SHOWN } from '../chart/panel/sections.js';
import { text } from '../text/system.js';
import { specOf, SystemPanel } from './system_panel.js';

const words = text.system;

const sizeOf = (metric) => `minmax(220px, ${metric.keys.length > 1 ? '1.4fr' : '1fr'})`;

/* kind: 'label' or 'host'; places(): their names in order; belongs(row, place). */
export function placeView(page, { kind, places, belongs, seen, unseen }) {
	const cells = new Map(); /* {panel, node} by place and metric */
	const lines = new Map(); /* rows of the table by place */
	const heads = new Map(); /* heads of columns by metric */
	const node = el('div', { class: 'sections' });
	const corner = el('div', { role: 'columnheader', class: 'place-name' }, words.place[kind]);
	const head = el('div', { role: 'row', class: 'place-row head' });
	const table = el('div', { class: 'place-table', role: 'table', tabindex: 0, 'aria-label': words.table[kind] });
	const empty = el('p', { class: 'empty' });
	const more = el('button', { class: 'btn more', type: 'button', onclick: () => {
		length += MORE_SHOWN;
		render(shown);
	} });
	let length = FIRST_SHOWN;
	let shown = [];

	function drop(key) {
		const { panel } = cells.get(key);
		unseen(panel);
		panel.stop();
		cells.delete(key);
	}

	function cell(place, metric, kept) {
		const key = JSON.stringify([place, metric.id]);
		kept.add(key);
		if (cells.get(key)?.panel.metric === metric) return cells.get(key).node;
		if (cells.has(key)) drop(key);
		const panel = new SystemPanel(
			specOf(metric, { only: (row) => belongs(row, place), where: place, isCell: true }), page);
		cells.set(key, { panel, node: el('div', { role: 'cell' }, panel.node) });
		seen(panel);
		return cells.get(key).node;
	}

	function line(place, kept) {
		if (!lines.has(place)) lines.set(place, el('div', { role: 'row', class: 'place-row' },
			el('div', { role: 'rowheader', class: 'place-name', title: place }, el('bdi', {}, place))));
		const row = lines.get(place);
		return arrange(row, [row.firstChild, ...shown.map((metric) => cell(place, metric, kept))]);
	}

	function headOf({ id }) {
		if (!heads.has(id)) heads.set(id, el('div', { role: 'columnheader' }, words.title(id)));
		return heads.get(id);
	}

	function fill(all, kept) {
		const rows = all.slice(0, length).map((place) => line(place, kept));
		arrange(head, [corner, ...shown.map(headOf)]);
		arrange(table, [head, ...rows]);
		table.setAttribute('aria-rowcount', all.length + 1);
		table.style.setProperty('--columns', shown.map(sizeOf).join(' '));
		setText(more, words.morePlaces(Math.min(MORE_SHOWN, all.length - length)));
		arrange(node, all.length > length ? [table, more] : [table]);
	}

	function render(metrics) {
		const kept = new Set();
		const all = places();
		shown = metrics;
		empty.textContent = shown.length ? words.noPlace : words.noMatch;
		if (shown.length && all.length) fill(all, kept);
		else arrange(node, [empty]);
		for (const key of [...cells.keys()]) if (!kept.has(key)) drop(key);
	}

	return { node, render, all: () => [...cells.values()].map(({ panel }) => panel), stop: () => [...cells.keys()].forEach(drop) };
}
