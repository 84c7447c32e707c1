/* What the colours of a strip mean: the ends of the ramp, and what is hatched. */

import { el } from '../../base/dom.js';

/* ramp: as run.css names them: high, low, use. */
export function heatKey({ from, to, ramp }, silent) {
	return el('div', { class: 'heat-key', 'aria-hidden': 'true' }, el('span', {}, from),
		el('i', { class: `ramp ${ramp}` }),
		el('span', {}, to), el('i', { class: 'hatch' }), el('span', {}, silent));
}
