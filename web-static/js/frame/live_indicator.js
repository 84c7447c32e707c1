/* Whether what is seen is of now. Absent where nothing is followed. */

import { el, setText } from '../base/dom.js';
import { clock } from '../base/moments.js';
import { state } from '../live.js';
import { text } from '../text/frame.js';

const words = text.live;

export function liveIndicator() {
	const word = el('span');
	const node = el('span', { class: 'live', role: 'status', hidden: true }, el('i'), word);
	let timer = 0;

	function draw() {
		const now = state();
		const seconds = Math.max(0, Math.ceil((now.retryAt - Date.now()) / 1000));
		clearTimeout(timer);
		const heard = now.heardAt ? clock(now.heardAt) : '';
		if (node.dataset.state !== now.name) {
			node.hidden = now.name === 'none';
			node.dataset.state = now.name;
			document.body.dataset.live = now.name;
		}
		setText(word, words[now.name]?.(seconds, heard) || '');
		const title = heard && words.heard(heard);
		if (node.title !== title) node.title = title;
		if (now.name === 'broken' && seconds) timer = setTimeout(draw, 1000);
	}

	addEventListener('live', draw);
	return node;
}
