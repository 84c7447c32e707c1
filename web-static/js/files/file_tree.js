/* The tree of a run's files; a search shows what it finds. */

import { el } from '../base/dom.js';
import { bytes, count } from '../base/format.js';
import { text } from '../text/files.js';
import { field, iconButton } from '../ui/controls.js';
import { foldersOf, matching, rowsOf, treeOf } from './tree.js';
import { treeGrid } from './tree_grid.js';

const words = text.files;
const ALL_OPEN = 200; /* files up to which every folder begins open */

/* onpick(path) is called when a file is chosen. {node, show(files), choose(path), stop} */
export function fileTree({ onpick, onagain }) {
	const flipped = new Map(); /* folder: whether it is open, where that is no longer as it began */
	const counted = el('p', { class: 'file-count', role: 'status' });
	const search = field('search', words.find, { look: 'slim', oninput: render });
	const grid = treeGrid({ label: words.tree, onpick: ({ path }) => onpick(path),
		onflip({ path }, wanted) {
			flipped.set(path, wanted);
			render();
		} });
	let files = [];

	function isOpen(path) {
		return Boolean(search.control.value.trim()) || (flipped.get(path) ?? files.length <= ALL_OPEN);
	}

	function countText(found) {
		if (!files.length) return words.none;
		if (!found.length) return words.noMatch;
		if (found.length < files.length) return words.found(count(found.length), count(files.length));
		return words.total(count(files.length), bytes(files.reduce((sum, file) => sum + file.bytes, 0)));
	}

	function render() {
		const found = matching(files, search.control.value);
		grid.show(rowsOf(treeOf(found), isOpen));
		counted.textContent = countText(found);
	}

	return {
		node: el('div', { class: 'files-side' },
			el('div', { class: 'files-top' }, search, iconButton('replaced', words.again, { onclick: onagain })), counted, grid.node),
		show(next) {
			files = next;
			render();
		},
		/* The folders that lead to it open. */
		choose(path) {
			for (const folder of path ? foldersOf(path) : []) flipped.set(folder, true);
			render();
			grid.choose(path);
		},
		stop: grid.stop,
	};
}
