/* The tip of charts, the order of their rows, their marks: loaded after the first lines. */

import { plural } from './amounts.js';
import { text as chartText } from './chart.js';

export const text = {
	tip: {
		firstAt: (where) => `first at ${where}`,
		firstWithin: (from, to) => `first between ${from} and ${to}`,
		byLabels: (labels, more) => `by ${labels.join(', ')}${more > 0 ? ` and ${more} more` : ''}`,
		oddHere: (run, nan, inf) => `${run}: ${chartText.charts.odd(nan, inf)}`,
		finiteRuns: (finite, runs) => `finite in ${finite} of ${plural(runs, 'run', 'runs')}`,
		finiteLabels: (finite, labels) => `finite in ${finite} of ${plural(labels, 'label', 'labels')}`,
		between: (low, high, rows) => `${low} to ${high}, ${rows} rows`,
		range: (low, high) => `${low} to ${high}`,
		rowsHere: (rows) => `${plural(rows, 'row', 'rows')} here`,
		middle: (low, high, runs) => `10 to 90 %: ${low} to ${high}, ${plural(runs, 'run', 'runs')}`,
		aroundLabels: (spread, labels) => `± ${spread}, ${labels} labels`,
		ofLabels: (labels) => `${labels} ${labels === 1 ? 'label' : 'labels'}`,
		moreOdd: (lines) => `and ${lines.toLocaleString('en-US')} more with NaN or infinities`,
		silent: (runs) => `${runs} without a value here`,
	},

	rowOrder: {
		sort: { name: 'Sort by x', how: 'x goes back and forth here, so points are joined in the order of their rows.' },
		sorted: 'Sorted by x',
		tooManyRows: (runs) => `x goes back and forth here; ${plural(runs, 'run has', 'runs have')} too many rows to join them in their order, so ${runs === 1 ? 'its' : 'their'} points are joined along x.`,
		inRows: { name: 'Join in row order', how: 'x goes back and forth here; points are joined along x.' },
	},

	marks: {
		becomes: (state) => `becomes ${state}`,
		evaluated: (key, value) => `evaluated: ${key} ${value}`,
		checkpoint: (name) => `checkpoint ${name}`,
		moment: 'picked on the Writers tab',
	},
};
