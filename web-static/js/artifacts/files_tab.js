/* The files of a version: a tree at the left, read a folder a request; the one that the address names (`file`) at the right. */

import { Folders } from './folders.js';
import { ask } from '../api.js';
import { el, setText } from '../base/dom.js';
import { bytes } from '../base/format.js';
import { filePreview } from '../files/preview.js';
import { treeGrid } from '../files/tree_grid.js';
import { onQuery, query, setQuery } from '../router.js';
import { text } from '../text/artifacts.js';
import { text as common } from '../text/common.js';
import { field } from '../ui/controls.js';
import { split } from '../ui/split.js';

const words = text.artifact.files;
const PAGE = 1000;
const PAUSE_MS = 250;
const SPLIT = { stored: 'cairn-files-width', first: 340, label: words.split, viewsLabel: words.viewsLabel, views: words.views };
const ROWS = { loading: words.loading, more: words.more, failed: (answer) => words.failed(common.fault.ended(common.fault.of(answer))) };

/* As previews have files; the name is the whole path. */
const fileOf = ({ path, ...item }) => ({ ...item, name: path });

function refLink(ref) {
	return /^https?:\/\//i.test(ref) ? el('a', { href: ref, rel: 'noreferrer noopener', target: '_blank' }, ref) : el('bdi', { class: 'mono' }, ref);
}

function factsOf({ ref, digest }) {
	return ref ? [[words.ref, refLink(ref)], [words.digest, el('bdi', { class: 'mono' }, digest)]] : [];
}

export async function filesTab(address, { version, path }) {
	const ends = new AbortController();
	const options = { signal: ends.signal };
	const counted = el('p', { class: 'file-count', role: 'status' });
	const search = field('search', words.find, { look: 'slim', oninput: () => {
		clearTimeout(typing);
		typing = setTimeout(() => folders.seek(search.querySelector('input').value), PAUSE_MS);
	} });
	const grid = treeGrid({ label: words.tree, onflip: (row, wanted) => folders.flip(row.path, wanted),
		onpick: (row) => row.kind === 'file' ? setQuery({ file: row.path }, { replace: false }) : folders.act(row) });
	const folders = new Folders(read, draw);
	const preview = filePreview(path, factsOf);
	const parts = split(el('div', { class: 'files-list' }, el('div', { class: 'files-side' },
		el('div', { class: 'files-top' }, search), counted, grid.node)), preview.node, SPLIT);
	let typing = 0;
	let shown;

	function read(prefix, cursor, isFlat) {
		const asked = new URLSearchParams({ prefix, limit: PAGE, ...!isFlat && { delimiter: '/' }, ...cursor && { cursor } });
		return ask('GET', `${path}/files?${asked}`, undefined, options);
	}

	function draw() {
		grid.show(folders.rows(ROWS));
		setText(counted, !version.files ? words.none : folders.isEmpty ? words.noMatch : words.total(version.files, bytes(version.bytes)));
	}

	/* The file is the first of the paths that begin with its name. */
	async function findFile(name) {
		const known = folders.find(name);
		if (known) return known;
		const answer = await ask('GET', `${path}/files?${new URLSearchParams({ prefix: name, limit: 1 })}`, undefined, options);
		const [found] = answer.status === 200 ? answer.body.items : [];
		return found?.path === name ? found : null;
	}

	async function choose() {
		const name = query().get('file');
		if (name === shown) return;
		shown = name;
		grid.choose(name);
		parts.show(name === null ? 'left' : 'right');
		if (name === null) return void preview.show(null, version.files ? words.pick : '');
		const found = await findFile(name);
		if (ends.signal.aborted || shown !== name) return;
		preview.show(found ? fileOf(found) : null, words.gone(name));
	}

	async function begin() {
		await folders.openTo(query().get('file') ?? '');
		if (!ends.signal.aborted) grid.choose(query().get('file'));
	}

	const stopQuery = onQuery(choose);
	begin();
	choose();
	return {
		node: parts.node,
		stop() {
			ends.abort();
			clearTimeout(typing);
			stopQuery();
			grid.stop();
			preview.stop();
		},
	};
}
