/* Keys as rows, runs as columns, of which only the rows that are seen are drawn. The first run is the baseline. */

import { hrefOf } from '../address.js';
import { focusRun } from '../chart/focus.js';
import { el, renew, replace } from '../dom.js';
import { count, number } from '../format.js';
import { icon } from '../icons.js';
import { iconButton, menu } from '../parts/controls.js';
import { nameOf, swatchOf } from '../parts/run_row.js';
import { stateBadge } from '../parts/state_badge.js';
import { lookHeight, virtualList } from '../parts/virtual_list.js';
import { table } from '../run/card.js';
import { text } from '../text.js';
import { bestOf, changeOf, isSame, judged, listOf, plain } from './model.js';

const words = text.compare;
const LETTERS = 200; /* shown of a value */
const WHOLE = 2000; /* shown of it on hover */
const FLIPPED = 100; /* keys as columns */

/* Configs as they were written, metrics by four digits. */
function shown(value, section) {
	if (typeof value === 'number' && section === 'summary') return number(value);
	return plain(value).slice(0, LETTERS);
}

function changeText(change, kind) {
	const signed = (value, end) => `${value > 0 ? '+' : '−'}${number(Math.abs(value))}${end}`;
	if (kind === 'relative' && change.relative !== null) return signed(Math.round(change.relative * 1000) / 10, ' %');
	return signed(change.absolute, '');
}

function changeNode(change, { direction }, kind) {
	if (!change?.absolute || kind === 'off') return null;
	const judgement = judged(change, direction);
	return el('span', { class: `change ${judgement}`.trim(), title: judgement ? words[judgement] : null }, changeText(change, kind));
}

function valueParts(row, at, section, kind) {
	const value = row.values[at];
	if (value === undefined) return el('span', { class: 'muted' }, words.notSet);
	const isBest = bestOf(row).includes(at);
	return [el(isBest ? 'strong' : 'span', {}, el('bdi', {}, shown(value, section))),
		at > 0 && changeNode(changeOf(value, row.values[0]), row, kind)];
}

function isOther(row, at) {
	return at > 0 && !isSame(row.values[at], row.values[0]);
}

