/* The files of a run: a tree at the left, the one that the address names (`file`) at the right. */

import { apiPath } from '../address.js';
import { askAll, root } from '../api.js';
import { el, refill } from '../base/dom.js';
import { count } from '../base/format.js';
import { fileTree } from '../files/file_tree.js';
import { filePreview } from '../files/preview.js';
import { onQuery, query, setQuery } from '../router.js';
import { text } from '../text/files.js';
import { faultWords } from '../ui/fault_words.js';
import { split } from '../ui/split.js';
import { ago } from '../ui/times.js';

const words = text.files;
const FILES = 20000; /* that are listed */
const FEW = 200; /* no event reports files: so many are read again while the run continues */
const AGAIN_MS = 5000;
const SPLIT = { stored: 'cairn-files-width', first: 340, label: words.split, viewsLabel: words.viewsLabel,
	views: words.views };

export async function filesTab({ entity, project, run }, { run: data }) {
	const path = apiPath(entity, project, run);
	const ends = new AbortController();
	let isWhole = Boolean(data.run.ended_at); /* nothing comes after what was read when the run had ended */
	const first = await askAll(`${path}/files`, { most: FILES, signal: ends.signal });
	if (first.status !== 200) return { answer: first };
	let files = first.body.items;

	const tree = fileTree({ onpick: (name) => setQuery({ file: name }, { replace: false }), onagain: again });
	const preview = filePreview(path, factsOf);
	const fault = el('p', { class: 'fault', role: 'alert' });
	const sayFault = faultWords(() => again());
	const cut = el('p', { class: 'note', hidden: !first.body.isCut }, words.isCut(count(FILES)));
	const all = el('p', { class: 'file-count', hidden: !files.length },
		el('a', { class: 'btn small', href: new URL(`api/v1/${path}/files.tar`, root).href, download: '' }, words.all));
	const parts = split(el('div', { class: 'files-list' }, fault, cut, tree.node, all), preview.node, SPLIT);

	const labelOf = (client) => data.writers.find((one) => one.client === client)?.label ?? client;

	function factsOf({ updated_at: sentAt, writer, user }) {
		return [[words.facts.sent, ago(sentAt)], writer && [words.facts.writer, el('bdi', {}, labelOf(writer))],
			user && [words.facts.user, el('bdi', {}, user)]];
	}

	function choose() {
		const name = query().get('file');
		const file = files.find((one) => one.name === name);
		tree.choose(name);
		preview.show(file, name !== null ? words.gone(name) : files.length ? words.pick : '');
		parts.show(name === null ? 'left' : 'right');
	}

	/* Keeps the shown file, and says if there is a newer version of it. */
	function compare() {
		const shown = preview.file();
		const now = files.find((one) => one.name === query().get('file'));
		if (now && !shown) choose();
		else if (now && now.md5 !== shown.md5) preview.changed(now);
	}

	async function again() {
		const answer = await askAll(`${path}/files`, { most: FILES, signal: ends.signal });
		if (ends.signal.aborted) return false;
		refill(fault, sayFault(answer.status === 200 ? null : answer));
		if (answer.status !== 200) return false;
		const isFirst = !files.length && answer.body.items.length > 0;
		files = answer.body.items;
		cut.hidden = !answer.body.isCut;
		all.hidden = !files.length;
		tree.show(files);
		if (isFirst) choose();
		else compare();
		return true;
	}

	async function look() {
		const hasEnded = Boolean(data.run.ended_at);
		isWhole &&= hasEnded;
		if (!document.hidden && !isWhole && files.length <= FEW) isWhole = await again() && hasEnded;
		if (!ends.signal.aborted) timer = setTimeout(look, AGAIN_MS);
	}

	const stopQuery = onQuery(choose);
	let timer = setTimeout(look, AGAIN_MS);
	tree.show(files);
	choose();
	return {
		node: parts.node,
		stop() {
			ends.abort();
			clearTimeout(timer);
			stopQuery();
			tree.stop();
			preview.stop();
		},
	};
}
