/* All writers, searched and sorted; a row opens what is known of that one and its last lines. */

import { el, replace } from '../dom.js';
import { count } from '../format.js';
import { deviceOf } from './facts.js';
import { moment } from '../moments.js';
import { button, field, menu } from '../parts/controls.js';
import { icon } from '../icons.js';
import { later } from '../parts/later.js';
import { text } from '../text.js';
import { countedCard } from './card.js';
import { redrawn } from '../parts/redrawn.js';
import { lastLinesOf, linesNode } from './last_lines.js';
import { byConcern, byLabel } from './writer_order.js';
import { stateTable } from './timeline.js';
import { writerTable } from './writer_table.js';

const words = text.runWriters;
const SHOWN = 300;
const act = later(() => import('../parts/late_dialogs.js'));

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

function fact(name, value) {
	return value === null || value === '' ? null : [el('dt', {}, name), el('dd', {}, el('bdi', {}, value))];
}

function facts(writer, config) {
	const of = words.facts;
	return el('dl', { class: 'writer-facts' }, fact(of.client, writer.client), fact(of.parent, writer.parent),
		fact(of.joined, moment(writer.joined_at)), fact(of.data, writer.data_at && moment(writer.data_at)),
		fact(of.heard, moment(writer.heard_at)), fact(of.ended, writer.ended_at && moment(writer.ended_at)),
		fact(of.exit, writer.exit_code), fact(of.attempt, writer.attempt),
		fact(of.session, words.session(count(writer.session), count(writer.batch))),
			fact(of.events, count(writer.event_rows)),
		fact(of.version, writer.client_version), fact(of.device, deviceOf(writer, config)),
		writer.repeats > 0 && fact(of.repeats, words.repeats(count(writer.repeats))),
			writer.gaps > 0 && fact(of.gaps, words.gaps(count(writer.gaps))));
}

function readLines(data, writer) {
	const lines = el('div', {}, el('p', { class: 'muted' }, words.reading));
	lastLinesOf(data, writer.label).then((items) => replace(lines,
		items.length ? linesNode(items, words.lastLines(writer.label)) : el('p', { class: 'muted' }, words.noLines)));
	return lines;
}

/* Its lines are read once, when it is opened. */
function opened(data, writer, lines) {
	const changes = data.states.filter((change) => change.writer === writer.number);
	return el('div', { class: 'writer-more' }, facts(writer, data.config),
		data.mayWrite && writer.shown === 'lost'
			&& el('p', {}, button(words.end, { look: 'danger small', 'data-key': `end-${writer.number}`,
			onclick: () => act('endWriter', data, writer) })),
		changes.length > 0 && stateTable(changes), lines);
}

export function writersList(data, slowOf) {
	const open = new Map();
	let order = 'concern';
	const search = field('search', words.search, { look: 'slim' });
	const input = search.querySelector('input');
	const sorter = button([words.sort, ' ', el('b', {}, words.orders.concern), icon('down')], {});

	function turn(writer) {
		if (!open.delete(writer.number)) open.set(writer.number, readLines(data, writer));
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
				body: (writer) => opened(data, writer, open.get(writer.number)) } }) : el('p', { class: 'note' }, words.noMatch),
		more > 0 && el('p', { class: 'note' }, words.moreWriters(count(more)))];
	}

	const list = redrawn(() => [data.look().writers, [...data.rates], input.value, order, [...open.keys()],
		open.size > 0 && [data.states.length, data.mayWrite]], draw);
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
