/* How charts are looked at, as the address has it; what is not there is as usual. */

import { text } from '../../text/chart.js';
import { momentOf, zoomOf } from './zoom.js';

const X = { step: '_step', rel: '_relative', proc: '_process', wall: '_timestamp' };
const Y = { y: 'log', xy: 'log', sym: 'sym', xsym: 'sym' };
const X_LOGS = ['x', 'xy', 'xsym'];
export const TIMES = Object.values(X);
const BANDS = ['minmax', 'std', 'sem', 'middle', 'none'];
const SPLITS = ['labels', 'mean'];

export const X_NAMES = Object.keys(X);

export const LEGEND_MOST = 200; /* characters of a pattern of names */
const KEYS = 300; /* offered as x; others are picked */
export const ANOTHER = '\n'; /* no key is called so */

/* Returns the options for x in addition to X_NAMES: [[value, word]], with `own`, the current one. */
export function xKeys(keys, own) {
	const first = keys.slice(0, KEYS);
	const all = (own && !first.includes(own) ? [own, ...first] : first).filter((key) => !X_NAMES.includes(key));
	return [...all.map((key) => [key, key]), ...keys.length > KEYS ? [[ANOTHER, text.charts.anotherKey]] : []];
}

export function lookOf(query) {
	const x = query.get('x') || 'step';
	const weight = Number(query.get('smooth'));
	const band = query.get('band');
	return {
		x: X[x] || x, xName: x, isX: query.has('x'), weight: weight > 0 && weight <= 0.999 ? weight : 0, y: Y[query.get('log')] || 'linear',
		xLog: X_LOGS.includes(query.get('log')), clip: query.get('outliers') !== 'show',
		band: BANDS.includes(band) ? band : 'minmax', isBand: BANDS.includes(band), split: SPLITS.find((one) => one === query.get('split')), zoom: zoomOf(query.get('zoom')),
		empty: query.get('empty') === 'show',
		events: { on: true, off: false }[query.get('marks')], search: query.get('panels') || '', panel: query.get('panel'),
		legend: (query.get('legend') || '').slice(0, LEGEND_MOST), moment: momentOf(query),
	};
}

/* As the address has both axes; null where both are as usual. */
export function logName({ xLog, y }) {
	return `${xLog ? 'x' : ''}${{ linear: '', log: 'y', sym: 'sym' }[y]}` || null;
}

const isMiddle = ({ band }) => band === 'middle';

/* Whether the server has to be asked for something else: buckets along another x, of each writer, or the middle of groups. */
export function isAskedAnew(look, before) {
	return look.x !== before.x || look.isX !== before.isX || look.xLog !== before.xLog || isMiddle(look) !== isMiddle(before)
		|| look.split !== before.split;
}

const given = (value, other) => value === undefined ? other : value;

/* The look of the page with the settings of a panel; defined: x by the program, used if nothing else sets it. */
export function lookOfPanel(look, spec, ownZoom = null, defined = undefined) {
	const x = spec.x ? X[spec.x] || spec.x : !look.isX && defined || look.x;
	return {
		...look, x, xLog: given(spec.xLog, look.xLog) && x !== '_timestamp', y: given(spec.y, look.y),
		window: given(spec.window, 0), weight: given(spec.smooth, look.weight), zoom: x === look.x ? look.zoom : ownZoom,
		legend: given(spec.legend, look.legend), split: given(spec.split, look.split),
		range: [given(spec.min, null), given(spec.max, null)],
	};
}
