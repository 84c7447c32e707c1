/* Shows the lines that make a program resume a run that has ended, or join one that is running. */

import { root } from '../api.js';
import { el } from '../base/dom.js';
import { text } from '../text/run_dialogs.js';
import { button } from '../ui/controls.js';
import { copy } from '../ui/copy.js';
import { dialog } from '../ui/dialog.js';
import { segmented } from '../ui/segmented.js';
import { resumeLines } from './model/resume_lines.js';

const words = text.resume;

export function showResume({ entity, project, id }) {
	const texts = resumeLines({ base: root.href.replace(/\/$/, ''), entity, project, run: id });
	const ways = words.ways.filter(([way]) => way in texts);
	const lines = el('pre', { class: 'lines', tabindex: 0, 'aria-label': words.lines });
	const hint = el('p', { class: 'soft' });

	function pick(way) {
		lines.textContent = texts[way];
		hint.textContent = words.hints[way];
	}

	pick(ways[0][0]);
	const card = dialog(words.head(id),
		[el('p', {}, words.how), segmented(words.waysLabel, ways, ways[0][0], pick), hint, lines],
		{ look: 'wide', actions: [button(words.copy, { look: 'primary', onclick: () => {
			card.close();
			copy(lines.textContent);
		} })] });
}
