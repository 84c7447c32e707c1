/* Settings that only scatter panels have: the key for the size of points, and the front with its better directions. */

import { el } from '../../base/dom.js';
import { text } from '../../text/plots.js';
import { keyField } from '../../ui/key_field.js';
import { choice, switchOf } from '../panel/edit_controls.js';
import { chosenFor, withChosen } from './pareto.js';

const words = text.plots;
const AXES = ['x', 'y'];

/* An empty field is no key. */
export function sizeEdit({ offers, change }) {
	const keys = [''];
	const field = keyField(keys, '', (key) => change({ size: key || undefined }), words.size);
	offers.list('fields').then((all) => keys.push(...all));
	return {
		node: el('span', { class: 'btn choice' }, el('span', { 'aria-hidden': 'true' }, words.size), field),
		show: ({ size = '' }) => field.choose(size),
	};
}

/* Stores the choice with the key, whichever axis the key is on. */
function betterEdit(at, { change }) {
	let spec = {};
	const choose = ({ better }) => {
		const { lower, higher } = withChosen(spec, spec.keys[at], better);
		change({ lower: lower.length ? lower : undefined, higher: higher.length ? higher : undefined });
	};
	const one = choice(words.better(AXES[at]), () => [['', words.asDefined], ...words.betters],
		{ name: 'better', change: choose });
	return {
		node: one.node,
		show(next) {
			spec = next;
			one.node.hidden = !spec.pareto;
			one.show({ better: chosenFor(spec, spec.keys[at]) });
		},
	};
}

export function paretoEdit({ change }) {
	const parts = [switchOf(words.pareto, { name: 'pareto', change }), ...AXES.map((_, at) => betterEdit(at, { change }))];
	return { node: parts.map(({ node }) => node), show: (spec) => parts.forEach((part) => part.show(spec)) };
}
