/* How to use a version: lines to copy, with this server's address. */

import { serverAddress } from './line_card.js';
import { useLines } from './snippets.js';
import { el, replace } from '../base/dom.js';
import { text } from '../text/artifacts.js';
import { card, iconButton } from '../ui/controls.js';
import { copy } from '../ui/copy.js';
import { segmented } from '../ui/segmented.js';

const words = text.artifact.use;

function lineCard(way, lines) {
	return card(words.kinds[way], iconButton('copy', words.copy(words.kinds[way]), { class: 'ibtn small', onclick: () => copy(lines) }),
		el('div', { class: 'body' }, el('p', { class: 'soft' }, words.hints[way]),
			el('pre', { class: 'lines', tabindex: 0, 'aria-label': words.kinds[way] }, lines)));
}

export async function useTab(address, { version: first }) {
	const names = el('div');
	const lines = el('div', { class: 'artifact-main' });
	let version = first;
	let name = version.aliases.includes(address.version) ? address.version : version.version;

	function drawLines() {
		const texts = useLines({ ...version, version: name }, { base: serverAddress(), key: words.yourKey });
		replace(lines, Object.entries(texts).map(([way, said]) => lineCard(way, said)));
	}

	function draw() {
		const all = [version.version, ...version.aliases];
		if (!all.includes(name)) name = version.version;
		replace(names, segmented(words.version, all, name, (next) => {
			name = next;
			drawLines();
		}));
		drawLines();
	}

	draw();
	return {
		node: el('div', { class: 'page', 'data-scroll': 'page' },
			el('div', { class: 'page-head' }, el('h2', {}, words.head), names), el('p', { class: 'soft' }, words.noKey), lines),
		update(next) {
			version = next;
			draw();
		},
	};
}
