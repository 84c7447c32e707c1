/* Lines to copy: those that start a sweep, and those that start its agents. */

import { serverAddress } from '../artifacts/line_card.js';
import { el } from '../base/dom.js';
import { text } from '../text/sweeps.js';
import { button } from '../ui/controls.js';
import { copy } from '../ui/copy.js';
import { segmented } from '../ui/segmented.js';
import { agentLines, startLines } from './snippets.js';

const words = text.sweeps;

function linesNode(texts, told, ...more) {
	const ways = words.ways.filter(([way]) => way in texts);
	const lines = el('pre', { class: 'lines', tabindex: 0, 'aria-label': words.lines }, texts[ways[0][0]]);
	return [told && el('p', {}, told),
		el('div', { class: 'scroll' }, segmented(words.waysLabel, ways, ways[0][0], (way) => lines.replaceChildren(texts[way]))),
		lines,
		el('div', { class: 'row' }, button(words.copy, { look: 'primary', onclick: () => copy(lines.textContent) }), more,
			el('p', { class: 'soft' }, words.noKey))];
}

const placed = (address) => ({ ...address, base: serverAddress(), key: words.yourKey });

/* A card that says how to start the first sweep of a project. */
export function firstSweep(address, ...more) {
	return el('section', { class: 'card roomy first-run', 'aria-label': words.first },
		el('h2', {}, words.first), linesNode(startLines(placed(address)), words.none, more));
}

/* How to run trials of the sweep. */
export function agentNodes(address, told) {
	return linesNode(agentLines(placed(address)), told);
}
