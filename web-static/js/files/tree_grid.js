/* A tree of which only the rows in view are drawn; arrows walk it. Its owner says which rows there are. */

import { el } from '../base/dom.js';
import { bytes, count } from '../base/format.js';
import { visibleName } from '../base/visible.js';
import { icon } from '../ui/icons.js';
import { lookHeight, virtualList } from '../ui/virtual_list.js';

const PAGE = 12;

/*
 * onflip(row, wanted) opens or closes a folder, onpick(row) is called for a row of another kind.
 * {node, show(rows), choose(path), stop}; rows: {kind: 'folder', 'file' or 'other', depth, path, isOpen?, item: {name, count?, bytes?}}
 * from top to bottom.
 */
export function treeGrid({ label, onflip, onpick }) {
	const grid = el('div', { class: 'scroll file-tree', role: 'treegrid', 'aria-label': label, 'data-scroll': 'files' });
	const list = virtualList({ scroller: grid, rowHeight: lookHeight, draw });
	let rows = [];
	let chosen = null;
	let current = 0;

	function draw(index) {
		const { kind, depth, path, item, isOpen } = rows[index];
		const isFolder = kind === 'folder';
		return el('div', { class: `file-item ${kind}`, role: 'row', tabindex: index === current ? 0 : -1, style: { '--depth': depth },
			'aria-level': depth + 1, 'aria-rowindex': index + 1, 'aria-expanded': isFolder ? String(isOpen) : null,
			'aria-selected': kind === 'file' ? String(path === chosen) : null, title: kind === 'other' ? null : visibleName(path),
			onclick: () => act(index) },
		el('span', { class: 'name', role: 'gridcell' }, isFolder && icon(isOpen ? 'down' : 'right'),
			el('bdi', { class: 'clip' }, visibleName(item.name)), isFolder && el('span', { class: 'count' }, count(item.count))),
		el('span', { class: 'size', role: 'gridcell' }, item.bytes === undefined ? '' : bytes(item.bytes)));
	}

	function show(next) {
		const at = rows[current]?.path;
		rows = next;
		current = Math.max(0, rows.findIndex((row) => row.path === at));
		grid.setAttribute('aria-rowcount', String(rows.length));
		list.setCount(rows.length);
	}

	function moveTo(index) {
		const before = current;
		current = Math.max(0, Math.min(index, rows.length - 1));
		list.redraw([before, current]);
		list.show(current)?.focus({ preventScroll: true });
	}

	function flip(index, wanted) {
		const row = rows[index];
		if (row.kind !== 'folder' || row.isOpen === wanted) return false;
		onflip(row, wanted);
		return true;
	}

	function act(index) {
		const row = rows[index];
		moveTo(index);
		if (row.kind === 'folder') flip(index, !row.isOpen);
		else onpick(row);
	}

	function inward() {
		const row = rows[current];
		if (row.kind === 'folder' && !flip(current, true)) moveTo(current + 1);
	}

	/* An open folder closes; from anything else one goes to the folder that it is in. */
	function outward() {
		const { depth } = rows[current];
		if (flip(current, false)) return;
		for (let at = current; at >= 0; at--) if (rows[at].depth < depth) return void moveTo(at);
	}

	const moves = {
		ArrowDown: () => moveTo(current + 1),
		ArrowUp: () => moveTo(current - 1),
		Home: () => moveTo(0),
		End: () => moveTo(rows.length - 1),
		PageDown: () => moveTo(current + PAGE),
		PageUp: () => moveTo(current - PAGE),
		ArrowRight: inward,
		ArrowLeft: outward,
		Enter: () => act(current),
		' ': () => act(current),
	};

	grid.addEventListener('keydown', (event) => {
		if (!rows.length || !Object.hasOwn(moves, event.key) || event.ctrlKey || event.metaKey || event.altKey) return;
		event.preventDefault();
		moves[event.key]();
	});
	/* While the current row is scrolled out, one comes to it by the tree itself. */
	function keepStop() {
		if (grid.querySelector('[role=row][tabindex="0"]') || !rows.length) grid.removeAttribute('tabindex');
		else grid.tabIndex = 0;
	}

	grid.addEventListener('scroll', () => requestAnimationFrame(() => requestAnimationFrame(keepStop)), { passive: true });
	grid.addEventListener('focus', () => grid.matches(':focus-visible') && moveTo(current));
	grid.append(list.node);

	return {
		node: grid,
		show,
		choose(path) {
			chosen = path;
			const at = rows.findIndex((row) => row.kind === 'file' && row.path === path);
			if (at >= 0) {
				current = at;
				list.show(at);
			}
			list.redraw();
		},
		stop: list.stop,
	};
}
