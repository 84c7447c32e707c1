/* Addresses of sweeps, on the page and in REST. */

import { apiPath, hrefOf } from '../address.js';
import { termText } from '../base/filter_text.js';
import { queryText } from '../router.js';

/* `tab`: of the page of the sweep. */
export function hrefOfSweep({ entity, project, sweep }, tab) {
	return hrefOf(entity, project, 'sweeps', sweep, ...tab && tab !== 'overview' ? [tab] : []);
}

export function sweepPath({ entity, project, sweep }) {
	return `${apiPath(entity, project)}/sweeps/${encodeURIComponent(sweep)}`;
}

/* The workspace with the runs of the sweep alone. */
export function hrefOfRuns({ entity, project, sweep }) {
	return hrefOf(entity, project) + queryText(new URLSearchParams({ q: termText('sweep', ':', sweep) }));
}
