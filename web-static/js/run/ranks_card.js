/*
 * Ranks over time: how far each label's value is from the middle of all labels. Who is like the others is blank, so
 * only slow, fast and silent labels are seen. With many labels those of a host are one row, which opens.
 */

import { arrange, el, renew } from '../base/dom.js';
import { count } from '../base/format.js';
import { visible } from '../base/visible.js';
import { fullScale, percent, reachOf } from '../chart/data/ratio_scale.js';
import { heatKey, paintStrip, ratioTone, rowHeight, valueTone } from '../chart/kinds/heat_strip.js';
import { folded, oddRows } from '../chart/kinds/ranks.js';
import { stripHover } from '../chart/kinds/strip_hover.js';
import { text as common } from '../text/common.js';
import { text } from '../text/writers.js';
import { keyField } from '../ui/key_field.js';
import { segmented } from '../ui/segmented.js';
import { countedCard } from './card.js';
import { clockTicks, tickNode } from './clock_ticks.js';
import { stripHand } from './strip_hand.js';
import { stripMoment } from './strip_moment.js';

const words = text.runRanks;
const FOLD_ABOVE = 300;
const NOTE_PX = 12;
const HOST_PX = 24; /* of a row whose host opens: a target */
const HOSTS_HIGH = 64;

function noteWords(odd) {
	return odd.state ? words.odd[odd.state](odd.label, odd.more) : words.differs(odd.label, percent(odd.percent));
}

/* Names are at their rows, or just below the one before. */
function notes(odd, high) {
	let free = 0;
	return el('div', { class: 'heat-notes', 'aria-hidden': 'true' }, odd.map((one) => {
		const top = Math.max(free, one.index * high + high / 2 - NOTE_PX / 2);
		free = top + NOTE_PX;
		return el('span', { class: one.state !== 'late' && 'bad', style: { top: `${top}px` }, title: noteWords(one) },
			noteWords(one));
	}));
}

function hostGroups(rows) {
	const groups = [];
	for (const row of rows) {
		const last = groups[groups.length - 1];
		if (last && last.host === row.host) last.rows.push(row);
		else groups.push({ host: row.host, rows: [row] });
	}
	return groups;
}

function span(rows) {
	return rows.length === 1 ? rows[0].label : words.span(rows[0].label, rows[rows.length - 1].label);
}

const areMany = (rows) => hostGroups(rows).length > HOSTS_HIGH;

/* Returns the height of rows. Rows that open by host are high enough to be clicked, unless there are too many. */
function heightOf(rows, fold) {
	return fold && !areMany(rows) ? HOST_PX : rowHeight(rows.length);
}

/* By the name of a host, where its row is too low to be hit. */
function hostField(hosts, { open, turn }) {
	const hints = { get: (host) => open.has(host) ? words.isOpen : undefined };
	const choice = keyField(hosts, '', (host) => {
		choice.querySelector('input').value = '';
		choice.choose('');
		turn(host);
	}, words.host, hints);
	return el('div', { class: 'note' }, choice);
}

/* Hosts next to their rows; of labels without hosts, or one to a host, the labels themselves as far as they fit. */
function scale(rows, high, fold) {
	const groups = hostGroups(rows);
	const isByHost = groups.some((group) => group.host && group.rows.length > 1) || fold;
	if (!isByHost && high < 11) return null;
	return el('div', { class: 'heat-hosts' }, (isByHost ? groups : rows.map((row) => ({ host: row.label, rows: [row] }))).map((group) => {
		const tall = group.rows.length * high;
		const name = fold && group.host ? el('button', { type: 'button', class: 'link', 'data-key': `host-${group.host}`,
			'aria-expanded': String(fold.open.has(group.host)), onclick: () => fold.turn(group.host) }, group.host)
				: group.host || words.noHost;
		return el('span', { style: { height: `${tall}px` }, title: `${group.host} ${span(group.rows)}` },
			tall >= 11 && el('b', {}, name), tall >= 28 && isByHost && el('small', {}, span(group.rows)));
	}));
}

function extremes(sheet) {
	let least = Infinity;
	let greatest = -Infinity;
	for (const row of sheet.rows) {
		for (const value of row.cells) {
			if (value < least) least = value;
			if (value > greatest) greatest = value;
		}
	}
	return [least, greatest];
}

/* {tone, from, to, ramp}: how cells are coloured, and what the ends of the scale are. */
function colours(sheet, kind) {
	if (kind === 'value') {
		const [least, greatest] = extremes(sheet);
		return { tone: valueTone(least, greatest, sheet.wide), from: sheet.say(least), to: sheet.say(greatest), ramp: 'use' };
	}
	const full = fullScale(sheet);
	const { side } = sheet;
	return { tone: ratioTone(sheet.middle, full, side, reachOf(sheet)), from: percent(-100 * full),
		to: percent(100 * full), ramp: side };
}

