/* The five labels that are furthest behind the middle, and whether that is more than noise. */

import { el } from '../base/dom.js';
import { count } from '../base/format.js';
import { slowest } from '../chart/kinds/ranks.js';
import { text } from '../text/writers.js';
import { countedCard } from './card.js';

const words = text.runSlow;
const FULL = 15; /* per cent that fill the bar */

/* Above 100 % without a fraction, as the numbers next to the strip. */
function signed(percent) {
	const size = Math.abs(percent).toFixed(Math.abs(percent) < 99.95 ? 1 : 0);
	return size === '0.0' ? '0 %' : `${percent < 0 ? '−' : '+'}${count(Number(size))} %`;
}

function row({ label, percent, share, isNoise }) {
	const wide = Math.min(100, Math.abs(percent) / FULL * 100);
	return el('li', { class: 'slow' }, el('bdi', { class: 'clip', title: label }, label),
		el('span', { class: 'slow-bar', 'aria-hidden': 'true' },
			el('i', { class: !isNoise && 'bad', style: { width: `${wide}%` } })),
		el('b', {}, signed(percent)),
		el('span', { class: 'muted' }, isNoise ? words.noise : words.slow(Math.round(share * 100))));
}

export function slowCard(sheet) {
	const rows = slowest(sheet);
	return countedCard(words.name, sheet.name, null, el('div', { class: 'body' },
		rows.length ? el('ul', { class: 'slow-list' }, rows.map(row)) : el('p', { class: 'muted' }, words.none)));
}
