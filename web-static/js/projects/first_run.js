/*
 * How to make the first run of a project: lines to copy, with this server's address, and with a key when one asks for
 * it.
 */

import { ask, root } from '../api.js';
import { el, setText } from '../base/dom.js';
import { text as common } from '../text/common.js';
import { text } from '../text/first_run.js';
import { button } from '../ui/controls.js';
import { copy } from '../ui/copy.js';
import { segmented } from '../ui/segmented.js';
import { firstLines } from './first_lines.js';

const words = text.firstRun;

/* A card; `head` is its heading. */
export function firstRun({ entity, project, head }) {
	const lines = el('pre', { class: 'lines', tabindex: 0, 'aria-label': words.lines });
	const hint = el('p', { class: 'soft' });
	const told = el('p', { class: 'soft', role: 'status' }, words.noKey);
	const makeKey = button(words.makeKey, { onclick: make });
	const linesWith = (key) => firstLines({ base: root.href.replace(/\/$/, ''), entity, project, key });
	let texts = linesWith(words.yourKey);
	const ways = words.ways.filter(([way]) => way in texts);
	let [[way]] = ways;

	function draw() {
		lines.textContent = texts[way];
		hint.textContent = words.hints[way];
	}

	function pick(next) {
		way = next;
		draw();
	}

	async function make() {
		makeKey.disabled = true;
		const answer = await ask('POST', 'viewer/keys', { name: words.keyName, scope: 'write' });
		makeKey.disabled = false;
		setText(told, answer.status === 201 ? words.made : common.fault.of(answer));
		if (answer.status !== 201) return;
		texts = linesWith(answer.body.key);
		makeKey.hidden = true;
		draw();
	}

	draw();
	return el('section', { class: 'card roomy first-run', 'aria-label': words.name },
		head,
		el('p', {}, words.how),
		el('div', { class: 'scroll' }, segmented(words.waysLabel, ways, way, pick)),
		hint,
		lines,
		el('div', { class: 'row' }, button(words.copy, { look: 'primary', onclick: () => copy(lines.textContent) }), makeKey,
			told),
		el('p', { class: 'soft' }, words.nothing, ' ', el('code', {}, words.doctor)));
}
