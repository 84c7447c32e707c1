/* Runs coloured by a key, from cool where it is least to warm where it is greatest; words one after the other. */

import { css } from '../../base/dom.js';
import { mixed } from '../../base/palette.js';
import { scaleOf } from '../data/scale.js';

/* runs: [{values, color}]; at: which of the values. Runs without it keep their own colour. */
export function coloredBy(runs, at) {
	if (at < 0) return runs;
	const scale = scaleOf(runs.map(({ values }) => values[at]));
	const [cool, warm] = [css('--heat-fast'), css('--heat-slow')];
	return runs.map((run) => {
		const share = scale.at(run.values[at]);
		return share === null ? run : { ...run, color: mixed(cool, warm, share) };
	});
}
