/* The end of the console of a run that failed, or of one of its writers. */

import { ask } from '../api.js';
import { asWritten, el, replace } from '../base/dom.js';
import { text } from '../text/writers.js';
import { countedCard } from './card.js';
import { errorLines, plainErrors } from './error_lines.js';
import { readOnChange } from './read_on_change.js';

const words = text.runLines;
const READ = 1000;
const SHOWN = 20;
const ESCAPES = /\x1b\[[0-9;?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|\x1b./g; /* sequences for a terminal */

function plain(line) {
	const bare = line.text.replace(ESCAPES, '').replace(/\r+$/, '');
	return bare.slice(bare.lastIndexOf('\r') + 1);
}

/* With labels where they are of several writers. */
export function linesNode(items, name) {
	const isOfMany = new Set(items.map((line) => line.label)).size > 1;
	return el('pre', { class: 'lines', tabindex: 0, 'aria-label': name },
		items.map((line) => el('span', { class: line.level && 'err' },
			isOfMany && [el('b', {}, line.label), '  '], asWritten(plain(line)), '\n')));
}

export async function lastLinesOf(data, label) {
	const query = new URLSearchParams({ label, order: '-time', limit: SHOWN });
	const answer = await ask('GET', `${data.path}/console?${query}`, undefined, data.options);
	return answer.status === 200 ? answer.body.items.reverse() : [];
}

/* In the order in which they were written; null when they cannot be read. */
async function readLatest(data, more = {}) {
	const query = new URLSearchParams({ order: '-time', limit: READ, ...more });
	const answer = await ask('GET', `${data.path}/console?${query}`, undefined, data.options);
	return answer.status === 200 ? answer.body.items.reverse() : null;
}

/* Error lines if there are any among the latest or the latest of stderr, else what stderr has, else the latest. */
async function readEnd(data) {
	const latest = await readLatest(data);
	if (!latest) return null;
	const errors = errorLines(latest);
	const said = errors.length ? [] : await readLatest(data, { stream: 'stderr' });
	if (!said) return null;
	const kinds = [[words.errors, errors], [words.errors, errorLines(said)], [words.stderr, plainErrors(said)]];
	const [name, items] = kinds.find(([, lines]) => lines.length) ?? [words.name, latest];
	return { name, items: items.slice(-SHOWN) };
}

/* {node, update, stop}; there is nothing of a run that goes on or ended well. */
export function lastLines(data) {
	const node = el('div', { class: 'redrawn' });

	function wanted() {
		return ['failed', 'crashed'].includes(data.run.state) ? `${data.run.state} ${data.run.attempt}` : '';
	}

	function show({ name, items }) {
		replace(node, items.length > 0 && countedCard(name, words.count(items.length), null, linesNode(items, name)));
	}

	const { update, stop } = readOnChange({ wanted, show,
		read: async () => wanted() ? readEnd(data) : { items: [] } });
	update();
	return { node, update, stop };
}
