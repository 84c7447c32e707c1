/*
 * A list over however many lines there are, of which few are in the document (log_window.js): near an edge it reads on
 * there, one page at a time, and at the end it goes on with what comes.
 */

import { logWindow } from './log_window.js';

const AGAIN_MAX = 1000; /* lines that are read at once to update those that are shown */

/* look as for lineNode; told: onscroll(list) when what is seen changed, onfault(answer). */
export function logList(label, look, { onscroll, onfault }) {
	const shown = logWindow(label, look);
	let makePages = null;
	let pages = null;
	let asking = new AbortController();
	let isStart = true;
	let isEnd = true;
	let isCatchingUp = false; /* the end is being read, and the list was at it */
	let turn = 0;
	let jumps = 0;
	let busy = false;
	let isComing = false; /* another place, maybe in another order than the lines that are still shown */
	let isOld = false;
	let isStuck = false; /* at the end, where it stays when the window or what is above changes its size */
	let missed = null; /* the way that was asked for while the other was read */

	const isAtEnd = () => (isEnd || isCatchingUp) && shown.isDown();

	function addBefore(page) {
		isStart = page.isEnd;
		if (shown.prepend(page.items)) isEnd = isCatchingUp = false;
	}

	function addAfter(page) {
		isEnd = page.isEnd;
		isCatchingUp = false;
		if (shown.append(page.items, { follows: isAtEnd() })) isStart = false;
	}

	/* Reads more lines. If the user follows the log, shows its end, also if more lines came than a page has. */
	async function more(direction) {
		const now = turn;
		const isBack = direction === 'before';
		const edge = shown.edge(direction);
		if (!edge || (isBack ? isStart : isEnd)) return;
		if (busy) {
			missed = direction;
			return;
		}
		busy = true;
		try {
			const page = await pages[direction](edge, !isBack && isCatchingUp ? shown.few() : undefined);
			if (now !== turn) return;
			if (!isBack && !page.isEnd && isCatchingUp && isAtEnd()) return !await end(shown.few());
			onfault(null);
			return isBack ? addBefore(page) : addAfter(page);
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
		if (next && shown.isNear(next)) more(next);
	}

	function scrolled() {
		isStuck = shown.isDown();
		onscroll();
		if (shown.isNear('before')) more('before');
		else if (shown.isNear('after')) more('after');
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
			shown.put(page.items);
			place();
			isStuck = shown.isDown();
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

	const end = (most) => show(() => pages.end(most), shown.toEnd);

	/* Reads the shown lines again; returns true if that failed. */
	async function readAgain() {
		const now = turn;
		const first = shown.edge('before');
		if (!first) return false;
		try {
			const page = await pages.after({ ...first, line: first.line - 1 }, AGAIN_MAX);
			if (now === turn) shown.rewrite(page.items);
			return false;
		} catch (answer) {
			if (now === turn) onfault(answer);
			return now === turn;
		}
	}

	const sizes = new ResizeObserver(() => {
		if (isStuck && (isEnd || isCatchingUp)) shown.toEnd();
	});

	sizes.observe(shown.node);
	shown.node.addEventListener('scroll', scrolled, { passive: true });

	const { node, lines, follow, rewrite, redraw, first, seen, lookedAt } = shown;
	return {
		node,
		lines,
		follow,
		rewrite,
		redraw,
		find: shown.center,
		first,
		seen,
		lookedAt,
		isAtEnd,
		/* Another number: the user has gone elsewhere. */
		jumps: () => jumps,
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
			return show(() => pages.around(place), () => key ? shown.center(key) : shown.toTime(place.time));
		},
		/* Some of it may have been overwritten without an event. */
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
		/* Reads the lines after the last one, and goes on from there. Returns true if that failed. */
		async catchUp() {
			const edge = shown.edge('after');
			if (!edge) return !await end();
			isCatchingUp = isAtEnd();
			isEnd = false;
			return more('after');
		},
		stop: () => {
			sizes.disconnect();
			shown.stop();
			turn++;
			asking.abort();
		},
	};
}
