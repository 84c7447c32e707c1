/* The change of a number against the baseline's, as it is shown. */

import { el } from '../dom.js';
import { number } from '../format.js';
import { text } from '../text.js';
import { judged } from './model.js';

const words = text.compare;

/* shown: how numbers of this kind are written. */
function changeText(change, kind, shown) {
	const signed = (value, end, write) => `${value > 0 ? '+' : '−'}${write(Math.abs(value))}${end}`;
	if (kind === 'relative' && change.relative !== null)
		return signed(Math.round(change.relative * 1000) / 10, ' %', number);
	return signed(change.absolute, '', shown);
}

/* Null where nothing changed; direction: which is better, where that is known. */
export function changeNode(change, direction, kind, shown = number) {
	if (!change?.absolute || kind === 'off') return null;
	const judgement = judged(change, direction);
	return el('span', { class: `change ${judgement}`.trim(), title: judgement ? words[judgement] : null },
		changeText(change, kind, shown));
}
