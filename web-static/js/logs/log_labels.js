/*
 * The labels of a run: each is shown or hidden by a click, Alt+click shows only it. Many are windowed. Who hides one
 * of a few names what is hidden, who shows few what is shown: the address stays short.
 */

import { el, replace } from '../base/dom.js';
import { matcher } from '../base/label_matcher.js';
import { labelSlots } from '../base/label_slots.js';
import { decoded, encoded, listOf, listText } from '../base/query_text.js';
import { HUES } from '../base/slot.js';
import { text } from '../text/logs.js';
import { field } from '../ui/controls.js';
import { hasIcon, icon } from '../ui/icons.js';

const words = text.logs;
const ROW_PX = 24;
const WINDOWED = 200;
const ODD = ['lost', 'late'];
const byName = new Intl.Collator('en', { numeric: true });

function short(n) {
	if (n < 10000) return n.toLocaleString('en-US');
	return n < 1e6 ? `${Math.round(n / 1000)}k` : `${(n / 1e6).toFixed(2)}M`;
}

/* [{label, writers, lines, errors, state, slot}], by name, rank2 before rank10. Tallies are of the density. */
export function gather(writers, tallies) {
	const rows = new Map();
	const slotOf = labelSlots(writers);
	const row = (label) => {
		if (!rows.has(label)) rows.set(label,
			{ label, host: '', writers: [], lines: 0, errors: 0, state: '', slot: slotOf(label) % HUES });
		return rows.get(label);
	};
	for (const writer of writers) {
		const one = row(writer.label);
		one.writers.push(writer.number);
		one.host ||= writer.host || '';
		one.state = ODD.includes(writer.state) ? writer.state : one.state || writer.state;
	}
	for (const tally of tallies) {
		const one = row(tally.label);
		if (!one.writers.includes(tally.writer)) one.writers.push(tally.writer);
		one.lines += tally.lines;
		one.errors += tally.errors;
	}
	return [...rows.values()].sort((a, b) => byName.compare(a.label, b.label));
}

/* '0-33,40' */
export function spans(numbers) {
	const made = [];
	for (const n of [...numbers].sort((a, b) => a - b)) {
		const last = made.at(-1);
		if (last && n <= last[1] + 1) last[1] = n;
		else made.push([n, n]);
	}
	return made.map(([from, to]) => from === to ? from : `${from}-${to}`).join(',');
}

/*
 * 'rank27:4711', line 4711 of the first writer with that label; 'rank27:34.4711' is the one of writer 34, who came
 * later. A label may have colons.
 */
export function placeOf(value) {
	const [, label, writer, line] = value?.match(/^(.+):(?:(\d+)\.)?(\d+)$/s) ?? [];
	return line === undefined ? null : { label, line: Number(line), writer: writer === undefined ? null : Number(writer) };
}

export function placeText({ label, line, writer }, rows) {
	const first = Math.min(...rows.find((row) => row.label === label)?.writers ?? [writer]);
	return writer > first ? `${label}:${writer}.${line}` : `${label}:${line}`;
}

/* Which are hidden, of what the address says: 'a,b' only these, '-a,-b' all but these, '-' all. */
export function hiddenOf(value, labels) {
	if (!value) return new Set();
	if (value === '-') return new Set(labels);
	const names = listOf(value).map((name) => [name.startsWith('-'), decoded(name.replace(/^-/, ''))]);
	const isBut = names[0]?.[0] ?? true;
	const named = new Set(names.map(([, name]) => name));
	return new Set(labels.filter((label) => named.has(label) === isBut));
}

export function valueOf(hidden, labels) {
	if (!hidden.size) return null;
	const shown = labels.filter((label) => !hidden.has(label));
	if (!shown.length) return '-';
	if (shown.length <= hidden.size) return listText(shown.map(encoded));
	return listText([...hidden].map((label) => `-${encoded(label)}`));
}

function rowNode(row, isHidden, onclick) {
	return el('button', { type: 'button', class: 'label-row', 'aria-pressed': String(!isHidden),
		title: words.labelHint(row.label), onclick },
		el('i', { style: { background: `var(--s${row.slot + 1})` } }), el('span', { class: 'clip' }, row.label),
		ODD.includes(row.state) && hasIcon(row.state)
			&& el('span', { class: `state ${row.state}` }, icon(row.state, row.state)),
		row.errors > 0 && el('span', { class: 'bad-count', title: words.errors(row.errors.toLocaleString('en-US')) },
			short(row.errors)),
		el('span', { class: 'grow' }),
			el('span', { class: 'count', title: row.lines.toLocaleString('en-US') }, short(row.lines)));
}

