/*
 * Config or summary: each key with its value, nested ones by their dotted name, searched by key or value, and who wrote
 * it where there are several. Above 40 keys they fold by prefix.
 */

import { arrange, el } from '../base/dom.js';
import { count, number } from '../base/format.js';
import { ownLeaves } from '../base/leaves.js';
import { wholeMoment } from '../base/moments.js';
import { text as common } from '../text/common.js';
import { text } from '../text/overview.js';
import { field, iconButton, menu } from '../ui/controls.js';
import { copy } from '../ui/copy.js';
import { icon } from '../ui/icons.js';
import { pressGuard } from '../ui/press_guard.js';
import { countedCard } from './card.js';
import { differsNode } from './differing.js';
import { byPrefix, matching } from './leaf_rows.js';
import { shownValue } from './shown_value.js';
import { yaml } from './yaml.js';

const words = text.runDocuments;
const FOLD_ABOVE = 40;
const SHOWN = 500;

/* [author, what more is known]; a value of several writers, such as a mean, has no author. */
function writtenBy(one) {
	if (one?.isPast) return [words.readAgain, words.changedSince];
	if (one?.edited) return [words.editor(one.user ?? words.somebody),
		one.edited_at ? words.editedAt(wholeMoment(one.edited_at)) : null];
	if (one?.label) return [one.label, one.shared ? words.shared : null];
	return [common.none, one ? words.ofSeveral : null];
}

const nameOf = ([before, key]) => before + key;

/* Returns the writer of a value; for a histogram, the writer of its values. */
const writerOf = (writers, path) => writers.get(path) ?? writers.get(`${path}\0values`);

/* writers: by path; null where there is only one. conflict: of differing.js. */
function row([before, key, value, path], { told, writers, conflict }) {
	const [who, more] = writers ? writtenBy(writerOf(writers, path)) : [];
	const differs = conflict && differsNode(before + key, conflict);
	return el('tr', {},
		el('th', { scope: 'row' }, el('bdi', {}, el('span', { class: 'muted' }, before), key)),
		el('td', { class: 'mono value', title: typeof value === 'number' ? String(value) : null },
			shownValue(value, told), !writers && differs),
		writers && el('td', { class: 'by' }, el('bdi', { title: more }, who), differs));
}

function heads() {
	return el('thead', {}, el('tr', {}, words.heads.map((head) => el('th', { scope: 'col' }, head))));
}

/* Makes a row again. Details of its value that were open stay open. */
function rowAgain(leaf, how, old) {
	const node = row(leaf, how);
	for (const { className } of old?.querySelectorAll('details[open]') ?? []) {
		const again = node.querySelector(`details.${className}`);
		if (again) again.open = true;
	}
	return node;
}

/* {nodes, fill(leaves, writers, conflicts)}: a row stays the same one as long as its value does. */
function leafTable(told) {
	const body = el('tbody');
	const table = el('table', { class: 'table doc' }, body);
	const note = el('p', { class: 'note', hidden: true });
	let made = new Map();

	function fill(list, writers, conflicts) {
		const before = made;
		made = new Map(list.slice(0, SHOWN).map((leaf) => {
			const path = leaf[3];
			const conflict = conflicts.get(nameOf(leaf));
			const value = JSON.stringify([leaf[2], writers && writtenBy(writerOf(writers, path)), conflict]);
			const old = before.get(path);
			const node = old?.value === value ? old.node : rowAgain(leaf, { told, writers, conflict }, old?.node);
			return [path, { value, node }];
		}));
		if (Boolean(writers) !== Boolean(table.tHead)) arrange(table, writers ? [heads(), body] : [body]);
		arrange(body, [...made.values()].map(({ node }) => node));
		note.hidden = list.length <= SHOWN;
		note.textContent = words.more(count(list.length - SHOWN));
	}

	return { nodes: [table, note], fill };
}

/* {node, fill(leaves, writers, conflicts)}; its rows are made when it is opened. */
function folder(prefix, told) {
	const table = leafTable(told);
	const counted = el('span', { class: 'count' });
	const node = el('details', { class: 'prefix' }, el('summary', {}, icon('right'), prefix || words.others, ' ', counted),
		el('div', {}, table.nodes));
	let last = [[], null, new Map()];

	function fill(list, writers, conflicts) {
		last = [list, writers, conflicts];
		const differ = list.filter((leaf) => conflicts.has(nameOf(leaf))).length;
		counted.textContent = count(list.length) + (differ ? `, ${words.differ(differ)}` : '');
		if (node.open) table.fill(list, writers, conflicts);
	}

	node.addEventListener('toggle', () => fill(...last));
	return { node, fill };
}

/*
 * told: how numbers are told. {node, update(document, writers, conflicts)}: writers are of run/value_writers.js,
 * conflicts of run/differing.js.
 */
export function documentCard(name, document, told = number) {
	const folders = new Map();
	const all = leafTable(told);
	const none = el('p', { class: 'note' });
	const body = el('div', { class: 'table-wrap', tabindex: 0, role: 'region', 'aria-label': name });
	const search = field('search', words.search(name), { look: 'slim', placeholder: words.hint });
	const input = search.querySelector('input');
	const copier = menu(iconButton('copy', words.copy(name), { class: 'ibtn small' }), () => [
		{ label: words.asJson, onpick: () => copy(JSON.stringify(document, null, 2)) },
		{ label: words.asYaml, onpick: () => copy(yaml(document)) }]);
	const node = countedCard(name, '', [search, copier], body);
	const isPressed = pressGuard(body, () => update(document, writers, conflicts));
	let writers = null;
	let conflicts = new Map();
	let drawn = {};

	function folderOf([prefix, list]) {
		if (!folders.has(prefix)) folders.set(prefix, folder(prefix, told));
		folders.get(prefix).fill(list, writers, conflicts);
		return folders.get(prefix).node;
	}

	function nodesOf(leaves, found) {
		if (!found.length) {
			none.textContent = leaves.length ? words.noMatch : words.nothing;
			return [none];
		}
		if (leaves.length > FOLD_ABOVE && found.length > FOLD_ABOVE) return byPrefix(found).map(folderOf);
		all.fill(found, writers, conflicts);
		return all.nodes;
	}

	function draw() {
		const leaves = ownLeaves(document);
		const found = matching(leaves, input.value);
		node.querySelector('.count').textContent = found.length === leaves.length
			? count(leaves.length) : words.of(count(found.length), count(leaves.length));
		arrange(body, nodesOf(leaves, found));
	}

	function update(next, by = null, differing = conflicts) {
		/* A large one is the same object for most updates, which come each second. */
		const inFull = next === drawn.document ? drawn.inFull : JSON.stringify(next);
		const inDispute = JSON.stringify([...differing]);
		document = next;
		writers = by;
		conflicts = differing;
		const isDrawn = inFull === drawn.inFull && inDispute === drawn.inDispute && by === drawn.by;
		if (!isDrawn && isPressed()) return;
		drawn = { document, inFull, inDispute, by };
		if (!isDrawn) draw();
	}

	input.addEventListener('input', draw);
	update(document);
	return { node, update };
}
