/* Card of facts about a run other than its numbers. A fact that was not sent is marked as such. */

import { hrefOf } from '../address.js';
import { serverNow } from '../base/clock.js';
import { el } from '../base/dom.js';
import { moment, wholeMoment } from '../base/moments.js';
import { text } from '../text/facts.js';
import { card, iconButton } from '../ui/controls.js';
import { copy } from '../ui/copy.js';
import { facts, wordsOf } from './facts.js';

const words = text.runFacts;

function link({ words: said, run, sweep, tab, query }, address) {
	const { entity, project } = address;
	const href = sweep ? hrefOf(entity, project, 'sweeps', sweep) : hrefOf(entity, project, 'runs', run ?? address.run, ...tab ? [tab] : []);
	return el('a', { href: query ? `${href}?${new URLSearchParams(query)}` : href, 'data-key': `fact-${said}` },
		el('bdi', {}, said));
}

function shown(value, kind, address) {
	if (Array.isArray(value)) return value.map((part) => part.words ? link(part, address) : el('bdi', {}, part));
	if (value === null || value === undefined || value === '') return el('span', { class: 'muted' }, words.notSent);
	if (kind === 'moment') return el('time', { datetime: value, title: value }, wholeMoment(value));
	if (kind === 'since') return value.at
		? [words.since(value.word), el('time', { datetime: value.at, title: wholeMoment(value.at) }, moment(value.at))]
		: value;
	return el('bdi', {}, String(value));
}

function plain(list) {
	return Object.fromEntries(list.map(([name, value]) => [name, value?.word || wordsOf(value) || null]));
}

export function factsCard(data) {
	const list = facts(data, serverNow());
	const node = card(words.name,
		iconButton('copy', words.copy, { class: 'ibtn small', onclick: () => copy(JSON.stringify(plain(list), null, 2)) }),
		el('dl', {}, list.map(([name, value, kind]) =>
			[el('dt', {}, name), el('dd', { class: kind === 'mono' && value && 'mono' }, shown(value, kind, data.address))])));
	node.classList.add('fact-card');
	return node;
}
