/* Shows the values that were left out of a run's requests: where, the name, why, how often, and a sample. */

import { askAll, root } from '../api.js';
import { el, replace } from '../base/dom.js';
import { count } from '../base/format.js';
import { text } from '../text/overview.js';
import { dialog } from '../ui/dialog.js';
import { table } from './card.js';

const words = text.leftOut;
const SHORT = 80; /* characters of a value that are shown at once */

function sample(item) {
	if (item.sample.length <= SHORT) return el('bdi', { class: 'mono' }, item.sample);
	return el('details', {}, el('summary', { class: 'mono' }, el('bdi', {}, item.sample.slice(0, SHORT), '…')),
		el('pre', { class: 'lines', tabindex: 0, 'aria-label': words.valueOf(item.name) }, item.sample));
}

function row(item) {
	return el('tr', {}, el('td', {}, words.kinds[item.kind] ?? item.kind),
		el('th', { scope: 'row', class: 'wraps' }, el('bdi', {}, item.name || words.noName)),
		el('td', { class: 'wraps' }, words.reasons[item.reason] ?? item.reason),
		el('td', { class: 'num' }, count(item.count)), el('td', { class: 'wraps' }, sample(item)));
}

function raw(data, part, name) {
	return el('a', { class: 'btn small', href: new URL(`api/v1/${data.path}/${part}`, root).href, target: '_blank', rel: 'noopener' }, name);
}

function found(items, { left_out: values }) {
	const named = items.reduce((sum, item) => sum + item.count, 0);
	return [table(words.name, words.heads, items.map(row)),
		values > named && el('p', { class: 'muted' }, words.more(count(values - named)))];
}

export async function showLeftOut(data) {
	const { run } = data;
	const body = el('div', {}, el('p', { class: 'muted' }, words.reading));
	dialog(words.name, [el('p', {}, words.how), body], {
		look: 'wide',
		actions: [run.unread_lines > 0 && raw(data, 'unread', words.lines(count(run.unread_lines))),
			run.left_out > 0 && raw(data, 'left-out', words.raw)],
	});
	const { status, body: answer } = await askAll(`${data.path}/left-out`, data.options);
	if (status !== 200) replace(body, el('p', { class: 'note', role: 'alert' }, words.failed));
	else replace(body, answer.items.length > 0 && found(answer.items, run));
}
