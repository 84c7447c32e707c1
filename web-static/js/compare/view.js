/* What the address says of a comparison; only what differs from the usual is written. */

import { decoded } from '../escapes.js';
import { readOut, readRoles } from '../runs/run_view.js';

const CHANGES = ['relative', 'absolute', 'off'];
const PLOTS = ['lines', 'scatter', 'parallel', 'box', 'correlation'];
export const AXES = 8;

function list(text) {
	return text ? text.split(',').filter(Boolean) : [];
}

/* Keys may have commas: they are written as %2C within theirs. */
function keys(text) {
	return list(text).map(decoded);
}

function one(value, of) {
	return of.includes(value) ? value : of[0];
}

export function readView(query) {
	const logs = query.get('slog') || '';
	const plot = one(query.get('plot'), PLOTS);
	return {
		runs: [...new Set(list(query.get('runs')))],
		groups: [...new Set(list(query.get('groups')))],
		filter: query.get('q') || '', /* of all groups, and of plots of all runs */
		out: readOut(query.get('out')), /* of all groups */
		roles: readRoles(query.get('as')),
		isOnly: query.get('only') !== 'off',
		change: one(query.get('change'), CHANGES),
		find: query.get('find') || '',
		isFlipped: query.get('flip') === 'on',
		pins: keys(query.get('pin')),
		plot,
		isOfAll: ['box', 'correlation'].includes(plot) || (plot === 'parallel' && query.get('all') === 'on'),
		metric: query.get('metric'),
		by: query.get('by'),
		isWithMetrics: query.get('metrics') === 'on',
		scatter: { x: query.get('sx'), y: query.get('sy'), isLogX: logs.includes('x'), isLogY: logs.includes('y'),
			size: query.get('size'), color: query.get('color'), hasFront: query.get('front') === 'on', lower: keys(query.get('lower')),
			higher: keys(query.get('higher')) },
		axes: keys(query.get('axes')).slice(0, AXES),
	};
}
