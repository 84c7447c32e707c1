/* Controls of the bar over a panel: each edits a part of a spec; {node, show(spec)}. */

import { el, refill } from '../../base/dom.js';
import { setToggle, toggle } from '../../ui/controls.js';

export const labelled = (label, control) =>
	el('label', { class: 'btn choice' }, el('span', { 'aria-hidden': 'true' }, label), control);

export function input(label, read, { name, change, ...props }) {
	const control = el('input', { 'aria-label': label, autocomplete: 'off', ...props, oninput: () => {
		if (control.checkValidity()) change({ [name]: read(control.value) });
	} });
	return {
		node: labelled(label, control),
		show: (spec) => { if (document.activeElement !== control) control.value = spec[name] ?? ''; },
	};
}

export function switchOf(label, { name, change }) {
	const control = toggle(label, false, (on) => change({ [name]: on || undefined }));
	return { node: control, show: (spec) => setToggle(control, Boolean(spec[name])) };
}

export const numberIn = (value) => value.trim() === '' || !Number.isFinite(Number(value)) ? undefined : Number(value);

export const wholeIn = (value) => Math.round(numberIn(value)) || undefined;

/* options(spec): [[value, word]]; '' stands for what is not said. */
export function choice(label, options, { name, change }) {
	const control = el('select', {
		'aria-label': label,
		onchange: () => change({ [name]: control.value || undefined }),
	});
	return {
		node: labelled(label, control),
		show(spec) {
			const list = options(spec);
			const chosen = spec[name] ?? '';
			const all = list.some(([value]) => value === chosen) ? list : [...list, [chosen, chosen]];
			refill(control, all.map(([value, word]) => el('option', { value, selected: value === chosen }, word)));
			control.value = chosen;
		},
	};
}
