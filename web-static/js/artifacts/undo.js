/* Undoes deletions of this tab: a toast offers it at once, a note for as long as it is possible. */

import { apiPath } from '../address.js';
import { ask } from '../api.js';
import { serverNow } from '../base/clock.js';
import { el, refill } from '../base/dom.js';
import { localClock } from '../base/moments.js';
import { go } from '../router.js';
import { text as common } from '../text/common.js';
import { text } from '../text/artifacts.js';
import { button, toast } from '../ui/controls.js';
import { isDone } from '../ui/form.js';

const words = text.artifacts;
const TICK_MS = 5000;

let kept = [];
const listeners = new Set();

function forget(one) {
	one.hideToast();
	kept = kept.filter((other) => other !== one);
	listeners.forEach((listener) => listener());
}

async function undo(one) {
	const answer = await ask('POST', `${apiPath(one.entity, one.project)}/artifact-restore`, { restore: one.restore });
	if (answer.status === 0) return toast(common.fault.of(answer), { label: words.undo, onpick: () => undo(one) });
	forget(one);
	if (!isDone(answer)) return toast(common.fault.of(answer));
	go(one.href);
	return toast(words.restored(one.name));
}

/* one: {entity, project, name, restore, until, href}; restore is null if it cannot be restored, href is where it was. */
export function toldDeleted(one) {
	if (!one.restore) return void toast(words.deleted(one.name));
	const held = { ...one, until: Date.parse(one.until) };
	kept = [held, ...kept];
	listeners.forEach((listener) => listener());
	held.hideToast = toast(words.deleted(one.name), { label: words.undo, onpick: () => undo(held) });
}

/* {node, stop}: notes of a project, each with a button. */
export function deletedNotes({ entity, project }) {
	const node = el('div', { class: 'artifact-undo', role: 'group', 'aria-label': words.deletedHead });

	function draw() {
		kept = kept.filter(({ until }) => until > serverNow());
		const mine = kept.filter((one) => one.entity === entity && one.project === project);
		node.hidden = !mine.length;
		refill(node, mine.map((one) => el('p', { class: 'note' },
			el('span', {}, words.deleted(one.name), ' ', words.undoUntil(localClock(one.until))),
			button(words.undo, { look: 'small', onclick: () => undo(one) }))));
	}

	listeners.add(draw);
	const timer = setInterval(draw, TICK_MS);
	draw();
	return {
		node,
		stop() {
			listeners.delete(draw);
			clearInterval(timer);
		},
	};
}
