/* Reads what artifacts a run used and made, while it continues and once after its end; the card is loaded when there are some. */

import { ask } from '../api.js';
import { el } from '../base/dom.js';
import { reread } from '../base/reread.js';
import { later } from '../ui/later.js';

const SHOWN = 100;
const AGAIN_MS = 10000;
const card = later(() => import('./artifact_card.js'));

/* {node, update, stop}; without artifacts there is nothing. */
export function artifactUses(data) {
	const node = el('div', { class: 'redrawn' });
	let isWhole = false;
	let isStopped = false;
	let shown = null;

	function show(uses) {
		const essence = JSON.stringify(uses);
		if (essence === shown || (!uses.items.length && !node.childElementCount)) return;
		shown = essence;
		card.each(({ artifactCard }) => !isStopped && shown === essence && node.replaceChildren(artifactCard(uses)));
	}

	const again = reread(async (signal) => {
		const hasEnded = Boolean(data.run.ended_at);
		const answer = await ask('GET', `${data.path}/artifacts?limit=${SHOWN}`, undefined, { signal });
		if (signal.aborted) return null;
		if (answer.status !== 200) return [403, 404, 410].includes(answer.status) ? null : answer;
		isWhole = hasEnded;
		show(answer.body);
		if (!isWhole) again.soon();
		return null;
	}, () => AGAIN_MS);

	again.now();
	return {
		node,
		update() {
			if (data.run.ended_at && !isWhole) again.soon();
		},
		stop() {
			isStopped = true;
			again.stop();
		},
	};
}
