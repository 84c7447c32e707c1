/* The artifacts of a project: its types and collections, all or of one type, a collection, or a version. They are read again while they are seen. */

import { apiPath, hrefOf } from '../address.js';
import { askAll } from '../api.js';
import { collectionTable, FIRST_ORDER, ORDERS } from '../artifacts/collection_table.js';
import { firstArtifact } from '../artifacts/line_card.js';
import { pagesOf } from '../artifacts/pages.js';
import { deletedNotes } from '../artifacts/undo.js';
import { el, refill, replace } from '../base/dom.js';
import { count } from '../base/format.js';
import { mayWriteAs, roleIn } from '../projects/role.js';
import { onQuery, query, queryText, setQuery } from '../router.js';
import { text } from '../text/artifacts.js';
import { text as common } from '../text/common.js';
import { button, field, toast } from '../ui/controls.js';
import { faultWords } from '../ui/fault_words.js';
import { loaded } from '../ui/later.js';
import { segmented, setSegment } from '../ui/segmented.js';
import { artifactPage } from './artifact.js';
import { collectionPage } from './collection.js';

const words = text.artifacts;

/* The pattern of SQL for names that have a text in them. */
const patternOf = (typed) => `%${typed.replace(/[\\%_]/g, '\\$&')}%`;

function listPath({ entity, project, type }) {
	const asked = new URLSearchParams({ order: orderNow() });
	const typed = query().get('q')?.trim();
	if (type) asked.set('type', type);
	if (typed) asked.set('pattern', patternOf(typed));
	return `${apiPath(entity, project)}/artifacts?${asked}`;
}

function orderNow() {
	const order = query().get('sort');
	return ORDERS.includes(order) ? order : FIRST_ORDER;
}

/* Links of types keep what is shown: collections or versions. */
function typeLinks({ entity, project, type }, types) {
	const kept = modeNow() === 'versions' ? queryText(new URLSearchParams([['show', 'versions'], ...query().has('q') ? [['q', query().get('q')]] : []])) : '';
	const link = (name, href, number, isHere) => el('a', { href: href + kept, class: isHere ? 'chip on' : 'chip', 'aria-current': isHere ? 'page' : null },
		el('bdi', { class: 'clip' }, name), ' ', el('span', { class: 'count' }, count(number)));
	const all = types.reduce((sum, { collections }) => sum + collections, 0);
	return [link(words.all, hrefOf(entity, project, 'artifacts'), all, !type),
		types.map(({ name, collections }) => link(name, hrefOf(entity, project, 'artifacts', name), collections, name === type))];
}

/*
 * {tools: what searches, node, update: for another address, begin: a promise of the answer that failed, stop}. types(): names;
 * hasAny(): whether the project has any; seen(): the list was read again.
 */
function collectionList(address, { user, hasAny, seen }) {
	const { entity, project, type } = address;
	const fault = el('p', { class: 'fault', role: 'alert' });
	const sayFault = faultWords(() => list.again());
	const list = pagesOf(() => listPath(address), { changed: seen, fault: (answer) => refill(fault, sayFault(answer)) });
	const search = field('search', words.search, { key: '/', value: query().get('q') || '',
		oninput: ({ target }) => setQuery({ q: target.value || null }) });
	const table = collectionTable({ entity, project }, (order) => setQuery({ sort: order === FIRST_ORDER ? null : order }));
	const more = button(words.more, { onclick: () => list.more() });
	const body = el('div', { class: 'artifacts-body' });
	let shown = '';
	let asked = listPath(address);

	function put(what, make) {
		if (shown !== what) replace(body, make());
		shown = what;
	}

	/* How to log the first one is for those who may. */
	function noneYet() {
		const node = el('div', {}, el('p', { class: 'soft' }, words.noneYet));
		if (user) roleIn(entity).then((role) => mayWriteAs(role) && replace(node, firstArtifact(address)));
		return node;
	}

	function draw() {
		const { items, cursor } = list.list;
		const isFiltered = Boolean(query().get('q')?.trim());
		more.hidden = !cursor;
		if (items.length) {
			put('table', () => table.node);
			return table.show(items, orderNow());
		}
		if (isFiltered) return put('no-match', () => el('p', { class: 'soft', role: 'status' }, words.noMatch));
		if (type && hasAny()) return put('no-type', () => el('p', { class: 'soft' }, words.noneOfType(type)));
		return put('none', noneYet);
	}

	function update() {
		const next = listPath(address);
		if (next === asked) return;
		asked = next;
		list.restart();
	}

	return { tools: search, node: el('div', { class: 'artifacts-body' }, fault, body, more), draw, update, begin: list.again, stop: list.stop };
}

const modeNow = () => query().get('show') === 'versions' ? 'versions' : 'collections';
/* Promises of what makes the list; null: it did not come. */
const MODES = {
	collections: async () => collectionList,
	versions: async () => (await loaded(() => import('../list/version_search.js')))?.versionSearch,
};
const AWAY = { status: 0 };

async function listPage(address, { user }) {
	const { entity, project, type } = address;
	const readTypes = () => askAll(`${apiPath(entity, project)}/artifact-types`);
	const nav = el('nav', { class: 'types', 'aria-label': words.types });
	const undo = deletedNotes(address);
	const [tools, body] = [el('div', { class: 'artifact-tools' }), el('div', { class: 'artifacts-body' })];
	const modes = segmented(words.shown, words.modes, modeNow(),
		(mode) => setQuery({ show: mode === 'versions' ? mode : null, q: null, sort: null }, { replace: false }));
	const storage = el('a', { class: 'btn plain', href: `${hrefOf(entity, project, 'settings')}?show=storage`, title: words.storageHow }, words.storage);
	let types = null;
	let mode = null;
	let list = null;

	function draw() {
		if (!types) return;
		refill(nav, typeLinks(address, types));
		nav.hidden = storage.hidden = modes.hidden = tools.hidden = !types.length;
		list.draw?.();
	}

	async function seen() {
		if (!types) return;
		const answer = await readTypes();
		if (answer.status === 200) types = answer.body.items;
		draw();
	}

	/* Returns the answer that failed. */
	async function begin() {
		const mine = mode = modeNow();
		setSegment(modes, mode);
		const make = await MODES[mode]();
		if (mine !== mode) return null;
		if (!make) return AWAY;
		list?.stop();
		list = make(address, { user, types: () => (types ?? []).map(({ name }) => name), hasAny: () => types.length > 0, seen });
		replace(tools, list.tools);
		replace(body, list.node);
		return list.begin();
	}

	async function select() {
		refill(nav, typeLinks(address, types));
		if (mode === modeNow()) return list.update();
		const failed = await begin();
		if (failed === AWAY) {
			mode = null;
			toast(common.fault.of(AWAY));
		}
		return null;
	}

	function stop() {
		mode = null;
		undo.stop();
		list?.stop();
	}

	const [failed, ofTypes] = await Promise.all([begin(), readTypes()]);
	if (failed || ofTypes.status !== 200) {
		stop();
		return { answer: failed || ofTypes };
	}
	types = ofTypes.body.items;
	draw();
	const stopQuery = onQuery(select);
	return {
		node: el('div', { class: 'page', 'data-scroll': 'page' },
			el('div', { class: 'page-head' }, el('h1', {}, words.head), el('span', { class: 'row' }, storage, modes, tools)),
			undo.node, nav, body),
		title: words.title(project, type),
		stop() {
			stopQuery();
			stop();
		},
	};
}

export function artifactsPage(address, context) {
	if (address.version) return artifactPage(address, context);
	return address.collection ? collectionPage(address, context) : listPage(address, context);
}
