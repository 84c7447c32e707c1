/*
 * The layout of a page's panels: read from the address and written there, with what undoes each change. What comes by
 * the address from elsewhere (a view, going back) has no history.
 */

import { AGAIN_MS, isTransient } from '../../base/reread.js';
import { readText, textOf, valueOf } from '../../list/model/layout_value.js';
import { onQuery, query, setQuery } from '../../router.js';
import { text } from '../../text/chart.js';
import { text as common } from '../../text/common.js';
import { toast } from '../../ui/controls.js';
import { layoutText, readLayout } from './layout.js';

const words = text.panels;
const PAST_MOST = 100;

/* changed(): when there is another one. Gives {layout, set, undo, stop, isStopped}; nothing is set after stop(). */
export function layoutKeeper(path, changed) {
	let value = query().get('layout') || '';
	let layout = readLayout(textOf(value));
	let kept = layout; /* as the address has it */
	let past = [];
	let lastTag = null;
	let isStep = false; /* of the history, and not written yet */
	let turn = 0;
	let again = 0;
	let isStopped = false;
	let isTold = false; /* that it cannot be read now */

	function show(next) {
		layout = next;
		changed();
	}

	async function read() {
		const mine = ++turn;
		clearTimeout(again);
		const known = textOf(value);
		const found = known === undefined ? await readText(path, value) : { text: known };
		if (mine !== turn) return;
		if (found.fault && !isTold) toast(found.fault.status === 404 ? words.layoutGone : common.fault.of(found.fault));
		isTold = isTransient(found.fault);
		if (isTold) again = setTimeout(read, AGAIN_MS);
		else show(kept = readLayout(found.text));
	}

	const unfollow = onQuery((now) => {
		const next = now.get('layout') || '';
		if (next === value) return;
		value = next;
		past = [];
		read();
	});

	async function put(next, { isMore }) {
		if (isStopped) return;
		const mine = ++turn;
		clearTimeout(again);
		const isLast = () => mine === turn;
		isStep ||= !isMore;
		show(next);
		const written = await valueOf(path, layoutText(next), isLast);
		if (!isLast()) return;
		if (written === null) {
			toast(words.tooLong);
			return show(kept);
		}
		value = written;
		kept = next;
		setQuery({ layout: written || null }, { replace: !isStep });
		isStep = false;
	}

	if (textOf(value) === undefined) read();
	return {
		layout: () => layout,
		/* Consecutive changes with one tag, as from typing in a field, are one. */
		set(next, tag = null) {
			const isMore = tag !== null && tag === lastTag;
			if (!isMore) past = [...past, layout].slice(-PAST_MOST);
			lastTag = tag;
			put(next, { isMore });
		},
		undo() {
			lastTag = null;
			if (past.length) put(past.pop(), { isMore: false });
		},
		isStopped: () => isStopped,
		stop() {
			isStopped = true;
			turn++;
			clearTimeout(again);
			unfollow();
		},
	};
}
