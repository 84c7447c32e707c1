/* Changes of state: as stretches of one bar, from 0 to 1, how long the run was in each, and whose they are. */

import { text } from '../text/facts.js';

/* With their times in milliseconds. No change is later than one after it: the end of a process that was told afterwards has the
 * time at which the process ended, and what was noted until then is not of its time. */
function realOf(changes) {
	const real = changes.filter((change) => change.from !== change.to).map((change) => ({ ...change, time: Date.parse(change.at) }));
	for (let at = real.length - 2; at >= 0; at--) real[at].time = Math.min(real[at].time, real[at + 1].time);
	return real;
}

/* When the bar begins and ends, in milliseconds, and where its tail does, so that how it ended is seen. */
export function extent(changes, now) {
	const real = realOf(changes);
	const begin = real[0].time;
	const last = real[real.length - 1];
	const end = Math.max(isLive(last.to) ? now : last.time, begin + 1);
	return { begin, end, whole: (end - begin) * (isLive(last.to) ? 1 : 1.04) };
}

export function stretches(changes, now) {
	const real = realOf(changes);
	if (!real.length) return [];
	const { begin, whole } = extent(changes, now);
	return real.map((change, index) => {
		const from = change.time;
		const to = index + 1 < real.length ? real[index + 1].time : begin + whole;
		return { state: change.to, from: (from - begin) / whole, to: (to - begin) / whole, seconds: (to - from) / 1000,
			ends: index + 1 < real.length || isLive(change.to) };
	});
}

export function isLive(state) {
	return state === 'running' || state === 'preempting' || state === 'pending';
}

/* Seconds from the first change on, and of them those it ran. */
export function spans(changes, now) {
	const all = stretches(changes, now).filter((one) => one.ends);
	const sum = (list) => list.reduce((total, one) => total + one.seconds, 0);
	return { wall: sum(all), running: sum(all.filter((one) => one.state === 'running' || one.state === 'preempting')) };
}

/* Returns who made a change of state. */
export function authorOf(change) {
	if (change.who === 'writer') return text.authors.byWriter(change.label || '');
	return change.user || text.authors.who[change.who] || change.who;
}
