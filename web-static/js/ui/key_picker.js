/* Keys picked from a list that a search narrows: a text, or a regular expression. */

import { el, replace } from '../base/dom.js';
import { count } from '../base/format.js';
import { text as common } from '../text/common.js';
import { text } from '../text/panels.js';
import { button, field } from './controls.js';
import { matcherOf } from './matcher.js';

const words = text.keyPicker;
const SHOWN = 100;

/* most: so many can be picked. Gives {node, picked, setKeys, input}; onchange(picked). */
export function keyPicker({ keys = [], picked: given = [], most, onchange }) {
	let picked = [...given];
	const search = field('search', words.findKeys, { oninput: paint });
	const input = search.querySelector('input');
	const all = button('', {
		look: 'small',
		onclick: () => change([...new Set([...picked, ...found()])].slice(0, most)),
	});
	const none = button(words.pickNone, { look: 'small', onclick: () => change([]) });
	const list = el('ul', { class: 'keys checks', 'aria-label': common.keyPicker.keys });
	const said = el('p', { class: 'muted', role: 'status' });

	const found = () => keys.filter(matcherOf(input.value.trim()));

	function change(next) {
		picked = next;
		paint();
		onchange?.(picked);
	}

	/* A box that is ticked stays as it is: it may have the focus. */
	function flip(key, isOn) {
		picked = isOn ? [...picked, key] : picked.filter((one) => one !== key);
		tell(found());
		onchange?.(picked);
	}

	function item(key) {
		const box = el('input', {
			type: 'checkbox',
			checked: picked.includes(key),
			onchange: () => flip(key, box.checked),
		});
		return el('li', {}, el('label', { class: 'clip', title: key }, box, key));
	}

	function tell(matching) {
		replace(all, words.pickAll(count(Math.min(matching.length, most))));
		all.disabled = !matching.length;
		none.disabled = !picked.length;
		for (const box of list.querySelectorAll('input')) box.disabled = !box.checked && picked.length >= most;
		replace(
			said,
			[
				words.picked(picked.length, most),
				matching.length > SHOWN && words.moreKeys(count(matching.length - SHOWN)),
			]
				.filter(Boolean)
				.join(' '),
		);
	}

	function paint() {
		const matching = found();
		const first = picked.filter((key) => matching.includes(key));
		const rest = matching.filter((key) => !first.includes(key));
		const shown = [...first, ...rest].slice(0, SHOWN);
		replace(list, shown.length ? shown.map(item) : el('li', { class: 'muted' }, words.noKeys));
		tell(matching);
	}

	/* Other keys; what is picked and not among them goes. */
	function setKeys(next) {
		keys = next;
		picked = picked.filter((key) => keys.includes(key));
		paint();
	}

	paint();
	return {
		node: el('div', { class: 'key-picker' }, search, el('div', { class: 'row' }, all, none), list, said),
		picked: () => picked,
		setKeys,
		input,
	};
}
