/* Alerts of a run, the latest first; without any there is nothing. */

import { el } from '../base/dom.js';
import { count } from '../base/format.js';
import { text as common } from '../text/common.js';
import { text } from '../text/overview.js';
import { ago } from '../ui/times.js';
import { countedCard, table } from './card.js';

const words = text.runAlerts;
const SHOWN = 20;

function row(alert) {
	return el('tr', {}, el('td', {}, ago(alert.created_at)),
		el('td', { class: `level ${alert.level}` }, words.levels[alert.level]),
		el('th', { scope: 'row' }, el('bdi', {}, alert.title),
			alert.repeats > 0 && el('span', { class: 'muted' }, ` ×${count(alert.repeats + 1)}`)),
		el('td', { class: 'soft why' }, el('bdi', {}, alert.text)),
			el('td', {}, el('bdi', {}, alert.label || alert.user || common.none)));
}

export function alertCard({ alerts }) {
	if (!alerts.length) return null;
	return countedCard(words.name, count(alerts.length), null,
		table(words.name, words.heads, alerts.slice(-SHOWN).reverse().map(row)));
}
