/*
 * Follows the logs of a run while they are open. Shown lines that change are updated soon; new lines are counted, or
 * read by catchUp. A line is new if no event reported it and it was not shown at the pause; counts and pages that are
 * read may include it before its event comes.
 */

import { reread } from '../base/reread.js';
import { againRounds, atHand, freshOf, readRange } from './log_ranges.js';

const CATCH_UP_MS = 250;
const RATE_MS = 10000; /* in which lines are counted for the rate */

/* How many lines arrive a second, over the last seconds. */
function logRate() {
	let arrived = []; /* [when, how many] */

	return {
		add: (lines) => arrived.push([performance.now(), lines]),
		forget() {
			arrived = arrived.filter(([at]) => performance.now() - at < RATE_MS);
		},
		isAny: () => arrived.length > 0,
		perSecond: () => arrived.reduce((sum, [, lines]) => sum + lines, 0) / (RATE_MS / 1000),
	};
}

/* logs: the page, see pages/run_logs.js. */
export function logNews(logs) {
	const rated = logRate();
	const catching = reread(catchUp, () => CATCH_UP_MS);
	const rewritten = againRounds((range) => shownIn(atHand(range, logs.list.lines())),
		(lines) => logs.list.rewrite(lines));
	let tops = new Map(); /* of each writer the last line that an event reported */

	function heard({ type, data }) {
		if (!['open', 'again', 'console'].includes(type)) return;
		if (type !== 'console') logs.list.age();
		else data?.forEach(come);
		catching.soon();
		if (type === 'open') logs.counts.now(); /* lines may have come since the page was read */
		else logs.counts.soon();
	}

	async function come(range) {
		const top = tops.get(range.writer) ?? -1;
		const fresh = freshOf(range, top);
		tops.set(range.writer, Math.max(range.to, top));
		rated.add(fresh ? fresh.to - fresh.from + 1 : 0);
		if (!logs.only) rewritten.add(range);
		if (!fresh || logs.isFollowing || logs.hidden.has(range.label)) return;
		const all = fresh.to - fresh.from + 1;
		const lines = logs.stream ? (await shownIn(fresh))?.length ?? all : all;
		if (logs.isFollowing) return;
		logs.newer += lines;
		logs.tell();
	}

	async function shownIn(range) {
		const lines = range ? await readRange(logs.path, range, logs.ends.signal) : [];
		return lines?.filter((line) => logs.isShown(line)) ?? null;
	}

	/* The rate is shown until no more lines arrive. */
	async function catchUp() {
		rated.forget();
		const readAgain = !logs.only && await logs.list.again();
		const isWhole = await rewritten.round();
		const follows = logs.isFollowing && !logs.only && !logs.scope.isNone;
		const failed = (follows && await logs.list.catchUp()) || readAgain || (!isWhole && !logs.ends.signal.aborted);
		logs.tell();
		if (rated.isAny()) catching.soon();
		return failed;
	}

	return {
		heard,
		perSecond: rated.perSecond,
		begin(writers) {
			tops = new Map(writers.map((writer) => [writer.number, writer.console_lines - 1]));
		},
		/* These lines are shown, and are not new. */
		stood(lines) {
			for (const { writer, line } of lines) tops.set(writer, Math.max(line, tops.get(writer) ?? -1));
		},
		stop: catching.stop,
	};
}
