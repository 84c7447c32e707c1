/* How system metrics are looked at, as the address has it; what is not there is as usual. */

import { lookOf } from '../chart/panel/look.js';

const BY = ['metric', 'label', 'host'];
const X = { wall: '_timestamp', rel: '_relative', step: '_step' };

export function systemLookOf(query) {
	const { zoom } = lookOf(query);
	const by = query.get('by');
	const xName = Object.hasOwn(X, query.get('x') || '') ? query.get('x') : 'wall';
	const fields = Object.fromEntries(['panels', 'label', 'device'].map((name) => [name, query.get(name) || '']));
	const usual = { y: 'linear', weight: 0, clip: false, band: 'minmax' };
	return {
		...usual, by: BY.includes(by) ? by : 'metric', xName, x: X[xName], zoom, fields, search: fields.panels,
		panel: query.get('panel'),
	};
}
