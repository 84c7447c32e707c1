/* A version compared with another one of its collection (`with` of the address): metadata, and files by path. */

import { ask, askAll } from '../api.js';
import { el, refill, replace } from '../base/dom.js';
import { exactJson } from '../base/exact_json.js';
import { bytes, count } from '../base/format.js';
import { onQuery, query, setQuery } from '../router.js';
import { text } from '../text/artifacts.js';
import { text as common } from '../text/common.js';
import { button, card } from '../ui/controls.js';
import { faultWords } from '../ui/fault_words.js';
import { later } from '../ui/later.js';
import { ago } from '../ui/times.js';
import { valueText } from './metadata_card.js';
import { metadataDiff, neighbourVersion } from './metadata_diff.js';
import { collectionPath, hrefOfVersion, versionPath } from './places.js';
import { runLink } from './version_table.js';

const words = text.artifact.compare;
const PAGE = 200;
const VERSIONS = 5000;
const KEYS = 500;
const TABLE = /\.table\.json$/i;
const MOST = 2 << 20; /* bytes of a file whose lines are compared */
const details = later(() => import('./file_diff.js'));

const heads = (names, numbers = []) => el('thead', {}, el('tr', {}, names.map((name, at) => el('th', { scope: 'col', class: numbers.includes(at) && 'num' }, name))));

function tableCard(title, counted, table, note) {
	const node = card(title, null, el('div', { class: 'table-wrap', tabindex: 0, role: 'region', 'aria-label': title }, table), note && el('p', { class: 'note' }, note));
	node.querySelector('h2').append(' ', el('span', { class: 'count' }, counted));
	return node;
}

function versionLink(version) {
	return el('a', { href: hrefOfVersion(version) }, [version.version, ...version.aliases].join(', '));
}

function factsTable(from, to) {
	const rows = [
		[words.facts.size, ({ bytes: size }) => bytes(size)], [words.facts.files, ({ files }) => count(files)],
		[words.facts.run, ({ run }) => runLink(run)], [words.facts.created, ({ created_at: at }) => ago(at)],
		[words.facts.tags, ({ tags }) => tags.join(', ') || common.none],
	];
	return el('table', { class: 'table' }, el('thead', {}, el('tr', {}, el('td', {}), [from, to].map((one) => el('th', { scope: 'col' }, versionLink(one))))),
		el('tbody', {}, rows.map(([name, of]) => el('tr', {}, el('th', { scope: 'row' }, name), [from, to].map((one) => el('td', {}, of(one)))))));
}

const changeCell = (change) => el('td', { class: `change ${change}` }, words.changes[change]);
const side = (value) => value === undefined ? el('span', { class: 'muted' }, common.none) : el('bdi', { class: 'mono' }, valueText(value));

function metadataCard(from, to) {
	const all = metadataDiff(from.metadata, to.metadata);
	const differ = all.filter(({ change }) => change !== 'same');
	if (!differ.length) return card(words.metadata, null, el('p', { class: 'note' }, all.length ? words.sameMetadata : words.noMetadata));
	return tableCard(words.metadata, words.differ(differ.length, all.length - differ.length),
		el('table', { class: 'table' }, heads([words.key, words.change, from.version, to.version]), el('tbody', {}, differ.slice(0, KEYS).map((one) =>
			el('tr', {}, el('th', { scope: 'row' }, el('bdi', {}, one.name)), changeCell(one.change),
				el('td', { class: 'wraps' }, side(one.before)), el('td', { class: 'wraps' }, side(one.after)))))),
		differ.length > KEYS && words.moreKeys(count(differ.length - KEYS)));
}

const size = (file) => !file ? common.none : file.bytes === null ? words.unknown : bytes(file.bytes);

/* A file that both have: a button that shows what differs in it, where that can be told. */
function detailButton({ path, from: a, to: b }, from, to) {
	if (a.ref || b.ref) return null;
	const sides = [from, to].map((version) => ({ name: version.version, path: versionPath(version) }));
	if (TABLE.test(path)) return button(words.rows, { look: 'small', 'aria-label': words.rowsOf(path), onclick: () => details('showRows', path, sides) });
	if (Math.max(a.bytes, b.bytes) > MOST) return null;
	return button(words.lines, { look: 'small', 'aria-label': words.linesOf(path), onclick: () => details('showLines', path, sides, [a.bytes, b.bytes]) });
}

