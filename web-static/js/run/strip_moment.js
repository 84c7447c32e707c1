/* Describes the moment that is picked on the strip, with links to where else it is shown and a button to clear it. */

import { hrefOf } from '../address.js';
import { el, refill } from '../base/dom.js';
import { moment as momentText } from '../base/moments.js';
import { text as runText } from '../text/run.js';
import { text } from '../text/writers.js';
import { button } from '../ui/controls.js';
import { letGo, momentQuery } from './moment.js';

const words = text.runMoment;

const SEEN_ON = ['charts', 'system'];

function link({ entity, project, run }, tab) {
	return el('a', { href: hrefOf(entity, project, 'runs', run, tab) + momentQuery(tab) }, runText.runPage.tabs[tab]);
}

/* {node, update({moment, span})} */
export function stripMoment(address) {
	const node = el('p', { class: 'heat-moment', hidden: true });

	function wordsOf({ moment, span }) {
		const [from, to] = (span || [moment, moment]).map((seconds) => momentText(seconds * 1000));
		return span ? words.stretch(from, to) : words.picked(from);
	}

	function update(looked) {
		const isThere = looked.moment !== null || looked.span !== null;
		node.hidden = !isThere;
		refill(node, isThere && [el('b', {}, wordsOf(looked)), ' ', words.seenOn, ' ',
			SEEN_ON.flatMap((tab, at) => [at > 0 && ', ', link(address, tab)]), ' ',
			button([runText.runMoment.letGo, ' ', el('kbd', {}, 'Esc')], { look: 'plain small', onclick: letGo })]);
	}

	return { node, update };
}
