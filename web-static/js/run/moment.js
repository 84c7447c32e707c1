/*
 * The moment of a run that the user has picked, or the stretch of time, in seconds: it is in the address and is kept
 * from tab to tab.
 */

import { onKey } from '../base/keys.js';
import { onQuery, query, queryText, setQuery } from '../router.js';
import { text } from '../text/run.js';

const ZOOMS = { charts: { x: 'wall' }, system: {} }; /* what shows a stretch of time by its zoom */

/* Returns the query of a link to a tab with the picked moment or span; '' if there is none. */
export function momentQuery(tab) {
	const now = query();
	const kept = ['moment', 'span'].filter((name) => now.has(name)).map((name) => [name, now.get(name)]);
	const zoom = now.has('span') && ZOOMS[tab] ? { ...ZOOMS[tab], zoom: now.get('span') } : {};
	return queryText(new URLSearchParams([...Object.entries(zoom), ...kept]));
}

export function letGo() {
	const now = query();
	const zoom = now.has('span') && now.get('zoom') === now.get('span') ? { zoom: null } : {};
	setQuery({ moment: null, span: null, ...zoom }, { replace: false });
}

/* Esc lets go of it, as long as there is one. Gives back how to stop. */
export function momentKey() {
	let stop = null;

	function look() {
		const isThere = momentQuery() !== '';
		if (isThere && !stop) stop = onKey('Escape', text.runMoment.letGo, letGo);
		if (!isThere) stop = stop?.() ?? null;
	}

	const stopQuery = onQuery(look);
	look();
	return () => {
		stopQuery();
		stop?.();
	};
}
