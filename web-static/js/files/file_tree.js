/* The tree of a run's files, of which only what is seen is drawn; arrows walk it, a search shows what it finds. */

import { el } from '../base/dom.js';
import { bytes, count } from '../base/format.js';
import { visibleName } from '../base/visible.js';
import { text } from '../text/files.js';
import { field, iconButton } from '../ui/controls.js';
import { icon } from '../ui/icons.js';
import { lookHeight, virtualList } from '../ui/virtual_list.js';
import { foldersOf, matching, rowsOf, treeOf } from './tree.js';

const words = text.files;
const ALL_OPEN = 200; /* files up to which every folder begins open */
const PAGE = 12;

/* onpick(path) is called when a file is chosen. {node, show(files), choose(path), stop} */
export function fileTree({ onpick, onagain }) {
	const flipped = new Map(); /* folder: whether it is open, where that is no longer as it began */
	const counted = el('p', { class: 'file-count', role: 'status' });
	const grid = el('div',
		{ class: 'scroll file-tree', role: 'treegrid', 'aria-label': words.tree, 'data-scroll': 'files' });
	const list = virtualList({ scroller: grid, rowHeight: lookHeight, draw });
	const search = field('search', words.find, { look: 'slim', oninput: render });
	let files = [];
	let rows = [];
	let chosen = null;
	let current = 0;

	function isOpen(path) {
		return Boolean(search.control.value.trim()) || (flipped.get(path) ?? files.length <= ALL_OPEN);
	}

	function draw(index) {
		const row = rows[index];
		const isFolder = row.kind === 'folder';
		return el('div', { class: `file-item ${row.kind}`, role: 'row', tabindex: index === current ? 0 : -1,
			style: { '--depth': row.depth },
			'aria-level': row.depth + 1, 'aria-rowindex': index + 1, 'aria-expanded': isFolder ? String(row.isOpen) : null,
			'aria-selected': isFolder ? null : String(row.path === chosen), title: visibleName(row.path), onclick: () => act(index) },
		el('span', { class: 'name', role: 'gridcell' }, isFolder && icon(row.isOpen ? 'down' : 'right'),
			el('bdi', { class: 'clip' }, visibleName(row.item.name)), isFolder && el('span', { class: 'count' }, count(row.item.count))),
		el('span', { class: 'size', role: 'gridcell' }, bytes(row.item.bytes)));
	}

	function countText(found) {
		if (!files.length) return words.none;
		if (!found.length) return words.noMatch;
		if (found.length < files.length) return words.found(count(found.length), count(files.length));
		return words.total(count(files.length), bytes(files.reduce((sum, file) => sum + file.bytes, 0)));
	}

	function render() {
		const found = matching(files, search.control.value);
		const at = rows[current]?.path;
		rows = rowsOf(treeOf(found), isOpen);
		current = Math.max(0, rows.findIndex((row) => row.path === at));
		grid.setAttribute('aria-rowcount', String(rows.length));
		list.setCount(rows.length);
		counted.textContent = countText(found);
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
		flipped.set(row.path, wanted);
		render();
		return true;
	}

	function act(index) {
		const row = rows[index];
		moveTo(index);
		if (row.kind === 'folder') flip(index, !row.isOpen);
		else onpick(row.path);
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
		node: el('div', { class: 'files-side' },
			el('div', { class: 'files-top' }, search, iconButton('replaced', words.again, { onclick: onagain })), counted, grid),
		show(next) {
			files = next;
			render();
		},
		/* The folders that lead to it open. */
		choose(path) {
			chosen = path;
			for (const folder of path ? foldersOf(path) : []) flipped.set(folder, true);
			render();
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
