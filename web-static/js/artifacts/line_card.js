/* Lines to copy, one text for each way. */

import { root } from '../api.js';
import { el } from '../base/dom.js';
import { text } from '../text/artifacts.js';
import { button } from '../ui/controls.js';
import { copy } from '../ui/copy.js';
import { segmented } from '../ui/segmented.js';
import { logLines } from './snippets.js';

const words = text.artifacts;

export const serverAddress = () => root.href.replace(/\/$/, '');

/* A card that says how to log the first artifact of a project. */
export function firstArtifact({ entity, project }) {
	const texts = logLines({ entity, project, base: serverAddress(), key: words.yourKey });
	const ways = words.ways.filter(([way]) => way in texts);
	const lines = el('pre', { class: 'lines', tabindex: 0, 'aria-label': words.lines }, texts[ways[0][0]]);
	return el('section', { class: 'card roomy first-run', 'aria-label': words.first },
		el('h2', {}, words.first),
		el('p', {}, words.none),
		el('div', { class: 'scroll' }, segmented(words.waysLabel, ways, ways[0][0], (way) => lines.replaceChildren(texts[way]))),
		lines,
		el('div', { class: 'row' }, button(words.copy, { look: 'primary', onclick: () => copy(lines.textContent) }),
			el('p', { class: 'soft' }, words.noKey)));
}
