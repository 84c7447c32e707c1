/*
 * A window of at most 400 lines in the DOM over however many there are: near an edge it reads on there, and takes
 * away as many at the other. What is seen does not move meanwhile.
 */

import { el } from '../dom.js';
import { keyOf, lineNode } from './log_line.js';
import { logVoice } from './log_voice.js';
import { wasBefore } from './log_was.js';

const LINES_MAX = 400;
const AGAIN_MAX = 1000; /* lines that are read at once to see what became of those that stand there */
const NEAR_PX = 600;
const AT_END_PX = 24;
const LINE_PX = 19;

/* look as for lineNode; told: onscroll(list) when what is seen changed, onfault(answer). */
export function logList(label, look, { onscroll, onfault }) {
	const node = el('div',
		{ class: 'scroll log-list', role: 'log', tabindex: 0, 'aria-label': label, 'aria-live': 'off' });
	const voice = logVoice(node);
	let makePages = null;
	let pages = null;
	let asking = new AbortController();
	let isStart = true;
	let isEnd = true;
	let isCatchingUp = false; /* the end is being read on, and who looks stood at it */
	let turn = 0;
	let jumps = 0;
	let busy = false;
	let isComing = false; /* another place, maybe in another order than that of what still stands there */
	let isOld = false;
	let isStuck = false; /* at the end, where it stays when the window or what is above changes its size */
	let missed = null; /* the way that was asked for while the other was read */

	const lines = () => [...node.children].map((child) => child.line);
	const below = () => node.scrollHeight - node.scrollTop - node.clientHeight;
	const isAtEnd = () => (isEnd || isCatchingUp) && below() <= AT_END_PX;

	/* Lines that fill what is seen and as much as is read ahead: who follows is not shown more at once. */
	function few() {
		return Math.min(LINES_MAX, Math.ceil((node.clientHeight + 2 * NEAR_PX) / LINE_PX));
	}

	function make(line) {
		return lineNode(line, look());
	}

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

	function prepend(items) {
		keeping(firstSeen(), () => {
			node.prepend(...items.map(make));
			while (node.childElementCount > LINES_MAX) {
				node.lastElementChild.remove();
				isEnd = false;
				isCatchingUp = false;
			}
		});
	}

	/* A line that was written again stays where it is, with its new text. */
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

	function addAtEnd(come) {
		const follows = isAtEnd();
		const items = rewrite(come);
		if (items.length) voice.added();
		keeping(follows ? null : firstSeen(), () => {
			node.append(...items.map(make));
			while (node.childElementCount > LINES_MAX) {
				node.firstElementChild.remove();
				isStart = false;
			}
		});
		if (follows) node.scrollTop = node.scrollHeight;
	}

	/* Who follows is shown the end, also where more has come than a page has. Gives what failed, if anything did. */
	async function more(direction) {
		const now = turn;
		const isBack = direction === 'before';
		const edge = isBack ? node.firstElementChild?.line : node.lastElementChild?.line;
		if (!edge || (isBack ? isStart : isEnd)) return;
		if (busy) {
			missed = direction;
			return;
		}
		busy = true;
		try {
			const page = await pages[direction](edge, !isBack && isCatchingUp ? few() : undefined);
			if (now !== turn) return;
			if (!isBack && !page.isEnd && isCatchingUp && isAtEnd()) return !await end(few());
			onfault(null);
			if (isBack) isStart = page.isEnd;
			else isEnd = page.isEnd;
			if (isBack) return prepend(page.items);
			isCatchingUp = false;
			return addAtEnd(page.items);
		} catch (answer) {
			if (now === turn) onfault(answer);
			return now === turn;
		} finally {
			if (now === turn) goOn();
		}
	}

	function goOn() {
		const next = missed;
		busy = false;
		missed = null;
		if (next && isNear(next)) more(next);
	}

	function isNear(direction) {
		return direction === 'before' ? node.scrollTop < NEAR_PX : below() < NEAR_PX;
	}

	function scrolled() {
		isStuck = below() <= AT_END_PX;
		onscroll();
		if (isNear('before')) more('before');
		else if (isNear('after')) more('after');
	}

	/* Somewhere else: what was asked for before is not waited for. */
	async function show(wanted, place) {
		const now = ++turn;
		asking.abort();
		asking = new AbortController();
		pages = makePages(asking.signal);
		busy = true;
		isComing = true;
		missed = null;
		try {
			const page = await wanted();
			if (now !== turn) return false;
			isStart = page.isStart;
			isCatchingUp = page.isEnd && missed === 'after';
			isEnd = page.isEnd && !isCatchingUp;
			const items = page.items.length > LINES_MAX ? page.items.slice(0, LINES_MAX) : page.items;
			voice.quiet();
			node.replaceChildren(...items.map(make));
			place();
			isStuck = below() <= AT_END_PX;
			onfault(null);
			onscroll();
			return true;
		} catch (answer) {
			if (now === turn) onfault(answer);
			return false;
		} finally {
			if (now === turn) {
				isComing = false;
				goOn();
			}
		}
	}

	function end(most) {
		return show(() => pages.end(most), () => {
			node.scrollTop = node.scrollHeight;
		});
	}

	/* What stands there as it is by now; true when it could not be read. */
	async function readAgain() {
		const now = turn;
		const first = node.firstElementChild?.line;
		if (!first) return false;
		try {
			const page = await pages.after({ ...first, line: first.line - 1 }, AGAIN_MAX);
			if (now === turn) rewrite(page.items);
			return false;
		} catch (answer) {
			if (now === turn) onfault(answer);
			return now === turn;
		}
	}

	function nodeOf(key) {
		return [...node.children].find((child) => keyOf(child.line) === key) || null;
	}

	/* In the middle of what is seen, and marked as the one that was asked for. */
	function center(key) {
		const one = nodeOf(key);
		node.querySelector('.here')?.classList.remove('here');
		if (!one) return;
		one.classList.add('here');
		node.scrollTop = one.offsetTop - node.clientHeight / 2 + one.offsetHeight / 2;
	}

	const sizes = new ResizeObserver(() => {
		if (isStuck && (isEnd || isCatchingUp)) node.scrollTop = node.scrollHeight;
	});

	sizes.observe(node);
	node.addEventListener('scroll', scrolled, { passive: true });

	return {
		node,
		lines,
		isAtEnd,
		/* Another number: somebody went elsewhere meanwhile. */
		jumps: () => jumps,
		follow: voice.follow,
		/* make: of a signal, pages as in log_pages.js. */
		setPages: (make) => {
			makePages = make;
		},
		end: () => {
			jumps++;
			return end();
		},
		goTo: (place, key) => {
			jumps++;
			return show(() => pages.around(place), () => {
				if (key) return center(key);
				const first = [...node.children].find((child) => child.line.time >= place.time);
				node.scrollTop = first ? first.offsetTop : node.scrollHeight;
				return null;
			});
		},
		/* True when it is among the lines at hand. */
		find: (key) => {
			center(key);
			return Boolean(nodeOf(key));
		},
		/* Some of it may have been written again, which nobody told. */
		age() {
			isOld = true;
		},
		/* True when it is to be tried again. */
		async again() {
			if (!isOld || isComing) return isOld;
			isOld = false;
			const hasFailed = await readAgain();
			isOld ||= hasFailed;
			return hasFailed;
		},
		/* What came since the last line, and where it goes on from. True when it could not be read. */
		async catchUp() {
			const edge = node.lastElementChild?.line;
			if (!edge) return !await end();
			isCatchingUp = isAtEnd();
			isEnd = false;
			return more('after');
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
		seen() {
			const times = inView().map((child) => child.line.time);
			return times.length ? [Math.min(...times), Math.max(...times)] : null;
		},
		first: () => firstSeen()?.line ?? null,
		/* The line that was asked for, where it is seen; else the first that is. */
		lookedAt: () => (inView().find((child) => child.matches('.here')) ?? firstSeen())?.line ?? null,
		stop: () => {
			sizes.disconnect();
			voice.stop();
			turn++;
			asking.abort();
		},
	};
}