function fileRow(item, from, to) {
	const { path, change } = item;
	const href = `${hrefOfVersion(change === 'removed' ? from : to, 'files')}?${new URLSearchParams({ file: path })}`;
	return el('tr', {}, el('th', { scope: 'row' }, el('a', { href }, el('bdi', {}, path))), changeCell(change),
		el('td', { class: 'num' }, size(item.from)), el('td', { class: 'num' }, size(item.to)),
		el('td', {}, change === 'changed' && detailButton(item, from, to)));
}

/* {node, more(items)} */
function filesCard({ from, to, counts, items }, more) {
	if (!items.length) return { node: card(words.files, null, el('p', { class: 'note' }, words.sameFiles(counts.same))), add() {} };
	const body = el('tbody', {}, items.map((item) => fileRow(item, from, to)));
	const told = [['added', counts.added], ['removed', counts.removed], ['changed', counts.changed], ['same', counts.same]]
		.filter(([, number]) => number > 0).map(([change, number]) => `${count(number)} ${words.changes[change]}`).join(', ');
	const node = tableCard(words.files, told, el('table', { class: 'table' }, heads([words.path, words.change, from.version, to.version, ''], [2, 3]), body));
	node.append(more);
	return { node, add: (next) => body.append(...next.map((item) => fileRow(item, from, to))) };
}

export async function compareTab(address, { version }) {
	const ends = new AbortController();
	const options = { signal: ends.signal };
	const base = collectionPath(version);
	const listed = await askAll(`${base}/versions`, { ...options, most: VERSIONS });
	if (listed.status !== 200) return { answer: listed };
	const versions = listed.body.items.filter((one) => one.version !== version.version);
	const fault = el('p', { class: 'fault', role: 'alert' });
	const sayFault = faultWords(() => read());
	const body = el('div', { class: 'artifact-main' });
	const more = button(words.more, { look: 'small', onclick: readMore });
	const choice = el('select', { id: 'compare-with', onchange: () => setQuery({ with: choice.value }, { replace: false }) },
		versions.map((one) => el('option', { value: one.version }, [one.version, ...one.aliases].join(', '))));
	let asked = null;
	let cursor = null;
	let files = null;

	function other() {
		const name = query().get('with');
		const found = versions.find((one) => one.version === name || one.aliases.includes(name));
		return found?.version ?? (name || (neighbourVersion(versions, version)?.version ?? null));
	}

	function readPage(query) {
		return ask('GET', `${base}/compare?${new URLSearchParams({ from: asked, to: version.version, limit: PAGE, ...query })}`, undefined,
			{ ...options, parse: exactJson });
	}

	async function read() {
		asked = other();
		if (asked === null) return void replace(body, el('p', { class: 'soft' }, words.noOther));
		const mine = asked;
		choice.value = mine;
		const answer = await readPage({ count: true });
		if (ends.signal.aborted || mine !== asked) return;
		refill(fault, sayFault(answer.status === 200 ? null : answer));
		if (answer.status !== 200) return;
		const { from, to } = answer.body;
		cursor = answer.body.next_cursor;
		more.hidden = !cursor;
		files = filesCard(answer.body, more);
		replace(body, card(words.versions, null, el('div', { class: 'table-wrap' }, factsTable(from, to))), metadataCard(from, to), files.node);
	}

	async function readMore() {
		const mine = cursor;
		more.disabled = true;
		const answer = await readPage({ cursor });
		more.disabled = false;
		if (ends.signal.aborted || mine !== cursor) return;
		refill(fault, sayFault(answer.status === 200 ? null : answer));
		if (answer.status !== 200) return;
		cursor = answer.body.next_cursor;
		more.hidden = !cursor;
		files.add(answer.body.items);
	}

	const stopQuery = onQuery(() => other() !== asked && read());
	read();
	return {
		node: el('div', { class: 'page compare-versions', 'data-scroll': 'page' },
			versions.length > 0 && el('div', { class: 'row' }, el('label', { for: 'compare-with' }, words.with), choice), fault, body),
		stop() {
			ends.abort();
			stopQuery();
		},
	};
}
