/* A run's colour: 8 hues, 3 dashes. Where the server gave no slot, a run has the same one in every browser by its id. */

const SLOTS = 24;

function hashOf(text) {
	let hash = 0x811c9dc5;
	for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
	return hash >>> 0;
}

export function slotOf(run) {
	return Number.isInteger(run.color_slot) ? run.color_slot % SLOTS : hashOf(run.id) % SLOTS;
}

export function hueAndDash(slot) {
	return { hue: slot % 8, dash: Math.floor(slot / 8) % 3 };
}
