/* The card of the artifacts that a run used and made. */

import { hrefOfVersion, nameOf } from '../artifacts/places.js';
import { el } from '../base/dom.js';
import { bytes, count } from '../base/format.js';
import { text } from '../text/artifacts.js';
import { text as common } from '../text/common.js';
import { ago } from '../ui/times.js';
import { countedCard, table } from './card.js';

const words = text.runArtifacts;

function link(version) {
	const name = el('bdi', {}, nameOf(version));
	return version.state === 'deleted' ? el('span', { class: 'muted' }, name, ` ${words.deleted}`)
		: el('a', { href: hrefOfVersion(version), 'data-key': `artifact-${version.id}` }, name);
}

function row({ way, used_as: use, at, version }) {
	return el('tr', {}, el('td', {}, words.ways[way]),
		el('th', { scope: 'row' }, link(version), version.aliases.length > 0 && el('span', { class: 'muted' }, ` ${version.aliases.join(', ')}`)),
		el('td', { class: 'soft' }, el('bdi', {}, version.type)),
		el('td', { class: 'soft' }, use ? el('bdi', {}, use) : common.none),
		el('td', { class: 'num' }, bytes(version.bytes)), el('td', { class: 'num' }, count(version.files)), el('td', {}, ago(at)));
}

/* uses: of REST, its first page. */
export function artifactCard({ items, next_cursor: more }) {
	const numberOf = (wanted) => items.filter(({ way }) => way === wanted).length;
	return countedCard(words.name, words.count(numberOf('input'), numberOf('output'), Boolean(more)), null,
		table(words.name, words.heads, items.map(row)), more && el('p', { class: 'note' }, words.isCut(items.length)));
}
