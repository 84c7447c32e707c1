/* Changes of state: as stretches of one bar, from 0 to 1, how long the run was in each, and whose they are. */

import { text } from '../text/facts.js';

const realOf = (changes) => changes.filter((change) => change.from !== change.to);

/* When the bar begins and ends, in milliseconds, and where its tail does, so that how it ended is seen. */
export function extent(changes, now) {
	const real = realOf(changes);
	const begin = Date.parse(real[0].at);
	const last = real[real.length - 1];
	const end = Math.max(isLive(last.to) ? now : Date.parse(last.at), begin + 1);
	return { begin, end, whole: (end - begin) * (isLive(last.to) ? 1 : 1.04) };
}

export function stretches(changes, now) {
	const real = realOf(changes);
	if (!real.length) return [];
	const { begin, whole } = extent(changes, now);
	return real.map((change, index) => {
		const from = Date.parse(change.at);
		const to = index + 1 < real.length ? Date.parse(real[index + 1].at) : begin + whole;
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
