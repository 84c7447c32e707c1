/* The bar over a panel in full screen: what it says of the panel is seen at once, and is undone by Ctrl+Z. */

import { el, replace } from '../dom.js';
import { button, dialog } from '../parts/controls.js';
import { keyPicker } from '../parts/key_picker.js';
import { text } from '../text.js';
import { KINDS, kindOf } from './kinds.js';
import { KEYS_MOST } from './layout.js';
import { X_NAMES } from './look.js';

const words = text.panels;
const KEYS = 300; /* offered as x */

const labelled = (label, control) => el('label', { class: 'btn choice' }, el('span', { 'aria-hidden': 'true' }, label), control);

function input(label, read, { name, change, ...props }) {
	const control = el('input', { 'aria-label': label, autocomplete: 'off', ...props, oninput: () => {
		if (control.checkValidity()) change({ [name]: read(control.value) });
	} });
	return {
		node: labelled(label, control),
		show: (spec) => { if (document.activeElement !== control) control.value = spec[name] ?? ''; },
	};
}

const numberIn = (value) => value.trim() === '' || !Number.isFinite(Number(value)) ? undefined : Number(value);

/* options(spec): [[value, word]]; '' stands for what is not said. */
function choice(label, options, { name, change }) {
	const control = el('select', { 'aria-label': label, onchange: () => change({ [name]: control.value || undefined }) });
	return {
		node: labelled(label, control),
		show(spec) {
			const list = options(spec);
			const chosen = spec[name] ?? '';
			const all = list.some(([value]) => value === chosen) ? list : [...list, [chosen, chosen]];
			replace(control, all.map(([value, word]) => el('option', { value, selected: value === chosen }, word)));
		},
	};
}

function range({ change }) {
	const low = input(words.min, numberIn, { name: 'min', change, inputmode: 'decimal', size: 6 });
	const high = input(words.max, numberIn, { name: 'max', change, inputmode: 'decimal', size: 6 });
	const zero = button(words.fromZero, { look: 'plain', onclick: () => change({ min: 0 }) });
	return { node: [low.node, high.node, zero], show: (spec) => [low, high].forEach((one) => one.show(spec)) };
}

/* What can be said of a panel beside its title, kind and keys: by the names that kinds.js has. */
const EDITS = {
	x: ({ keys, change }) => choice(words.x, () => [['', words.asPage], ...text.charts.xNames,
		...keys().filter((key) => !X_NAMES.includes(key)).slice(0, KEYS).map((key) => [key, key])], { name: 'x', change }),
	y: ({ change }) => choice(words.y, () => [['', words.asPage], ...words.scales], { name: 'y', change }),
	smooth: ({ change }) => input(words.smooth, numberIn, { name: 'smooth', change, type: 'number', min: 0, max: 0.999, step: 'any', placeholder: words.asPage }),
	range,
};

function pickKeys({ spec, keys, change }) {
	const most = kindOf(spec).many ? KEYS_MOST : 1;
	const picker = keyPicker({ keys: keys(), picked: spec.keys, most, onchange: (picked) => picked.length && change({ keys: picked }) });
	dialog(words.keys, picker.node, {});
	picker.input.focus();
}

/* change(part of a spec); keys(): those that there are. Gives {node, show(spec)}. */
export function panelEdit({ keys, change }) {
	let spec = null;
	let parts = [];
	let drawn = null;
	const node = el('div', { class: 'chart-bar edit-bar', role: 'toolbar', 'aria-label': words.edit });

	function controls() {
		const kind = kindOf(spec);
		const pick = kind.needs === 'keys' && button(words.keysOf(spec.keys.length), { onclick: () => pickKeys({ spec, keys, change }) });
		parts = [input(words.title, (value) => value, { name: 'title', change, maxlength: 256 }),
			choice(words.kind, () => Object.keys(KINDS).map((name) => [name, words.kinds[name]]), { name: 'kind', change }),
			...kind.edits.map((name) => EDITS[name]({ keys, change }))];
		replace(node, parts[0].node, pick, parts.slice(1).map((part) => part.node));
	}

	return {
		node,
		show(next) {
			const looks = JSON.stringify([next.id, next.kind, next.keys.length]);
			spec = next;
			if (looks !== drawn) controls();
			drawn = looks;
			for (const part of parts) part.show(spec);
		},
	};
}
