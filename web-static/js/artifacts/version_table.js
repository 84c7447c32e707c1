/* The versions of a collection as a table; two of them can be selected. */

import { hrefOf } from '../address.js';
import { el, renew, replace } from '../base/dom.js';
import { bytes, count } from '../base/format.js';
import { nameOf as nameOfRun } from '../base/slot.js';
import { text as common } from '../text/common.js';
import { text } from '../text/artifacts.js';
import { ago } from '../ui/times.js';
import { aliasChips, tagChips } from './chips.js';
import { hrefOfVersion, nameOf } from './places.js';

const words = text.collection;
const NUMBERS = [3, 4];

export function runLink(run) {
	return run ? el('a', { href: hrefOf(run.entity, run.project, 'runs', run.id), title: run.id }, el('bdi', { class: 'clip' }, nameOfRun(run)))
		: el('span', { class: 'muted' }, common.none);
}

function pickBox(name, picked, onpick) {
	return el('label', { class: 'pick' }, el('input', { type: 'checkbox', checked: picked.has(name), 'aria-label': words.pick(name),
		onchange: ({ target }) => onpick(name, target.checked) }));
}

function row(version, picked, onpick) {
	const name = version.version;
	return el('tr', {},
		el('th', { scope: 'row' }, picked && pickBox(name, picked, onpick),
			el('a', { href: hrefOfVersion(version) }, el('bdi', {}, picked ? name : nameOf(version))),
			!picked && [' ', el('span', { class: 'count' }, version.type)]),
		el('td', {}, el('span', { class: 'chips' }, aliasChips(version.aliases))),
		el('td', {}, el('span', { class: 'chips' }, tagChips(version.tags))),
		el('td', { class: 'number' }, bytes(version.bytes)),
		el('td', { class: 'number' }, count(version.files)),
		el('td', {}, runLink(version.run)),
		el('td', {}, el('bdi', {}, version.user ?? common.none)),
		el('td', {}, ago(version.created_at)));
}

/* {node, show(versions)}; picked: a set of their names; null: they are of several collections. onpick(name, isPicked) */
export function versionTable(picked, onpick) {
	const rows = new Map();
	const body = el('tbody');
	const heads = words.columns.map((name, at) => el('th', { scope: 'col', class: NUMBERS.includes(at) && 'number' }, name));

	function fresh(version) {
		const now = row(version, picked, onpick);
		const name = nameOf(version);
		rows.set(name, rows.has(name) ? renew(rows.get(name), now) : now);
		return rows.get(name);
	}

	return {
		node: el('div', { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': words.versions },
			el('table', { class: 'list artifacts' }, el('thead', {}, el('tr', {}, heads)), body)),
		show(versions) {
			const shown = versions.map(fresh);
			const areInPlace = shown.length === body.childElementCount && shown.every((node, at) => body.children[at] === node);
			if (!areInPlace) replace(body, shown);
		},
	};
}
