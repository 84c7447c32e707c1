/* Reads the settings of a comparison from the address, which has only those that differ from the defaults. */

import { listOf } from '../base/query_text.js';
import { readOut, readRoles } from '../list/model/run_view.js';

const CHANGES = ['relative', 'absolute', 'off'];
const PLOTS = ['lines', 'scatter', 'parallel', 'box', 'correlation'];
export const AXES = 8;
export const LINEAR = 'off'; /* no axis is logarithmic, not even where values span decades */

function one(value, of) {
	return of.includes(value) ? value : of[0];
}

export function readView(query) {
	const logs = query.get('slog') || '';
	const plot = one(query.get('plot'), PLOTS);
	return {
		runs: [...new Set(listOf(query.get('runs')))],
		groups: [...new Set(listOf(query.get('groups')))],
		filter: query.get('q') || '', /* of all groups, and of plots of all runs */
		out: readOut(query.get('out')), /* of all groups */
		roles: readRoles(query.get('as')),
		isOnly: query.get('only') !== 'off',
		change: one(query.get('change'), CHANGES),
		find: query.get('find') || '',
		isFlipped: query.get('flip') === 'on',
		pins: listOf(query.get('pin')),
		plot,
		isOfAll: ['box', 'correlation'].includes(plot) || (plot === 'parallel' && query.get('all') === 'on'),
		metric: query.get('metric'),
		by: query.get('by'),
		isWithMetrics: query.get('metrics') === 'on',
		scatter: { x: query.get('sx'), y: query.get('sy'), isLogX: logs.includes('x'), isLogY: logs.includes('y'), isLinear: logs === LINEAR,
			size: query.get('size'), color: query.get('color'), hasFront: query.get('front') === 'on', lower: listOf(query.get('lower')),
			higher: listOf(query.get('higher')) },
		axes: listOf(query.get('axes')).slice(0, AXES),
	};
}
