/* The frame of a version of an artifact: its name, its aliases, and its tabs. A tab is a row of the table. */

import { ask } from '../api.js';
import { aliasChips, tagChips } from '../artifacts/chips.js';
import { hrefOfCollection, hrefOfVersion, nameOf, urlOf, versionPath } from '../artifacts/places.js';
import { overviewTab } from '../artifacts/overview_tab.js';
import { trail } from '../artifacts/trail.js';
import { deletedNotes } from '../artifacts/undo.js';
import { useTab } from '../artifacts/use_tab.js';
import { el, refill } from '../base/dom.js';
import { exactJson } from '../base/exact_json.js';
import { count } from '../base/format.js';
import { onKey } from '../base/keys.js';
import { mayWriteAs, roleIn } from '../projects/role.js';
import { go } from '../router.js';
import { text } from '../text/artifacts.js';
import { button, tabs as tabBar, toast } from '../ui/controls.js';
import { text as common } from '../text/common.js';
import { later, loaded } from '../ui/later.js';

const words = text.artifact;
const editing = later(() => import('../artifacts/edit_dialogs.js'));
const deleting = later(() => import('../artifacts/delete_dialog.js'));

/*
 * load: a promise of the function that makes the tab, or of null if it cannot be loaded: async (address, {version, path}) ->
 * {node, update?(version), stop?} or {answer}.
 */
const TABS = [
	{ id: 'overview', load: async () => overviewTab },
	{ id: 'files', load: async () => (await loaded(() => import('../artifacts/files_tab.js')))?.filesTab, count: ({ files }) => count(files) },
	{ id: 'use', load: async () => useTab },
	{ id: 'lineage', load: async () => (await loaded(() => import('../artifacts/lineage_tab.js')))?.lineageTab },
	{ id: 'compare', load: async () => (await loaded(() => import('../artifacts/compare_tab.js')))?.compareTab },
];
/* Names of other trackers that users may still type. */
const ELSEWHERE = { metadata: 'overview', usage: 'use', api: 'use' };

const readVersion = (path) => ask('GET', path, undefined, { parse: exactJson });

function bar(address, version) {
	return tabBar(words.tabsName, TABS.map((one) => ({ id: one.id, name: words.tabs[one.id], href: hrefOfVersion(address, one.id),
		count: one.count?.(version) })), address.tab);
}

function tabKeys(address) {
	const stops = TABS.map(({ id }, index) => onKey(String(index + 1), words.tabKey(words.tabs[id]), () => go(hrefOfVersion(address, id))));
	return () => stops.forEach((stop) => stop());
}

/* {node, draw(version)} */
function head(address, { mayWrite, edit, remove }) {
	const place = el('div', { class: 'trail-place' });
	const name = el('h1');
	const chips = el('span', { class: 'chips' });
	const links = el('span', { class: 'row' });

	function draw(version) {
		refill(place, trail(version));
		refill(name, nameOf(version));
		refill(chips, aliasChips(version.aliases, 12), tagChips(version.tags, 12));
		refill(links, el('a', { class: 'btn', href: urlOf(`${versionPath(version)}/files.tar`), download: '' }, words.tar));
	}

	return {
		node: el('header', { class: 'artifact-head' }, place,
			el('div', { class: 'page-head' }, el('span', { class: 'row' }, name, chips), el('span', { class: 'row' }, links,
				mayWrite && [button(words.edit, { onclick: edit }), button(words.remove, { look: 'danger', onclick: remove })]))),
		draw,
	};
}

export async function artifactPage(address, { user }) {
	const other = ELSEWHERE[address.tab];
	if (other) {
		go(hrefOfVersion(address, other), { replace: true });
		return { node: el('div') };
	}
	const found = TABS.find(({ id }) => id === address.tab);
	if (!found) return { answer: { status: 404 } };
	const loading = found.load();
	loading.catch(() => {}); /* reported below */
	const asked = versionPath(address);
	const [first, role] = await Promise.all([readVersion(asked), user && roleIn(address.entity)]);
	if (first.status !== 200) return { answer: first };
	const mayWrite = mayWriteAs(role);
	let version = first.body;
	/* By its number: an alias may move while the page is open. */
	const path = versionPath(version);
	const makeTab = await loading;
	const page = makeTab ? await makeTab(address, { version, path }) : { answer: { status: 0 } };
	if (page.answer) return page;
	const undo = deletedNotes(address);
	const top = head(address, { mayWrite, edit: () => editing('editVersion', { path, version, done: again }), remove });
	const tabPlace = el('div', { class: 'tab-bar' }, bar(address, version));

	async function again() {
		const answer = await readVersion(path);
		if (answer.status !== 200) return void toast(common.fault.of(answer));
		version = answer.body;
		top.draw(version);
		page.update?.(version);
	}

	function remove() {
		const { source } = version;
		deleting('askDelete', { path, place: address, name: nameOf(version), href: hrefOfVersion(version), to: hrefOfCollection(version),
			isLink: Boolean(source), query: source ? {} : { aliases: true } });
	}

	const stopKeys = tabKeys(address);
	top.draw(version);
	return {
		node: el('div', { class: 'artifact-page' }, top.node, tabPlace, undo.node, page.node),
		title: nameOf(version),
		stop() {
			stopKeys();
			undo.stop();
			page.stop?.();
		},
	};
}
