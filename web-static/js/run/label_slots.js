/*
 * Each label of a run has one colour, in charts, system metrics and logs: by the order in which they joined, so that who
 * comes later moves no other. Pure.
 */

import { SLOTS } from '../runs/slot.js';

function slotsInOrder() {
	const known = new Map();
	return (name) => {
		if (!known.has(name)) known.set(name, known.size % SLOTS);
		return known.get(name);
	};
}

const byNumber = (writers) => [...writers].sort((a, b) => a.number - b.number);

/* What tells the slot of a label; of one that no writer has, the next. */
export function labelSlots(writers) {
	const slotOf = slotsInOrder();
	byNumber(writers).forEach(({ label }) => slotOf(label));
	return slotOf;
}

/* Likewise of a host: that of its label where each has one alone. */
export function hostSlots(writers) {
	const labels = new Map();
	for (const { host, label } of byNumber(writers)) labels.set(host || '', new Set(labels.get(host || '')).add(label));
	const areAlone = [...labels.values()].every((those) => those.size === 1);
	const slotOf = areAlone ? labelSlots(writers) : slotsInOrder();
	return (host) => slotOf(areAlone && labels.has(host) ? [...labels.get(host)][0] : host);
}
