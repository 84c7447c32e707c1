/* Runs of a project that were deleted and can still be restored, the latest first. */

import { apiPath, hrefOf } from '../address.js';
import { ask } from '../api.js';
import { append, el, replace, setText } from '../base/dom.js';
import { localMoment } from '../base/moments.js';
import { nameOf } from '../base/slot.js';
import { go } from '../router.js';
import { text as common } from '../text/common.js';
import { text } from '../text/project_settings.js';
import { button, toast } from '../ui/controls.js';
import { isDone } from '../ui/form.js';
import { listTable, settingsCard } from './settings.js';

const words = text.deletedRuns;
const PAGE = 50;

function time(at) {
	return el('time', { datetime: at }, localMoment(at));
}

function row(run, onrestored) {
	const { deleted } = run;
	const name = nameOf(run);
	let isBusy = false;

	async function restore() {
		if (isBusy) return;
		isBusy = true;
		const answer = await ask('POST', `${apiPath(run.entity, run.project, run.id)}/restore`);
		isBusy = false;
		if (!isDone(answer)) return toast(common.fault.of(answer));
		onrestored(node);
		return toast(words.restored(name), { label: words.open,
			onpick: () => go(hrefOf(run.entity, run.project, 'runs', run.id, 'overview')) });
	}

	const node = el('tr', {},
		el('th', { scope: 'row', title: run.id }, el('bdi', {}, name)),
		el('td', {}, deleted.user ?? words.by[deleted.who], el('div', { class: 'soft' }, time(deleted.at))),
		el('td', {}, time(deleted.purge_at)),
		el('td', {}, button(words.restore, { look: 'small', 'aria-label': words.restoreOf(name), onclick: restore })));
	return node;
}

/* The card; its rows are read a page at a time. */
export function deletedRuns(path) {
	const list = el('div', { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': words.title });
	const more = button(words.more, { look: 'small', hidden: true, onclick: () => readMore() });
	const all = button(words.restoreAll, { look: 'small', hidden: true, onclick: () => restoreAll() });
	const state = el('span', { class: 'soft', role: 'status' });
	const fault = el('p', { class: 'fault', role: 'alert' });
	const table = listTable(words.columns, []);
	const body = table.tBodies[0];
	let cursor = null;
	let isBusy = false;

	function show() {
		if (body.rows.length) replace(list, table);
		else if (!cursor) replace(list, el('p', { class: 'soft' }, words.none));
		more.hidden = !cursor;
		all.hidden = body.rows.length < 2;
	}

	/* Removes a row, and moves the focus to the next one. */
	function leave(node) {
		const next = (node.nextElementSibling || node.previousElementSibling)?.querySelector('button');
		node.remove();
		show();
		(next || list).focus();
	}

	function readPage(from) {
		return ask('GET', `${path}/runs?deleted=true&limit=${PAGE}${from ? `&cursor=${encodeURIComponent(from)}` : ''}`);
	}

	async function readMore() {
		if (isBusy) return;
		isBusy = true;
		const answer = await readPage(cursor);
		isBusy = false;
		setText(fault, isDone(answer) ? '' : common.fault.of(answer));
		if (!isDone(answer)) {
			more.hidden = false;
			return;
		}
		append(body, answer.body.items.map((run) => row(run, leave)));
		cursor = answer.body.next_cursor;
		show();
	}

	/*
	 * Restores all runs, one after the other, while the page is shown. Returns the answer that failed, or null. What was
	 * just restored may still be listed.
	 */
	async function restoreEach(restored) {
		let from = null;
		for (;;) {
			const answer = await readPage(from);
			if (!isDone(answer)) return answer;
			const runs = answer.body.items.filter(({ id }) => !restored.has(id));
			from = runs.length ? null : answer.body.next_cursor;
			if (!runs.length && !from) return null;
			for (const { entity, project, id } of runs) {
				if (!list.isConnected) return null;
				const done = await ask('POST', `${apiPath(entity, project, id)}/restore`);
				if (!isDone(done)) return done;
				restored.add(id);
				setText(state, words.restoring(restored.size));
			}
		}
	}

	async function restoreAll() {
		if (isBusy) return;
		const restored = new Set();
		setText(fault, '');
		isBusy = all.disabled = true;
		const failed = await restoreEach(restored);
		isBusy = all.disabled = false;
		if (!list.isConnected) return;
		setText(state, words.restoredAll(restored.size));
		body.replaceChildren();
		cursor = null;
		await readMore();
		if (failed) setText(fault, common.fault.of(failed));
		list.focus();
	}

	readMore();
	return settingsCard(words.title, list, fault, el('div', { class: 'row' }, more, all, state));
}
