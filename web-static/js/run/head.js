/* The head of a run, which never scrolls away: its name, its state and the actions on it. */

import { hrefOf } from '../address.js';
import { el } from '../base/dom.js';
import { listed } from '../base/query_text.js';
import { nameOf } from '../base/slot.js';
import { lateChip, lateRows } from '../list/model/late_rows.js';
import { whyNotMoved } from '../list/model/movable.js';
import { text as common } from '../text/common.js';
import { text } from '../text/run.js';
import { button, iconButton, menu, stateBadge } from '../ui/controls.js';
import { copy } from '../ui/copy.js';
import { icon } from '../ui/icons.js';
import { later } from '../ui/later.js';
import { redrawn } from '../ui/redrawn.js';
import { swatchOf } from '../ui/run_swatch.js';
import { ago } from '../ui/times.js';
import { lostLabels } from './writer_lost.js';

const words = text.runPage;
const act = later(() => import('./actions.js'));
const resumeDialog = later(() => import('../list/resume_dialog.js'));
const TAGS = 6;

function tags({ entity, project }, list) {
	return el('span', { class: 'run-tags' }, list.slice(0, TAGS).map((tag) =>
		el('a', { class: 'chip line',
			href: `${hrefOf(entity, project)}?q=${encodeURIComponent(`tags:${JSON.stringify(tag)}`)}` },
			el('bdi', { class: 'clip' }, tag))),
	list.length > TAGS && el('span', { class: 'muted', title: list.slice(TAGS).join(', ') }, `+${list.length - TAGS}`));
}

/* Names lost writers of a run that has others; of a run with one writer the state of the run says it. */
function lostChip({ address: { entity, project, run }, writers }, labels) {
	if (!labels.length || writers.length < 2) return null;
	return el('a', { class: 'chip lost-writers', 'data-key': 'lost', title: words.lostHow,
		href: hrefOf(entity, project, 'runs', run, 'writers') },
		icon('lost'), el('span', { class: 'clip' }, words.lostWriters(labels[0], labels.length - 1)));
}

const lostOf = (data) => lostLabels(data.look().writers);

function title(data) {
	const { run } = data;
	const name = nameOf(run);
	return el('div', { class: 'run-title' },
		swatchOf(run),
		el('h1', { class: 'clip', title: name }, data.mayWrite
			? el('button', { type: 'button', class: 'name clip', 'data-key': 'name', title: words.renameOf(name),
				onclick: () => act('rename', data) }, el('bdi', {}, name))
			: el('bdi', {}, name)),
		stateBadge(run.state, 'big'),
		run.end_reason && el('bdi', { class: 'soft clip end-reason', 'data-key': 'reason', title: run.end_reason }, run.end_reason),
		lostChip(data, lostOf(data)),
		lateChip(run),
		el('button', { type: 'button', class: 'chip', 'data-key': 'id', 'aria-label': words.copyId(run.id),
			title: words.copyId(run.id), onclick: () => copy(run.id) },
			el('span', { class: 'mono clip' }, run.id), icon('copy')),
		tags(data.address, run.tags));
}

function compareHref({ entity, project, run }) {
	return `${hrefOf(entity, project, 'compare')}?runs=${encodeURIComponent(listed(run))}`;
}

function menuItems(data) {
	act.soon();
	const why = data.mayWrite ? undefined : common.onlyRead;
	return [
		{ label: words.rename, onpick: () => act('rename', data), why },
		{ label: words.editTags, onpick: () => act('editTags', data), why },
		{ label: words.editNotes, onpick: () => act('showNotes', data), why },
		{ label: words.copyRunId, name: 'copy', onpick: () => copy(data.run.id) },
		null,
		{ label: common.runMenu.resume, onpick: () => resumeDialog('showResume', data.run) },
		{ label: common.runMenu.move, onpick: () => act('moveRun', data), why: why || whyNotMoved(data.run) },
		{ label: words.remove, isDanger: true, onpick: () => act('deleteRun', data),
			why: data.mayWrite ? undefined : common.onlyRead },
	];
}

function stopButton(data) {
	const { run } = data;
	if (run.ended_at || run.state === 'pending') return null;
	if (run.stop_requested_at) {
		return el('span', { class: 'soft stop-asked', title: run.stop_reason }, words.stopAsked, ago(run.stop_requested_at));
	}
	return button(words.stop, { name: 'stop', look: 'danger', 'data-key': 'stop', disabled: !data.mayWrite,
		title: data.mayWrite ? null : common.onlyRead, onclick: () => act('stopRun', data) });
}

function actions(data) {
	return el('div', { class: 'run-actions' },
		el('a', { class: 'btn', 'data-key': 'compare', href: compareHref(data.address), title: words.compareHow },
			icon('compare'), words.compare),
		stopButton(data),
		iconButton('share', words.copyLink, { 'data-key': 'link', onclick: () => copy(location.href) }),
		menu(iconButton('more', words.more, { 'data-key': 'more' }), () => menuItems(data)));
}

function essence(data) {
	const { run, mayWrite } = data;
	return [lateRows(run), lostOf(data), run.display_name, run.state, run.tags, run.stop_requested_at, run.color_slot, run.color,
		run.ended_at, run.end_reason, mayWrite];
}

/* first: the node before its name. */
export function runHead(data, first) {
	const { node, update } = redrawn(() => essence(data), () => [first, title(data), actions(data)]);
	node.classList.add('run-head');
	return { node, update };
}
