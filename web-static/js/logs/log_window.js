/*
 * The lines of a log that are in the document, 400 at most: where more come at one edge, as many go at the other. What is
 * seen does not move.
 */

import { el } from '../base/dom.js';
import { keyOf, lineNode } from './log_line.js';
import { logVoice } from './log_voice.js';
import { wasBefore } from './log_was.js';

const LINES_MAX = 400;
const NEAR_PX = 600; /* of an edge, where it is read on */
const AT_END_PX = 24;
const LINE_PX = 19;

/* look as for lineNode. */
export function logWindow(label, look) {
	const node = el('div',
		{ class: 'scroll log-list', role: 'log', tabindex: 0, 'aria-label': label, 'aria-live': 'off' });
	const voice = logVoice(node);

	const lines = () => [...node.children].map((child) => child.line);
	const below = () => node.scrollHeight - node.scrollTop - node.clientHeight;
	const make = (line) => lineNode(line, look());

	/* Changes the lines, and then scrolls so that one of those that stay is where it was. */
	function keeping(anchor, change) {
		const before = anchor ? anchor.offsetTop - node.scrollTop : 0;
		change();
		if (anchor?.isConnected) node.scrollTop = anchor.offsetTop - before;
	}

	function firstSeen() {
		return [...node.children].find((child) => child.offsetTop + child.offsetHeight > node.scrollTop) || null;
	}

	function inView() {
		const bottom = node.scrollTop + node.clientHeight;
		return [...node.children].filter((child) => child.offsetTop + child.offsetHeight > node.scrollTop
			&& child.offsetTop < bottom);
	}

	function nodeOf(key) {
		return [...node.children].find((child) => keyOf(child.line) === key) || null;
	}

	function toEnd() {
		node.scrollTop = node.scrollHeight;
	}

	/* A line that was written again stays where it is, with its new text. Gives those that are not there. */
	function rewrite(items) {
		const known = new Map([...node.children].map((child) => [keyOf(child.line), child]));
		return items.filter((line) => {
			const old = known.get(keyOf(line));
			if (!old) return true;
			if (old.line.text !== line.text) {
				const fresh = make({ ...line, time: old.line.time, arrival: old.line.arrival,
					was: wasBefore(old.line, line.text) });
				old.replaceWith(fresh);
				known.set(keyOf(line), fresh);
			}
			return false;
		});
	}

	/* Whether some had to go at the edge that `last` gives. */
	function trim(last) {
		const isFull = node.childElementCount > LINES_MAX;
		while (node.childElementCount > LINES_MAX) last().remove();
		return isFull;
	}

	return {
		node,
		lines,
		follow: voice.follow,
		stop: voice.stop,
		edge: (direction) => (direction === 'before' ? node.firstElementChild : node.lastElementChild)?.line,
		isNear: (direction) => (direction === 'before' ? node.scrollTop : below()) < NEAR_PX,
		isDown: () => below() <= AT_END_PX,
		/* Lines that fill what is seen and as much as is read ahead: a list that follows gets no more at once. */
		few: () => Math.min(LINES_MAX, Math.ceil((node.clientHeight + 2 * NEAR_PX) / LINE_PX)),
		/* These and no others. */
		put(items) {
			voice.quiet();
			node.replaceChildren(...items.slice(0, LINES_MAX).map(make));
		},
		/* Whether lines went at the end. */
		prepend(items) {
			let isCut = false;
			keeping(firstSeen(), () => {
				node.prepend(...items.map(make));
				isCut = trim(() => node.lastElementChild);
			});
			return isCut;
		},
		/* Whether lines went at the beginning. */
		append(come, { follows }) {
			const items = rewrite(come);
			let isCut = false;
			if (items.length) voice.added();
			keeping(follows ? null : firstSeen(), () => {
				node.append(...items.map(make));
				isCut = trim(() => node.firstElementChild);
			});
			if (follows) toEnd();
			return isCut;
		},
		rewrite,
		redraw() {
			const anchor = firstSeen();
			const offset = anchor ? anchor.offsetTop - node.scrollTop : 0;
			const at = [...node.children].indexOf(anchor);
			const here = [...node.children].findIndex((child) => child.matches('.here'));
			voice.quiet();
			node.replaceChildren(...lines().map(make));
			node.children[here]?.classList.add('here');
			if (at >= 0) node.scrollTop = node.children[at].offsetTop - offset;
		},
		toEnd,
		/* The first line that is not older is on top. */
		toTime(time) {
			const first = [...node.children].find((child) => child.line.time >= time);
			node.scrollTop = first ? first.offsetTop : node.scrollHeight;
		},
		/* In the middle of what is seen, and marked as the one that was asked for. True when it is among the lines. */
		center(key) {
			const one = nodeOf(key);
			node.querySelector('.here')?.classList.remove('here');
			if (!one) return false;
			one.classList.add('here');
			node.scrollTop = one.offsetTop - node.clientHeight / 2 + one.offsetHeight / 2;
			return true;
		},
		first: () => firstSeen()?.line ?? null,
		/* From when to when; null: nothing is seen. */
		seen() {
			const times = inView().map((child) => child.line.time);
			return times.length ? [Math.min(...times), Math.max(...times)] : null;
		},
		/* The line that was asked for, where it is seen; else the first that is. */
		lookedAt: () => (inView().find((child) => child.matches('.here')) ?? firstSeen())?.line ?? null,
	};
}
