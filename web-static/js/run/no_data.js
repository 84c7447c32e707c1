/* Says why there may be no data of a run that was killed, or fell silent, before its client sent any. */

import { el } from '../base/dom.js';
import { duration } from '../base/format.js';
import { text } from '../text/overview.js';
import { icon } from '../ui/icons.js';
import { redrawn } from '../ui/redrawn.js';

const words = text.runNoData;
const ENDED_BY_FORCE = ['crashed', 'killed'];

/* Returns whether no process of the run reported its end or is heard, and no rows and lines were received. */
function hasNoData(data) {
	const { run, writers } = data;
	if (run.rows > 0 || writers.some(({ console_lines: lines }) => lines > 0)) return false;
	if (run.ended_at) return ENDED_BY_FORCE.includes(run.state);
	const { counts } = data.look();
	return !counts.alive && (counts.late ?? 0) + (counts.lost ?? 0) > 0;
}

/* Returns why there may be no data; '' if there is some, or may still come. */
export function noDataText(data) {
	if (!hasNoData(data)) return '';
	return [words.what, words.why, data.run.ended_at ? words.memory : words.soon(duration(data.limit))].join(' ');
}

export function noDataNote(data) {
	return redrawn(() => noDataText(data), () => {
		const why = noDataText(data);
		return why && el('div', { class: 'card note', role: 'status' }, icon('info'), el('p', {}, why));
	});
}
