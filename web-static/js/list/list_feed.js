/*
 * Applies changes while the list is in view: known runs change in their places. Others are counted, and added to the
 * list on request, so that nothing moves under the mouse; an empty list takes them at once. After events only the
 * values of columns and the count are read, at most once a second, and more rarely if answers take long; if the tab is
 * hidden, when it is visible again.
 */

import { reread } from '../base/reread.js';
import { follow as followLive } from '../live.js';
import { noteEnd } from './model/late_rows.js';

const LOOK_MS = 1000;
const SHOW_MS = 250; /* between redraws of growing numbers; drawing each frame would keep a core busy */
const PAUSE = 4; /* times as long as an answer took */
const LOOK_MOST = 150; /* runs that are asked for at once */
const SOON_MS = 500; /* to the next look, where what is counted is not yet what it is about to be */
const PATIENCE_MS = { missed: 500, filtered: 1500, plain: 10000 }; /* until a list that is longer than the count is read again */

/* seenIds(): of rows that are seen; drawnIds(): of what charts draw. */
export function listFeed({ address: { entity, project }, model, seenIds, drawnIds, came, lost, changed, wentOn, state, reload,
	follow = followLive }) {
	const changedInRead = new Set(); /* ids of runs whose events arrived while the list is read */
	let known = null; /* runs that the list has */
	let expected = 0;
	let shortSince = null; /* fewer were counted than the list has: events that say which went may be under way */
	let mayMiss = false; /* some of those events may never come */
	let wereNone = false; /* as the server has it: what was just deleted is still found for a while */
	const changedIds = new Map(); /* runs whose values are older than their events: since when, in their order */
	let marks = 0;
	let goingOn = new Set(); /* whose numbers came, and are not shown yet */
	let isOther = false; /* more than numbers came */
	let isCounting = false;
	let readings = 0; /* of the list, under way: its filter may be refused */
	let shownAt = -Infinity;
	let showing = 0;
	let unfollow = () => {};

	function mark(id) {
		if (!changedIds.has(id)) changedIds.set(id, ++marks);
	}

	/* Rows that are seen first; of what is drawn then those that have waited longest, so that all have their turn. */
	function dueIds() {
		const isDue = (id) => changedIds.has(id);
		const seen = changedIds.size ? seenIds().filter(isDue) : [];
		const drawn = changedIds.size ? drawnIds().filter(isDue) : [];
		return [...new Set([...seen, ...drawn.sort((a, b) => changedIds.get(a) - changedIds.get(b))])].slice(0, LOOK_MOST);
	}

	const isIdle = () => readings > 0 || !model.view() || !(isCounting || dueIds().length);
	const soon = () => isIdle() || turns.soon();

	/* Without a filter an event reports each run that leaves; with one no event reports runs that no longer match. */
	function patienceMs() {
		if (mayMiss) return PATIENCE_MS.missed;
		return model.view().filter ? PATIENCE_MS.filtered : PATIENCE_MS.plain;
	}

	/* Returns whether to read the list again. */
	function isShort(count) {
		const now = performance.now();
		if (count >= known) shortSince = null;
		else shortSince ??= now;
		const isLost = shortSince !== null && now - shortSince >= patienceMs();
		if (isLost || shortSince === null) mayMiss = false;
		if (isLost) shortSince = null;
		isCounting ||= shortSince !== null;
		return isLost;
	}

	function counted(count) {
		const isFirst = wereNone && count > 0;
		known ??= count;
		wereNone = count === 0;
		if (isShort(count) || (expected ? count >= expected : isFirst)) return reload();
		if (!expected && count >= known) came(count - known);
		return changed();
	}

	async function look(signal) {
		if (isIdle()) return null;
		const ids = dueIds();
		const wasCounting = isCounting;
		ids.forEach((id) => changedIds.delete(id));
		isCounting = false;
		const { count, fault } = await model.look(ids, wasCounting);
		if (signal.aborted) return null;
		if (fault) {
			ids.forEach(mark);
			isCounting = true;
			state.fail(fault);
			return fault;
		}
		state.fresh();
		await (wasCounting ? counted(count) : changed());
		isCounting ||= expected > 0;
		soon();
		return null;
	}

	const restMs = (took) => expected ? SOON_MS : Math.max(shortSince === null ? LOOK_MS : SOON_MS, PAUSE * took);
	const turns = reread(look, restMs);

	/* Reads these runs and counts again: events from before the stream began may be missing. */
	function begin(ids) {
		mayMiss = true;
		ids.forEach(mark);
		isCounting = true;
		soon();
	}

	function show() {
		showing = 0;
		shownAt = performance.now();
		const ids = goingOn;
		goingOn = new Set();
		if (isOther) changed();
		else wentOn(ids);
		isOther = false;
	}

	const heard = {
		open: () => begin([...seenIds(), ...drawnIds()]),
		again: () => begin([...seenIds(), ...drawnIds(), ...model.loaded().map(({ id }) => id)]),
		end: () => state.fail({ status: 404, body: null }),
		/* Takes events: a run that only logs has four numbers, any other run may have entered or left the list. */
		run({ items }) {
			const whole = items.filter((run) => run.state !== undefined);
			whole.forEach((run) => noteEnd({ ...run, entity, project }));
			model.tell(items);
			whole.forEach(({ id }) => {
				mark(id);
				changedInRead.add(id);
			});
			items.forEach(({ id }) => goingOn.add(id));
			isOther ||= whole.length > 0;
			isCounting ||= whole.length > 0;
			showing ||= setTimeout(show, Math.max(0, shownAt + SHOW_MS - performance.now()));
			soon();
		},
		gone({ items }) {
			lost(items);
			isCounting = true;
			soon();
		},
	};

	return {
		start() {
			wereNone = model.total() === 0;
			unfollow = follow({ entity, project }, ({ type, data }) => heard[type](data));
		},
		/* Others are seen now. */
		moved: () => soon(),
		begins() {
			changedInRead.clear();
			readings++;
		},
		ends() {
			readings--;
			soon();
		},
		/* The list was read again; events of runs that arrived during the read may be newer. */
		began() {
			known = model.total();
			if (known >= expected) expected = 0; /* else what was counted was still that of before they went */
			changedInRead.forEach(mark);
			soon();
		},
		/* Takes the length of the list from the last read: runs that the list does not have count as others. */
		sized() {
			if (readings || known === null || model.total() === known) return;
			known = model.total();
			isCounting = true;
			soon();
		},
		/* So many more are about to be found, and are wanted in the list. */
		expect(count) {
			expected = Math.max(expected, known ?? 0) + count;
			isCounting = true;
			soon();
		},
		stop() {
			turns.stop();
			clearTimeout(showing);
			unfollow();
		},
	};
}
