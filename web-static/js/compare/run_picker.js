/* Finds a run by its name, id or tag, to be added. */

import { el, replace } from '../base/dom.js';
import { nameOf } from '../base/slot.js';
import { text as common } from '../text/common.js';
import { text } from '../text/compare.js';
import { field } from '../ui/controls.js';
import { dialog } from '../ui/dialog.js';
import { icon } from '../ui/icons.js';
import { pressGuard } from '../ui/press_guard.js';

const words = text.compare;
const WAIT_MS = 150;

/* find(typed) gives an answer of runs; those of `without` are not offered. */
export function pickRun({ find, without, onpick }) {
	const list = el('ul', { class: 'keys', 'aria-label': words.addHead });
	const input = field('search', words.findRun, { oninput: later });
	const box = dialog(words.addHead, [input, list], { onclose: () => clearTimeout(timer) });
	const isPressed = pressGuard(list, () => draw());
	let timer = 0;
	let turn = 0;
	let found = []; /* what stands there, or is to */

	function item(run) {
		return el('li', {}, el('button', { type: 'button', class: 'found-run', onclick: () => {
			box.close();
			onpick(run.id);
		} }, icon(run.state), el('bdi', { class: 'clip' }, nameOf(run)), el('span', { class: 'muted' }, run.id)));
	}

	async function look() {
		const mine = ++turn;
		const answer = await find(input.control.value.trim());
		if (mine !== turn) return;
		const runs = answer.status === 200 ? answer.body.items.filter(({ id }) => !without.includes(id)) : [];
		found = runs.length ? runs.map(item)
			: [el('li', { class: 'muted' }, answer.status === 200 ? words.noRun : common.fault.of(answer))];
		draw();
	}

	function draw() {
		if (!isPressed() && list.firstChild !== found[0]) replace(list, found);
	}

	function later() {
		clearTimeout(timer);
		timer = setTimeout(look, WAIT_MS);
	}

	input.control.focus();
	look();
}
