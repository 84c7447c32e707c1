/* What is known of a run beside its numbers. What was not sent says so. */

import { serverNow } from '../clock.js';
import { el } from '../dom.js';
import { moment, wholeMoment } from '../moments.js';
import { card, iconButton } from '../parts/controls.js';
import { text } from '../text.js';
import { copy } from '../parts/copy.js';
import { facts } from './facts.js';

const words = text.runFacts;

function shown(value, kind) {
	if (value === null || value === undefined || value === '') return el('span', { class: 'muted' }, words.notSent);
	if (kind === 'moment') return el('time', { datetime: value, title: value }, wholeMoment(value));
	if (kind === 'since') return value.at
		? [words.since(value.word), el('time', { datetime: value.at, title: wholeMoment(value.at) }, moment(value.at))]
		: value;
	return el('bdi', {}, String(value));
}

function plain(list) {
	return Object.fromEntries(list.map(([name, value]) => [name, value?.word || value || null]));
}

export function factsCard(data) {
	const list = facts(data, serverNow());
	const node = card(words.name,
		iconButton('copy', words.copy, { class: 'ibtn small', onclick: () => copy(JSON.stringify(plain(list), null, 2)) }),
		el('dl', {}, list.map(([name, value, kind]) =>
			[el('dt', {}, name), el('dd', { class: kind === 'mono' && value && 'mono' }, shown(value, kind))])));
	node.classList.add('fact-card');
	return node;
}
