/*
 * Each label of a run has one colour, in charts, system metrics and logs: by the order in which they joined, so that who
 * comes later moves no other. Pure.
 */

import { SLOTS } from './slot.js';

function slotsInOrder() {
	const known = new Map();
	return (name) => {
		if (!known.has(name)) known.set(name, known.size % SLOTS);
		return known.get(name);
	};
}

const byNumber = (writers) => [...writers].sort((a, b) => a.number - b.number);

/* Returns a function that gives the slot of a label; a label that no writer has gets the next slot. */
export function labelSlots(writers) {
	const slotOf = slotsInOrder();
	byNumber(writers).forEach(({ label }) => slotOf(label));
	return slotOf;
}

/* Likewise of a host: that of its label where each has one of its own. */
export function hostSlots(writers) {
	const pairs = new Set(writers.map(({ host, label }) => JSON.stringify([host || '', label])));
	const labels = new Map(writers.map(({ host, label }) => [host || '', label]));
	const isEach = pairs.size === labels.size && new Set(labels.values()).size === labels.size;
	const nameOf = (host) => isEach ? labels.get(host) ?? host : host;
	const slotOf = slotsInOrder();
	byNumber(writers).forEach(({ host }) => slotOf(nameOf(host || '')));
	return (host) => slotOf(nameOf(host));
}
