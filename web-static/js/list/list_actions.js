/* Actions on runs of the list: in a row's menu, and for the selected runs. */

import { nameOf } from '../base/slot.js';
import { text as common } from '../text/common.js';
import { text } from '../text/list.js';
import { toast } from '../ui/controls.js';
import { copy } from '../ui/copy.js';
import { later } from '../ui/later.js';
import { selectedId } from './model/group_path.js';
import { whyNotMoved } from './model/movable.js';
import * as act from './model/run_actions.js';
import { tagChanges } from './model/run_edit.js';

const words = text.workspace;
const labels = words.act;
const dialogs = later(() => import('./run_dialogs.js'));
const colorDialog = later(() => import('./color_dialog.js'));
const moveDialog = later(() => import('./move_dialog.js'));
const resumeDialog = later(() => import('./resume_dialog.js'));

/* list: {took(runs), lost(runs), reload(), whyNot(): why nothing is changed here, ...} as run_list.js has it */
export function listActions(list) {
	/* Returns the message about runs that were not changed, or ''. */
	function told({ done, failed, why }) {
		if (done.length) list.took(done);
		return failed.length ? words.failedSome(failed.length, why) : '';
	}

	async function change(runs, changes) {
		return told(await act.change(runs, changes));
	}

	async function undo(runs) {
		const { done, failed, why } = await act.restore(runs);
		toast(failed.length ? words.failedSome(failed.length, why) : words.restored(done.length));
		list.cameBack(done);
	}

	async function removeNow(runs, canUndo) {
		const { done, failed, why } = await act.remove(runs);
		if (failed.length) toast(words.failedSome(failed.length, why));
		if (!done.length) return;
		list.lost(done);
		if (!failed.length) toast(words.removed(done.length, nameOf(done[0])),
			await canUndo && { label: words.undo, onpick: () => undo(done) });
	}

	function remove(runs) {
		dialogs('askRemove', runs, nameOf(runs[0]), (canUndo) => removeNow(runs, canUndo));
	}

	/* A list of tags may come as one value. */
	async function knownTags() {
		const values = await list.known.values('tags');
		return [...new Set(values.flat().filter((tag) => typeof tag === 'string'))];
	}

	/* Replaces the tags of one run, or adds tags to each of several runs. */
	function tag(runs) {
		const before = runs.length === 1 ? runs[0].tags : [];
		dialogs('askTags', runs, knownTags, (tags) => change(runs, tagChanges(before, tags)));
	}

	/* The list may not know the last ones. */
	async function notes(run) {
		const outcome = await act.read([run]);
		const fault = told(outcome);
		if (fault) return toast(fault);
		return dialogs('askNotes', outcome.done[0], async (now, before) => {
			const { answer, ...found } = await act.edit(run, { notes: now }, before);
			if (answer?.status === 200) list.took([{ ...run, ...answer.body }]);
			return { ...found, fault: !answer || answer.status === 200 ? '' : common.fault.of(answer) };
		});
	}

	function group(runs) {
		dialogs('askGroup', runs, (name) => change(runs, { group: name }));
	}

	function move(runs) {
		moveDialog('askMove', runs, { onmoved: list.lost, oncameback: list.cameBack });
	}

	async function stopNow(run) {
		const fault = told(await act.stop([run]));
		if (!fault) toast(words.stopping(nameOf(run)));
		return fault;
	}

	/* Returns the menu items of a run's eye. Within a group: to count the run in or out, and to draw its own line. */
	function eyeItems({ id }, isMember) {
		const shown = list.isShown(id);
		if (!isMember) return [{ label: shown ? labels.hide : labels.show, name: shown ? 'eyeOff' : 'eye', key: 'v',
			onpick: () => list.flipEye(id) }];
		const isIn = list.isCounted(id);
		return [{ label: isIn ? labels.takeOut : labels.putBack, name: isIn ? 'eyeOff' : 'eye', key: 'v',
			onpick: () => list.flipCounted(id) },
		{ label: shown ? labels.notBeside : labels.beside, name: 'stairs', onpick: () => list.flipEye(id) }];
	}

	function menuOf(run, isMember) {
		dialogs.soon();
		const href = list.hrefOf(run);
		const why = list.whyNot();
		return [
			{ label: labels.open, href, key: 'o' },
			{ label: labels.openTab, onpick: () => open(href, '_blank', 'noopener') },
			null,
			{ label: labels.rename, why,
				onpick: () => dialogs('askName', run, (name) => change([run], { display_name: name || null })) },
			{ label: labels.color, why, onpick: () => colorDialog('askColor', run, (color) => change([run], { color })) },
			{ label: labels.tags, why, onpick: () => tag([run]) },
			{ label: labels.group, why, onpick: () => group([run]) },
			{ label: labels.notes, why, onpick: () => notes(run) },
			null,
			{ label: list.isBase(run.id) ? labels.unbase : labels.base, name: 'pin', key: 'b',
				onpick: () => list.flipBase(run.id) },
			...eyeItems(run, isMember),
			{ label: labels.copy, name: 'copy', onpick: () => copy(run.id, labels.copied(run.id)) },
			null,
			{ label: labels.stop, name: 'stop', why: why || (run.state === 'running' ? '' : labels.notLive),
				onpick: () => dialogs('askStop', run, nameOf(run), () => stopNow(run)) },
			{ label: common.runMenu.resume, onpick: () => resumeDialog('showResume', run) },
			{ label: common.runMenu.move, onpick: () => move([run]), why: why || whyNotMoved(run) },
			{ label: labels.remove, isDanger: true, why, onpick: () => remove([run]) },
		];
	}

	function menuOfGroup(node, select) {
		const isSelected = list.isSelected(selectedId(node.within));
		return [{ label: isSelected ? labels.unselect : labels.select, key: 'x', onpick: select },
			{ label: labels.compare, key: 'C', why: isSelected ? '' : labels.selectFirst, onpick: list.compare },
			{ label: labels.putAllBack, name: 'eye', why: node.group.all > node.group.count ? '' : labels.noneOut,
				onpick: () => list.putBack(node) }];
	}

	return { menuOf, menuOfGroup, group, move, remove, tag };
}