/* Above so many that no list can be looked through, each host has a line that shows or hides all of it. */
function byHost(rows) {
	const hosts = new Map();
	for (const row of rows) {
		if (!hosts.has(row.host)) hosts.set(row.host, []);
		hosts.get(row.host).push(row);
	}
	if (rows.length <= WINDOWED || hosts.size < 2) return rows;
	return [...hosts].flatMap(([host, of]) => [{ host, of }, ...of]);
}

function hostNode({ host, of }, hidden, onclick) {
	const shown = of.filter((row) => !hidden.has(row.label)).length;
	return el('button', { type: 'button', class: 'label-row host',
		'aria-pressed': shown === of.length ? 'true' : shown ? 'mixed' : 'false', onclick },
		el('b', { class: 'clip' }, el('bdi', {}, host || words.noHost)), el('span', { class: 'grow' }),
			el('span', { class: 'count' }, short(of.length)));
}

/* onchange(hidden) with the set of labels that are hidden now. */
export function logLabels(onchange) {
	let rows = [];
	let hidden = new Set();
	let drawn = '';
	const inner = el('div', { class: 'label-rows' });
	const list = el('div', { class: 'scroll label-list', role: 'group', 'aria-label': words.labels }, inner);
	const search = field('search', words.findLabel, { look: 'slim', oninput: draw });
	const find = search.querySelector('input');
	const node = el('aside', { class: 'labels', 'aria-label': words.labels },
		el('div', { class: 'labels-head' }, el('h2', {}, words.labels), el('span', { class: 'grow' }),
			el('button', { type: 'button', class: 'btn small plain', onclick: () => setAll(true) }, words.all),
			el('button', { type: 'button', class: 'btn small plain', onclick: () => setAll(false) }, words.no)), search, list);

	const found = () => find.value.trim() ? rows.filter((row) => matcher(find.value)(row.label)) : rows;

	function set(next) {
		hidden = next;
		draw();
		onchange(hidden);
	}

	/* All or none of those that the field finds. */
	function setAll(isShown) {
		const next = new Set(hidden);
		for (const row of found()) {
			if (isShown) next.delete(row.label);
			else next.add(row.label);
		}
		set(next);
	}

	function click(row, event) {
		const next = new Set(hidden);
		if (event.altKey) return set(new Set(rows.map((one) => one.label).filter((label) => label !== row.label)));
		if (!next.delete(row.label)) next.add(row.label);
		return set(next);
	}

	/* Shows all of a host, or hides them when all are shown. */
	function flipHost({ of }) {
		const next = new Set(hidden);
		const isShown = of.every((row) => !hidden.has(row.label));
		for (const row of of) {
			if (isShown) next.add(row.label);
			else next.delete(row.label);
		}
		set(next);
	}

	function draw() {
		const all = byHost(found());
		const isWindowed = all.length > WINDOWED;
		const first = isWindowed ? Math.max(0, Math.floor(list.scrollTop / ROW_PX) - 20) : 0;
		const last = isWindowed ? first + Math.ceil((list.clientHeight || 800) / ROW_PX) + 40 : all.length;
		const essence = JSON.stringify([all.slice(first, last), [...hidden], first]);
		if (essence === drawn) return;
		drawn = essence;
		const at = [...inner.children].indexOf(document.activeElement);
		inner.style.setProperty('padding-top', `${first * ROW_PX}px`);
		inner.style.setProperty('padding-bottom', `${Math.max(0, all.length - last) * ROW_PX}px`);
		replace(inner, all.slice(first, last).map((row) => row.of ? hostNode(row, hidden, () => flipHost(row))
			: rowNode(row, hidden.has(row.label), (event) => click(row, event))),
			!all.length && rows.length > 0 && el('p', { class: 'muted' }, words.noLabel));
		if (at >= 0) inner.children[at]?.focus();
	}

	list.addEventListener('scroll', draw, { passive: true });
	return {
		node,
		show(nextRows, nextHidden) {
			rows = nextRows;
			hidden = nextHidden;
			draw();
		},
	};
}
