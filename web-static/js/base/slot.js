/*
 * A run's name and its colour: 8 hues, 3 dashes. Where the server gave no slot, a run has the same one in every browser
 * by its id. A person may choose another slot ("slot-5"), or any colour ("#1f77b4", "#1f77b4-dash"). Where runs are
 * coloured by a key each has its share of one hue ("tint-37", "tint-none"), with the dash of its slot.
 */

export const HUES = 8;
export const DASHES = ['', 'dash', 'dot'];
export const STROKES = [...DASHES, 'base']; /* a baseline has one that no other line has */
export const SLOTS = HUES * DASHES.length;
const OWN = /^(#[0-9a-f]{6})(?:-(dash|dot))?$/i;
const TINT = /^tint-(\d{1,3}|none)$/;
const CHOSEN = /^slot-(\d{1,2})$/;

export const nameOf = (run) => run.display_name || run.id;

export function hashOf(text) {
	let hash = 0x811c9dc5;
	for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
	return hash >>> 0;
}

export function slotOf(run) {
	return Number.isInteger(run.color_slot) ? run.color_slot % SLOTS : hashOf(run.id) % SLOTS;
}

/* On a page of its own, where no other run has its hue, its line is whole. */
export const slotAlone = (run) => slotOf(run) % HUES;

export function hueAndDash(slot) {
	const at = (((slot || 0) % SLOTS) + SLOTS) % SLOTS;
	return { hue: at % HUES, dash: Math.floor(at / HUES) };
}

/* How it is drawn: {own: "#rrggbb" or null, hue, dash: which of DASHES}, and `tint` where it has a share of one hue. */
export function colorOf({ slot, color }) {
	const [, own, dash = ''] = OWN.exec(color || '') || [];
	if (own) return { own, hue: 0, dash: DASHES.indexOf(dash) };
	const [, tint] = TINT.exec(color || '') || [];
	if (tint) return { own: null, tint, ...hueAndDash(slot) };
	const [, chosen = slot] = CHOSEN.exec(color || '') || [];
	return { own: null, ...hueAndDash(Number(chosen)) };
}

/* Which of STROKES it is drawn with; `dash` is one of its own, as of the keys of a panel. */
export function dashAt(line) {
	if (line.dash !== undefined) return line.dash % DASHES.length;
	return line.isBase ? DASHES.length : colorOf(line).dash;
}

/* How a run looks in plots. */
export function styleOfRun(run) {
	return { id: run.id, name: nameOf(run), slot: slotOf(run), color: run.color };
}
