/* Messages about the list as a whole: no runs, no matches, all runs hidden, what failed and since when. */

import { el, replace } from '../base/dom.js';
import { keysIn, withOtherKey } from '../base/filter_text.js';
import { localClock } from '../base/moments.js';
import { text as common } from '../text/common.js';
import { text } from '../text/list.js';
import { button } from '../ui/controls.js';
import { requestId } from '../ui/fault_words.js';
import { strictest } from './model/filter_parts.js';
import { bySummary, isOfFilter, isRefused, isUnsorted, likeKey, unknownKey, withKeyInstead, withoutKey } from './model/refused.js';

const words = text.workspace;
const SLOW_MS = 400;

/* onempty(isEmpty): whether there is any run, whatever the filter; isTyped(filter): it is what its field has. */
export function listState({ list, model, isTyped, retry, onempty }) {
	const node = el('div', { class: 'runs-state', role: 'status', hidden: true });
	const others = el('span'); /* how many the filter leaves out */
	const lacking = el('span'); /* the key that no run has */
	const part = el('span', { class: 'why' });
	let readAt = null;
	let fault = null;
	let failedAt = null;
	let isOfRows = false; /* which are there no sooner than they were read */
	let slow = 0;
	let said = '';
	let isEmpty = false;
	let isUnread = false; /* its filter was refused before any rows stood */

	function say(kind, ...parts) {
		if (said === kind) return;
		said = kind;
		replace(node, parts);
		node.hidden = !kind;
	}

	async function sayNoMatch() {
		const { filter } = list.seenView();
		const kind = `no-match ${filter}`;
		part.hidden = !isTyped(filter);
		if (said === kind && !isEmpty) return;
		replace(part);
		replace(lacking);
		say(kind, words.noMatch, lacking, ' ', others, ' ',
			button(words.clear, { look: 'small', onclick: () => list.set({ filter: '' }) }), part);
		sayLacking(kind, filter);
		const all = await model.countOf('');
		if (said !== kind || all === null) return;
		others.textContent = all ? words.without(all) : '';
		isEmpty = all === 0;
		onempty(isEmpty);
		const found = all > 0 && await strictest(filter, model.countOf);
		if (said === kind && found) sayPart(found);
	}

	async function sayLacking(kind, filter) {
		const missing = await list.known.missing(keysIn(filter));
		if (said !== kind || !missing) return;
		const { key, meant } = missing;
		const mend = () => list.set({ filter: withOtherKey(list.view().filter, key, meant) });
		replace(lacking, ' ', words.nobodyHas(key), meant && [' ', button(words.meant(meant), { look: 'small', onclick: mend })]);
	}

	/* The filter's field shows the reason. */
	function sayUnread() {
		say('unread', words.notUnderstood, ' ', button(words.clear, { look: 'small', onclick: () => list.set({ filter: '' }) }));
	}

	/* Shows the part of the filter that removes most runs, with a button that takes it out. */
	function sayPart({ part: removed, rest, count }) {
		replace(part, ' ', words.removesMost(removed, count), ' ',
			button(words.takeOutPart(removed), { look: 'small', onclick: () => list.set({ filter: rest }) }));
	}

	/* A filter that finds fewer helps, too. */
	function sayUnsorted() {
		const why = `${words.unsorted}: ${common.fault.of(fault)}. ${words.filterFewer}`;
		say(`unsorted ${why}`, el('span', { class: 'why' }, why), ' ',
			button(words.sortBySummary, { look: 'small', onclick: () => list.set({ sort: bySummary(list.view().sort) }) }));
	}

	/* Shows that the server refused the view in the address: to ask again would not help. */
	function sayRefused() {
		const key = unknownKey(fault);
		const meant = key && likeKey(key, list.known.keys());
		const changes = meant && withKeyInstead(list.view(), key, meant);
		const why = key ? words.unknownKey(key) : `${words.refused}: ${common.fault.of(fault)}`;
		say(`refused ${why} ${meant}`, el('span', { class: 'why' }, why), ' ',
			changes && [button(words.meant(meant), { look: 'small', onclick: () => list.set(changes) }), ' '],
			button(key ? words.takeOutPart(key) : words.takeOutAll,
				{ look: 'small', onclick: () => list.set(withoutKey(list.view(), key)) }));
	}

	function sayFault() {
		if (isUnsorted(fault, list.view().sort)) return sayUnsorted();
		if (isRefused(fault)) return sayRefused();
		const why = common.fault.of(fault);
		const isAway = fault.status === 0 || fault.status === 429 || fault.status >= 500;
		const [when, since] = readAt && isAway ? [words.stale(localClock(readAt)), '']
			: [words.fault, ` ${common.fault.since(localClock(failedAt))}`];
		say(`fault ${why}`, el('span', { class: 'why' }, `${when}: ${why}${since}`, requestId(fault)), ' ',
			button(words.again, { look: 'small', onclick: retry }));
	}

	function take(answer) {
		if (answer) failedAt = fault ? failedAt : new Date();
		fault = answer;
		isOfRows = Boolean(answer) && model.lacks();
	}

	function update() {
		const total = model.total();
		if (isOfRows && !model.lacks()) take(null);
		node.parentElement?.classList.toggle('stale', Boolean(fault && readAt));
		if (fault) return sayFault();
		if (isUnread) return sayUnread();
		if (total === 0 && list.seenView().filter) return sayNoMatch();
		if (total !== null) onempty(total === 0);
		if (total === 0) return say('none', words.none);
		if (total && !list.drawn()) {
			return say('hidden', words.allHidden, ' ',
				button(words.showFirst, { look: 'small', onclick: () => list.set({ show: '10', on: [], off: [] }) }));
		}
		return say('');
	}

	return {
		node, update,
		/* Hides the advice while the typed filter is not the one that it is about. */
		typed() {
			part.hidden = !isTyped(list.seenView().filter);
		},
		begin() {
			clearTimeout(slow);
			slow = setTimeout(() => node.parentElement?.setAttribute('aria-busy', 'true'), SLOW_MS);
		},
		done(answer) {
			clearTimeout(slow);
			node.parentElement?.removeAttribute('aria-busy');
			isUnread = isOfFilter(answer) && !readAt;
			if (!isOfFilter(answer)) take(answer); /* that is no fault of the list */
			if (!answer) readAt = new Date();
			if (isUnread || !isOfFilter(answer)) update();
		},
		fail(answer) {
			if (isOfFilter(answer)) return;
			take(answer);
			update();
		},
		fresh() {
			readAt = new Date();
			if (fault && !isOfRows && !isRefused(fault)) {
				take(null);
				update();
			}
		},
	};
}
