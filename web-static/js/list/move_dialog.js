/* Runs go to another project, and back by Undo. */

import { hrefOf } from '../address.js';
import { el } from '../base/dom.js';
import { nameOf } from '../base/slot.js';
import { projectPicker } from '../projects/project_picker.js';
import { text } from '../text/run_dialogs.js';
import { toast } from '../ui/controls.js';
import { formDialog } from '../ui/form_dialog.js';
import * as act from './model/run_actions.js';
import { whyNotMoved } from './model/movable.js';

const words = text.moveRun;
/* Returns a message with links to the runs in their new project. */
function told(runs) {
	const [{ entity, project, id }] = runs;
	const link = (href, label) => el('a', { href }, el('bdi', {}, label));
	return [runs.length === 1 ? link(hrefOf(entity, project, 'runs', id), nameOf(runs[0])) : words.many(runs.length),
		words.movedTo,
		link(hrefOf(entity, project), `${entity}/${project}`), '.'];
}

async function undo(runs, { entity, project }, { move, oncameback }) {
	const { done, failed, why } = await move(runs, { entity, project });
	toast(failed.length ? words.failed(failed.length, why) : words.back(done.length));
	if (done.length) oncameback(done);
}

/* Lists the runs that are not moved, each with its reason. */
function reasons(runs) {
	const staying = runs.filter(whyNotMoved);
	return staying.length > 0 && [el('p', {}, words.staying(staying.length, runs.length)),
		el('ul', { class: 'reasons' },
			staying.slice(0, 5).map((run) => el('li', {}, el('bdi', {}, nameOf(run)), `: ${whyNotMoved(run)}`)))];
}

/*
 * onmoved(runs), as they are there; oncameback(runs) when that was undone. move(runs, to) gives what run_actions.js
 * does.
 */
export function askMove(runs, { move = act.move, onmoved, oncameback }) {
	const from = runs[0];
	let going = runs.filter((run) => !whyNotMoved(run));
	let card = null;
	const picker = projectPicker({
		isFit: ({ entity, name }) => entity !== from.entity || name !== from.project,
		onchange: () => card?.node.querySelector('form').dispatchEvent(new Event('input')),
	});

	async function send() {
		const { entity, name } = picker.picked();
		const { done, failed, why } = await move(going, { entity, project: name });
		going = failed;
		if (done.length) {
			onmoved(done);
			toast(told(done), { label: words.undo, onpick: () => undo(done, from, { move, oncameback }) });
		}
		return failed.length ? words.failed(failed.length, why) : '';
	}

	card = formDialog(words.head(runs.length, nameOf(from)), [picker.node, reasons(runs), el('p', { class: 'soft' }, words.how)],
		{ go: words.go, onsend: send, canSend: () => going.length > 0 && Boolean(picker.picked()) });
	picker.start();
}
