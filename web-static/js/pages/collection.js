/* A collection of artifacts: what it is for, and its versions, the newest first. They are read again while they are seen. */

import { hrefOf } from '../address.js';
import { ask } from '../api.js';
import { aboutCard, factsCard, ttlWords } from '../artifacts/about.js';
import { tagChips } from '../artifacts/chips.js';
import { collectionPath, hrefOfCollection, hrefOfVersion } from '../artifacts/places.js';
import { pagesOf } from '../artifacts/pages.js';
import { trail } from '../artifacts/trail.js';
import { deletedNotes } from '../artifacts/undo.js';
import { versionTable } from '../artifacts/version_table.js';
import { el, refill, replace } from '../base/dom.js';
import { bytes, count } from '../base/format.js';
import { mayWriteAs, roleIn } from '../projects/role.js';
import { go } from '../router.js';
import { text } from '../text/artifacts.js';
import { button } from '../ui/controls.js';
import { faultWords } from '../ui/fault_words.js';
import { later } from '../ui/later.js';
import { ago } from '../ui/times.js';

const words = text.collection;
const editing = later(() => import('../artifacts/edit_dialogs.js'));
const deleting = later(() => import('../artifacts/delete_dialog.js'));

const numberOf = (version) => Number(version.slice(1));

function facts(collection) {
	return factsCard(words.factsName, [
		[words.facts.type, el('bdi', {}, collection.type)],
		[words.facts.kind, words.kinds[collection.kind] ?? collection.kind],
		[words.facts.versions, count(collection.versions)],
		[words.facts.size, el('span', { title: `${count(collection.bytes)} B` }, bytes(collection.bytes))],
		[words.facts.ttl, ttlWords(collection.ttl_s)],
		[words.facts.keep, collection.keep_last ? words.keepLast(collection.keep_last) : words.keepAll],
		collection.user && [words.facts.user, el('bdi', {}, collection.user)],
		[words.facts.created, ago(collection.created_at)],
		[words.facts.changed, ago(collection.changed_at)],
	]);
}

export async function collectionPage(address, { user }) {
	const { entity, project, collection: name } = address;
	const path = collectionPath(address);
	const fault = el('p', { class: 'fault', role: 'alert' });
	const sayFault = faultWords(() => list.again());
	const list = pagesOf(() => `${path}/versions`, { changed: cameMore, fault: (answer) => refill(fault, sayFault(answer)) });
	const picked = new Set();
	const table = versionTable(picked, pick);
	const more = button(words.more, { onclick: () => list.more() });
	const undo = deletedNotes(address);
	const place = el('div', { class: 'trail-place' });
	const about = aboutCard(words.about, words.noAbout);
	const side = el('div', { class: 'redrawn' });
	const tags = el('span', { class: 'chips' });
	const none = el('p', { class: 'soft' }, words.none);
	const told = el('span', { class: 'soft', role: 'status' });
	const compare = button(words.compare, { name: 'compare', onclick: comparePicked });
	let collection = null;
	const [first, role, failed] = await Promise.all([ask('GET', path), user && roleIn(entity), list.again()]);
	if (first.status !== 200 || failed) {
		stop();
		return { answer: first.status !== 200 ? first : failed };
	}
	const mayWrite = mayWriteAs(role);
	collection = first.body;

	function pick(version, isPicked) {
		if (isPicked) picked.add(version);
		else picked.delete(version);
		drawPicked();
	}

	function drawPicked() {
		compare.disabled = picked.size !== 2;
		told.textContent = picked.size ? words.picked(picked.size) : words.compareHow;
	}

	function comparePicked() {
		const [before, after] = [...picked].sort((a, b) => numberOf(a) - numberOf(b));
		go(`${hrefOfVersion({ ...address, version: after }, 'compare')}?${new URLSearchParams({ with: before })}`);
	}

	function draw() {
		const { items, cursor } = list.list;
		refill(place, trail({ entity, project, type: collection.type }));
		refill(tags, tagChips(collection.tags, 20));
		about.show(collection.description);
		refill(side, facts(collection));
		for (const version of picked) if (!items.some((one) => one.version === version)) picked.delete(version);
		drawPicked();
		none.hidden = items.length > 0;
		table.node.hidden = !items.length;
		compare.hidden = told.hidden = items.length < 2;
		more.hidden = !cursor;
		table.show(items);
	}

	async function cameMore() {
		if (!collection) return;
		const answer = await ask('GET', path);
		if (answer.status === 200) collection = answer.body;
		draw();
	}

	function changed(next) {
		if (next.name !== name) return go(hrefOfCollection({ entity, project, type: next.type, collection: next.name }), { replace: true });
		collection = next;
		return draw();
	}

	function remove() {
		deleting('askDelete', { path, place: { entity, project }, name, href: hrefOfCollection({ ...address, type: collection.type }),
			to: hrefOf(entity, project, 'artifacts') });
	}

	function stop() {
		undo.stop();
		list.stop();
	}

	draw();
	return {
		node: el('div', { class: 'page', 'data-scroll': 'page' },
			place,
			el('div', { class: 'page-head' }, el('span', { class: 'row' }, el('h1', {}, name), tags),
				mayWrite && el('span', { class: 'row' },
					button(words.edit, { onclick: () => editing('editCollection', { path, collection, done: changed }) }),
					button(words.remove, { look: 'danger', onclick: remove }))),
			undo.node, fault,
			el('div', { class: 'artifact-columns' }, el('section', { class: 'artifact-main', 'aria-label': words.versions },
				el('div', { class: 'page-head' }, el('h2', {}, words.versions), el('span', { class: 'row' }, told, compare)),
				table.node, none, more), el('div', { class: 'artifact-side' }, about.node, side))),
		title: name,
		stop,
	};
}
