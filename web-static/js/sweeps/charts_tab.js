/* Charts of the parameters of a sweep. */

import { el } from '../base/dom.js';
import { contourCard } from './contour_card.js';
import { importanceCard } from './importance_card.js';
import { parallelCard } from './parallel_card.js';
import { sliceCard } from './slice_card.js';
import { text } from '../text/sweeps.js';

const words = text.sweep;

export function chartsTab(address, feed) {
	const cards = { parallel: parallelCard(address, feed), importance: importanceCard(feed), slice: sliceCard(address, feed), contour: contourCard(feed) };
	const cut = el('p', { class: 'note' });

	function update() {
		Object.values(cards).forEach((one) => one.update());
		cut.hidden = !feed.isCut;
		cut.textContent = feed.isCut ? words.cut(feed.trials.length, feed.sweep.trials.total + feed.sweep.trials.prior) : '';
	}

	update();
	return {
		node: el('div', { class: 'artifact-main' }, cut,
			el('div', { class: 'artifact-columns' }, cards.parallel.node, cards.importance.node),
			el('div', { class: 'sweep-pair' }, cards.slice.node, cards.contour.node)),
		update,
		stop: () => Object.values(cards).forEach((one) => one.stop?.()),
	};
}
