/* Asks for the colour of a run: one of the 24 that the theme has, each a hue with a dash, or any other with a dash. */

import { css, el, field } from '../base/dom.js';
import { colorOf, DASHES, HUES, slotOf, SLOTS } from '../base/slot.js';
import { text } from '../text/list.js';
import { button, toast } from '../ui/controls.js';
import { formDialog } from '../ui/form_dialog.js';
import { swatchOf } from '../ui/run_swatch.js';

const words = text.color;

function preset(slot, { hue, dash, own }, onpick) {
	const isChosen = !own && slot === hue + dash * HUES;
	const name = words.preset((slot % HUES) + 1, words.dashes[Math.floor(slot / HUES)]);
	const props = { type: 'button', class: 'preset', 'aria-label': name, title: name, 'aria-pressed': String(isChosen) };
	return el('button', { ...props, onclick: onpick }, swatchOf({ color_slot: slot }));
}

/* onsend(color): as REST has it, null is back to what it was given; words are why it was not taken. */
export function askColor(run, onsend) {
	const now = colorOf({ slot: slotOf(run), color: run.color });
	const own = el('input', { id: 'run-color', type: 'color', value: now.own || css(`--s${now.hue + 1}`) });
	const dash = el('select', { id: 'run-dash' },
		words.dashes.map((name, at) => el('option', { value: DASHES[at], selected: at === now.dash }, name)));
	const before = { own: own.value, dash: dash.value };
	/* Returns the chosen dash with the run's own colour, or with the present hue if it has none and none was chosen. */
	const chosen = () => now.own || own.value !== before.own ? [own.value, dash.value].filter(Boolean).join('-')
		: `slot-${now.hue + DASHES.indexOf(dash.value) * HUES}`;
	const isChanged = () => own.value !== before.own || dash.value !== before.dash;
	const pick = async (color) => {
		card.close();
		const why = await onsend(color);
		if (why) toast(why);
	};
	const presets = Array.from({ length: SLOTS }, (_, slot) => preset(slot, now, () => pick(`slot-${slot}`)));
	const card = formDialog(words.head, [el('div', { class: 'presets', role: 'group', 'aria-label': words.presets }, presets),
		el('div', { class: 'row' }, field(words.own, own), field(words.dash, dash)),
		run.color && button(words.back, { onclick: () => pick(null) })],
	{ onsend: () => isChanged() ? onsend(chosen()) : '' });
}
