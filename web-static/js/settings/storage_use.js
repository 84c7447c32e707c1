/* The storage of a project by what uses it: its collections of artifacts and its runs, the largest first. Read when it is asked for. */

import { apiPath, hrefOf } from '../address.js';
import { ask } from '../api.js';
import { collectionPath, hrefOfCollection } from '../artifacts/places.js';
import { el, replace, setText } from '../base/dom.js';
import { bytes, count } from '../base/format.js';
import { nameOf } from '../base/slot.js';
import { remove as removeRuns } from '../list/model/run_actions.js';
import { text } from '../text/project_settings.js';
import { button, toast } from '../ui/controls.js';
import { faultWords } from '../ui/fault_words.js';
import { later } from '../ui/later.js';
import { factList, listTable } from './settings.js';

const words = text.storageUse;
const OF_USAGE = { limit: 100, most: 1000 }; /* collections of an answer, and of all */
const OF_RUNS = { limit: 1000, most: 5000 };
const SHOWN = 20;

const deleting = later(() => import('../artifacts/delete_dialog.js'));
const dialogs = later(() => import('../list/run_dialogs.js'));

/* {body: of the first answer, items, isCut: there are more} or {fault} */
async function readAll(path, { limit, most }, told) {
	const found = { body: null, items: [], isCut: false };
	for (let cursor = ''; cursor !== null;) {
		if (found.items.length >= most) return { ...found, isCut: true };
		const answer = await ask('GET', `${path}${path.includes('?') ? '&' : '?'}${new URLSearchParams({ limit, ...cursor && { cursor } })}`);
		if (answer.status !== 200) return { fault: answer };
		found.body ??= answer.body;
		found.items.push(...answer.body.items);
		cursor = answer.body.next_cursor;
		told(found.items.length);
	}
	return found;
}

const size = (value) => el('td', { class: 'number', title: `${count(value)} B` }, bytes(value));

/* The largest rows, with a button for others. rows: [{bytes, node}] */
function sizedTable(name, columns, rows) {
	const sorted = [...rows].sort((a, b) => b.bytes - a.bytes);
	const table = listTable(columns, sorted.slice(0, SHOWN).map(({ node }) => node));
	const more = button(words.more, { look: 'small', hidden: sorted.length <= SHOWN, onclick() {
		table.tBodies[0].append(...sorted.slice(SHOWN).map(({ node }) => node));
		more.hidden = true;
	} });
	return [el('div', { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': name }, table), more];
}

function deletion(name, onclick) {
	return el('td', {}, button(words.remove, { look: 'small', 'aria-label': words.removeOf(name), onclick }));
}

/* place: {entity, project}; mayWrite: whether the user may delete. Gives a node that reads when its button is pressed, and read(). */
export function storageUse({ place, mayWrite }) {
	const { entity, project } = place;
	const path = apiPath(entity, project);
	const here = `${hrefOf(entity, project, 'settings')}?show=storage`;
	const open = button(words.open, { onclick: () => read() });
	const said = el('p', { class: 'soft', role: 'status' });
	const fault = el('p', { class: 'fault', role: 'alert' });
	const sayFault = faultWords(() => read());
	const body = el('div', { class: 'body' });
	const node = el('div', { class: 'storage-use' }, open, said, fault, body);

	function collectionRow(one) {
		const at = { ...place, type: one.type, collection: one.collection };
		const remove = () => deleting('askDelete', { path: collectionPath(at), place, name: one.collection, href: hrefOfCollection(at), to: here, ondone: read });
		return { bytes: one.bytes, node: el('tr', {},
			el('th', { scope: 'row', title: one.type }, el('a', { href: hrefOfCollection(at) }, el('bdi', {}, one.collection))),
			el('td', { class: 'number' }, count(one.versions)), size(one.bytes), size(one.only_here_bytes), size(one.shared_bytes),
			mayWrite && deletion(one.collection, remove)) };
	}

	async function removeRun(run) {
		const { done, why } = await removeRuns([run]);
		if (!done.length) return why;
		toast(words.removedRun(nameOf(run)));
		read();
		return '';
	}

	function runRow(run) {
		const name = nameOf(run);
		return { bytes: run.bytes, node: el('tr', {},
			el('th', { scope: 'row', title: run.id }, el('a', { href: hrefOf(entity, project, 'runs', run.id, 'overview') }, el('bdi', {}, name))),
			size(run.bytes), mayWrite && deletion(name, () => dialogs('askRemove', [run], name, () => removeRun(run)))) };
	}

	function show({ body: usage, items: collections, isCut }, runs) {
		const head = (columns) => mayWrite ? [...columns, ''] : columns;
		replace(body,
			factList([[words.ofRuns, bytes(usage.run_bytes)], [words.ofArtifacts, bytes(usage.artifact_bytes)]]),
			el('h3', {}, words.collections),
			collections.length ? sizedTable(words.collections, head(words.collectionColumns), collections.map(collectionRow)) : el('p', { class: 'soft' }, words.noCollections),
			collections.length > 0 && el('p', { class: 'hint' }, words.how),
			isCut && el('p', { class: 'soft' }, words.collectionsCut(collections.length)),
			el('h3', {}, words.runs),
			runs.items.length ? sizedTable(words.runs, head(words.runColumns), runs.items.map(runRow)) : el('p', { class: 'soft' }, words.noRuns),
			runs.items.length > 0 && el('p', { class: 'hint' }, words.howRuns),
			runs.isCut && el('p', { class: 'soft' }, words.runsCut(runs.items.length)));
	}

	async function read() {
		const told = (found) => setText(said, words.reading(found));
		open.hidden = true;
		replace(fault);
		told(0);
		const usage = await readAll(`${path}/usage`, OF_USAGE, told);
		const runs = usage.fault ? usage : await readAll(`${path}/runs`, OF_RUNS, told);
		setText(said, '');
		if (runs.fault) return void replace(fault, sayFault(runs.fault));
		sayFault(null);
		show(usage, runs);
	}

	return { node, read };
}
