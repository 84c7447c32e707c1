/* All writers, searched and sorted; a row opens what is known of that one. */

import { el } from '../base/dom.js';
import { count } from '../base/format.js';
import { byConcern, byLabel } from '../base/writer_order.js';
import { text } from '../text/writers.js';
import { button, field, menu } from '../ui/controls.js';
import { icon } from '../ui/icons.js';
import { redrawn } from '../ui/redrawn.js';
import { countedCard } from './card.js';
import { readMore, writerMore } from './writer_more.js';
import { writerTable } from './writer_table.js';

const words = text.runWriters;
const SHOWN = 300;

const ORDERS = {
	concern: (writers, slow) => byConcern(writers, slow),
	label: (writers) => [...writers].sort((a, b) => byLabel(a.label, b.label)),
	heard: (writers) => [...writers].sort((a, b) => Date.parse(a.heard_at) - Date.parse(b.heard_at)),
	step: (writers) => [...writers].sort((a, b) => (a.last_step ?? Infinity) - (b.last_step ?? Infinity)),
	rows: (writers) => [...writers].sort((a, b) => b.history_rows - a.history_rows),
};

function matches(writer, sought) {
	return [writer.label, writer.host || '', writer.shown, writer.role,
		words.states[writer.shown] || ''].some((part) => part.toLowerCase().includes(sought));
}

export function writersList(data, slowOf) {
	const open = new Map();
	let order = 'concern';
	const search = field('search', words.search, { look: 'slim' });
	const input = search.querySelector('input');
	const sorter = button([words.sort, ' ', el('b', {}, words.orders.concern), icon('down')], {});

	function turn(writer) {
		if (!open.delete(writer.number)) open.set(writer.number, readMore(data, writer));
		list.update();
	}

	function found() {
		const sought = input.value.trim().toLowerCase();
		const { writers } = data.look();
		return { all: writers,
			list: ORDERS[order](writers.filter((writer) => !sought || matches(writer, sought)), slowOf()) };
	}

	function draw() {
		const { all, list: rows } = found();
		const more = rows.length - SHOWN;
		return [rows.length ? writerTable(rows.slice(0, SHOWN), { all, rates: data.rates,
			open: { is: (writer) => open.has(writer.number), turn,
				body: (writer) => writerMore(data, writer, open.get(writer.number)) } }) : el('p', { class: 'note' }, words.noMatch),
		more > 0 && el('p', { class: 'note' }, words.moreWriters(count(more)))];
	}

	const list = redrawn(() => [data.look().writers, [...data.rates], input.value, order, [...open.keys()],
		open.size > 0 && [data.states.length, data.mayWrite, data.mayRule]], draw);
	const card = countedCard(words.name, count(data.writers.length), [search, sorter], list.node);
	menu(sorter, () => Object.keys(ORDERS).map((name) => ({ label: words.orders[name], isChecked: name === order, onpick: () => {
		order = name;
		sorter.querySelector('b').textContent = words.orders[name];
		list.update();
	} })));
	input.addEventListener('input', list.update);

	function update() {
		card.querySelector('h2 .count').textContent = count(data.writers.length);
		list.update();
	}

	return { node: card, update };
}