/* act: {pin(key), fold(section), base(id), remove(id), diff(run)} */
export function compareTable({ entity, project }, act) {
	const head = el('div', { class: 'compare-head', role: 'rowgroup' });
	const scroller = el('div', { class: 'scroll compare-table', role: 'table', tabindex: 0, 'aria-label': words.table,
		'data-scroll': 'compare' }, head);
	const list = virtualList({ scroller, rowHeight: lookHeight, draw, most: 80 });
	let flippedParts = el('div', {});
	const flipped = el('div', { class: 'scroll compare-flipped', hidden: true }, flippedParts);
	let now = { runs: [], rows: [], shown: [], view: {} };

	function menuOf(run, at) {
		const why = at === 0 ? words.isBase : undefined;
		return [
			{ label: words.open, href: hrefOf(entity, project, 'runs', run.id) },
			{ label: words.makeBase, name: 'pin', key: 'b', why, onpick: () => act.base(run.id) },
			{ label: words.diff, why, onpick: () => act.diff(run) },
			null,
			{ label: words.remove, name: 'close', onpick: () => act.remove(run.id) },
		];
	}

	function title(run, at) {
		return [el('span', { class: 'line' }, swatchOf(run),
			el('a', { class: 'clip', href: hrefOf(entity, project, 'runs', run.id), title: nameOf(run) }, el('bdi', {}, nameOf(run)))),
		el('span', { class: 'line' }, stateBadge(run.state),
			at === 0 && el('span', { class: 'base', title: words.baseline }, icon('pin', words.baseline)), el('span', { class: 'grow' }),
			menu(iconButton('more', words.menuOf(nameOf(run)), { class: 'ibtn small' }), () => menuOf(run, at)))];
	}

	function pinButton({ key }) {
		const isPinned = now.view.pins.includes(key);
		const label = isPinned ? words.unpin(key) : words.pin(key);
		return el('button', { type: 'button', class: 'pin', 'aria-pressed': String(isPinned), 'aria-label': label, title: label,
			onclick: () => act.pin(key) }, icon('pin'));
	}

	function keyName({ key }) {
		const cut = Math.max(key.lastIndexOf('.'), key.lastIndexOf('/')) + 1;
		return el('bdi', { class: 'clip', title: key }, el('span', { class: 'muted' }, key.slice(0, cut)), key.slice(cut));
	}

	function sectionNode({ id, differ, same }) {
		const isOpen = !now.folded.has(id);
		return el('div', { class: 'compare-row section', role: 'row' }, el('span', { role: 'rowheader' },
			el('button', { type: 'button', class: 'fold', 'aria-expanded': String(isOpen), onclick: () => act.fold(id) },
				icon(isOpen ? 'down' : 'right'), words.sections[id]),
			el('span', { class: 'count' }, now.waiting.has(id) ? words.reading : words.counts(count(differ), count(same)))));
	}

	function cell(row, at, section) {
		const value = row.values[at];
		return el('span', { class: `cell ${isOther(row, at) ? 'differs' : ''}`.trim(), role: 'cell', 'data-run': now.runs[at].id,
			title: value === undefined ? null : plain(value).slice(0, WHOLE) }, valueParts(row, at, section, now.view.change));
	}

	function draw(index) {
		const item = now.rows[index];
		if (item.kind === 'section') return sectionNode(item.section);
		const { row, section } = item;
		return el('div', { class: 'compare-row', role: 'row', 'aria-rowindex': index + 2 },
			el('span', { class: 'key', role: 'rowheader' }, keyName(row), section === 'summary' && pinButton(row)),
			row.values.map((_, at) => cell(row, at, section)));
	}

	function drawFlipped() {
		const all = now.shown.flatMap(({ id, rows }) => rows.map((row) => ({ id, row })));
		const some = all.slice(0, FLIPPED);
		flippedParts = renew(flippedParts, el('div', {},
			all.length > FLIPPED && el('p', { class: 'note' }, words.flipped(count(FLIPPED), count(all.length))),
			table(words.table, [[words.run], ...some.map(({ row }) => [row.key])], now.runs.map((run, at) => el('tr', { 'data-run': run.id },
				el('th', { scope: 'row' }, title(run, at)),
				some.map(({ id, row }) => el('td', { class: isOther(row, at) ? 'differs' : null },
					valueParts(row, at, id, now.view.change))))))));
	}

	/* The heads keep what has the focus as long as they are the same. */
	function drawHead() {
		const next = el('div', { class: 'compare-row heads', role: 'row' }, el('span', { class: 'key', role: 'columnheader' }, words.key),
			now.runs.map((run, at) => el('span', { class: 'cell', role: 'columnheader', 'data-run': run.id }, title(run, at))));
		const essence = JSON.stringify(now.runs.map((run) => [run.id, nameOf(run), run.state, run.color]));
		if (head.dataset.essence === essence) return;
		head.dataset.essence = essence;
		replace(head, next);
	}

	scroller.append(list.node);
	for (const node of [scroller, flipped]) {
		node.addEventListener('pointerover', (event) => focusRun(event.target.closest('[data-run]')?.dataset.run ?? null));
		node.addEventListener('pointerleave', () => focusRun(null));
	}
	return {
		node: el('div', { class: 'compare-tables' }, scroller, flipped),
		/* {runs, shown, view, folded, waiting}; of sections that wait something is still being read. */
		update(next) {
			now = { ...next, rows: listOf(next.shown, next.folded) };
			scroller.hidden = next.view.isFlipped;
			flipped.hidden = !next.view.isFlipped;
			scroller.style.setProperty('--runs', String(now.runs.length));
			scroller.setAttribute('aria-rowcount', String(now.rows.length + 1));
			drawHead();
			list.setCount(now.rows.length);
			if (next.view.isFlipped) drawFlipped();
		},
		stop() {
			focusRun(null);
			list.stop();
		},
	};
}