/* labels: how many, where some are one row. */
function summary(sheet, odd, labels) {
	const named = odd.slice(0, 8).map(noteWords).join('; ') || words.allAlike;
	return words.strip(sheet.name, count(labels), named, odd.length > 8 ? count(odd.length - 8) : '');
}

function clockOf(times) {
	return el('div', { class: 'state-clock heat-clock', 'aria-hidden': 'true' },
		clockTicks(times[0] * 1000, times[1] * 1000,
			innerWidth < 900 ? 3 : 7).map(tickNode));
}

/* Replaces `old`, which is in the page or null, but keeps it where it is if it looks the same. */
function again(old, now) {
	return old?.isConnected && now ? renew(old, now) : now;
}

/*
 * measures: of measures.js; address: of the run; looked(): {moment, span} in seconds. {node, update(sheet, states),
 * choose(measure), mark(), stop}; asks for another by onmeasure, and for what is picked by take.
 */
export function ranksCard(measures, { chosen, onmeasure, address, looked, take }) {
	const body = el('div');
	const open = new Set();
	const named = new Map(measures.map((one) => [one.name, one]));
	const picker = keyField([...named.keys()], chosen.name, (name) => onmeasure(named.get(name)), common.keyPicker.key,
		new Map(measures.map((one) => [one.name, one.hint])));
	const kinds = segmented(words.scale, [['ratio', words.ratio], ['value', words.value]], 'ratio', (kind) => {
		state.kind = kind;
		draw();
	});
	const node = countedCard(words.name, words.how, [picker, kinds], body);
	const state = { kind: 'ratio', sheet: null, states: new Map() };
	const watch = new ResizeObserver(() => paint());
	const canvas = el('canvas', { class: 'heat', role: 'img' });
	const shown = () => ({ sheet: painted, high });
	const place = stripHover(canvas, shown);
	const hand = stripHand(place, { shown, looked, take });
	const picked = stripMoment(address);
	const box = el('div', { class: 'heat-box' });
	const grow = el('div', { class: 'grow' });
	const wrap = el('div', { class: 'heat-wrap' });
	let parts = {};
	let byName = { hosts: '', node: null }; /* the field of hosts, and those that it knows */
	let painted = null;
	let high = 0;
	node.classList.add('ranks');
	node.append(picked.node);

	function paint() {
		if (!painted || !canvas.clientWidth) return;
		paintStrip(canvas, painted.rows, painted.wide, colours(painted, state.kind).tone, high);
	}

	function shownSheet() {
		const hosts = new Set(state.sheet.rows.map((row) => row.host));
		const isFolded = state.sheet.rows.length > FOLD_ABOVE && hosts.size > 1;
		const fold = isFolded && { open, turn: (host) => {
			if (!open.delete(host)) open.add(host);
			draw();
		} };
		return { sheet: isFolded ? folded(state.sheet, open) : state.sheet, fold };
	}

	/* Returns the field of hosts. It is kept while the hosts are the same, because the user may be typing in it. */
	function hostNode(rows, fold) {
		if (!fold || !areMany(rows)) return null;
		const hosts = [...new Set(rows.map(({ host }) => host).filter(Boolean))];
		if (byName.hosts !== String(hosts)) byName = { hosts: String(hosts), node: hostField(hosts, fold) };
		return byName.node;
	}

	function draw() {
		const { sheet, fold } = shownSheet();
		const odd = oddRows(sheet, state.states);
		high = heightOf(sheet.rows, fold);
		painted = sheet;
		canvas.style.setProperty('height', `${sheet.rows.length * high}px`);
		canvas.setAttribute('aria-label', visible(summary(sheet, odd, state.sheet.rows.length)));
		parts = { scale: again(parts.scale, scale(sheet.rows, high, fold)), notes: again(parts.notes, notes(odd, high)),
			clock: again(parts.clock, clockOf(sheet.times)),
			key: again(parts.key, heatKey(colours(sheet, state.kind), common.strip.silent)) };
		arrange(box, [place, parts.notes]);
		arrange(grow, [box, parts.clock]);
		arrange(wrap, [parts.scale, grow].filter(Boolean));
		arrange(body, [hostNode(sheet.rows, fold), wrap, parts.key].filter(Boolean));
		paint();
		hand.update();
	}

	function update(sheet, states) {
		Object.assign(state, { sheet, states });
		if (sheet.rows.length > 1 && sheet.wide) return draw();
		painted = null;
		const none = looked().span ? text.runMoment.nothing : words.tooFew(sheet.name);
		return arrange(body, [el('p', { class: 'note' }, sheet.fault || none)]);
	}

	/* Something else is picked. */
	function mark() {
		picked.update(looked());
		if (painted) hand.update();
	}

	function stop() {
		watch.disconnect();
		removeEventListener('theme', paint);
	}

	watch.observe(canvas);
	addEventListener('theme', paint);
	mark();
	return { node, update, mark, stop, choose: (measure) => picker.choose(measure.name) };
}
