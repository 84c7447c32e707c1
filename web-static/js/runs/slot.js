/*
 * A run's name and its colour: 8 hues, 3 dashes. Where the server gave no slot, a run has the same one in every browser
 * by its id.
 */

export const HUES = 8;
const DASHES = 3;
export const SLOTS = HUES * DASHES;

export const nameOf = (run) => run.display_name || run.id;

function hashOf(text) {
	let hash = 0x811c9dc5;
	for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
	return hash >>> 0;
}

export function slotOf(run) {
	return Number.isInteger(run.color_slot) ? run.color_slot % SLOTS : hashOf(run.id) % SLOTS;
}

export function hueAndDash(slot) {
	const at = (((slot || 0) % SLOTS) + SLOTS) % SLOTS;
	return { hue: at % HUES, dash: Math.floor(at / HUES) };
}
