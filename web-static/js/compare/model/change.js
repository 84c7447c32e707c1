/* The change of a number against the baseline's, as it is shown. */

import { el } from '../../base/dom.js';
import { number } from '../../base/format.js';
import { text } from '../../text/common.js';
import { judged } from './model.js';

const words = text.change;

/* A tenth, or one digit of what is less; of what a baseline near zero makes two digits are enough. */
function percents(value) {
	if (value >= 1e6) return value.toExponential(1).replace('e+', 'e');
	return number(value < 0.1 ? Number(value.toPrecision(1)) : Math.round(value * 10) / 10);
}

/* shown: how numbers of this kind are written. */
export function changeText(change, kind, shown = number) {
	const signed = (value, end, write) => `${value > 0 ? '+' : '−'}${write(Math.abs(value))}${end}`;
	if (kind === 'relative' && change.relative !== null) return signed(change.relative * 100, ' %', percents);
	return signed(change.absolute, '', shown);
}

/* Null where nothing changed; direction: which is better, where that is known. */
export function changeNode(change, direction, kind, shown = number) {
	if (!change?.absolute || kind === 'off') return null;
	const judgement = judged(change, direction);
	return el('span', { class: `change ${judgement}`.trim(), title: judgement ? words[judgement] : null },
		changeText(change, kind, shown));
}
