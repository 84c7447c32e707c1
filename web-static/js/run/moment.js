/*
 * The moment of a run that one has picked, or the stretch of time, in seconds: it stands in the address and goes along
 * from tab to tab.
 */

import { onKey } from '../keys.js';
import { onQuery, query, queryText, setQuery } from '../router.js';
import { text } from '../text.js';

const NAMES = ['moment', 'span'];
const ZOOMS = { charts: { x: 'wall' }, system: {} }; /* what shows a stretch of time by its zoom */

const kept = (from) => NAMES.filter((name) => from.has(name)).map((name) => [name, from.get(name)]);

/* What the link to a tab has of it. */
export function momentQuery(tab, from = query()) {
	const span = from.get('span');
	const zoom = span && ZOOMS[tab] ? { ...ZOOMS[tab], zoom: span } : {};
	return queryText(new URLSearchParams([...Object.entries(zoom), ...kept(from)]));
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
		const isThere = kept(query()).length > 0;
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
