/*
 * The layout of a page's panels: read from the address and written there, with what undoes each change. What comes by the
 * address from elsewhere (a view, going back) begins anew.
 */

import { onQuery, query, setQuery } from '../router.js';
import { readText, textOf, valueOf } from '../runs/layout_value.js';
import { text } from '../text.js';
import { toast } from '../parts/controls.js';
import { layoutText, readLayout } from './layout.js';

const words = text.panels;
const PAST_MOST = 100;

/* changed(): when there is another one. Gives {layout, set, undo, stop}. */
export function layoutKeeper(path, changed) {
	let value = query().get('layout') || '';
	let layout = readLayout(textOf(value));
	let past = [];
	let lastTag = null;
	let turn = 0;

	async function read() {
		const mine = ++turn;
		const known = textOf(value);
		const found = known === undefined ? await readText(path, value) : known;
		if (mine !== turn) return;
		if (found === null) toast(words.layoutGone);
		layout = readLayout(found);
		changed();
	}

	const unfollow = onQuery((now) => {
		const next = now.get('layout') || '';
		if (next === value) return;
		value = next;
		past = [];
		read();
	});

	async function put(next, options) {
		const before = layout;
		const mine = ++turn;
		layout = next;
		changed();
		const written = await valueOf(path, layoutText(next));
		if (mine !== turn) return;
		if (written === null) {
			layout = before;
			changed();
			toast(words.tooLong);
			return;
		}
		value = written;
		setQuery({ layout: written || null }, options);
	}

	if (textOf(value) === undefined) read();
	return {
		layout: () => layout,
		/* Changes of one tag after each other, as of a field that somebody types in, are one. */
		set(next, tag = null) {
			const isMore = tag !== null && tag === lastTag;
			if (!isMore) past = [...past, layout].slice(-PAST_MOST);
			lastTag = tag;
			put(next, { replace: isMore });
		},
		undo() {
			lastTag = null;
			if (past.length) put(past.pop(), { replace: false });
		},
		stop() {
			turn++;
			unfollow();
		},
	};
}
