/* Changes runs, one after the other; the first refusal is reported with its reason. */

import { apiPath } from '../../address.js';
import { ask } from '../../api.js';
import { text } from '../../text/common.js';
import { editRun } from './run_edit.js';

function pathOf(run) {
	return apiPath(run.entity, run.project, run.id);
}

/* {done, failed, why}: the runs as they are now, those that were not changed, and the words of the first refusal. */
async function each(runs, act) {
	const outcome = { done: [], failed: [], why: '' };
	for (const run of runs) {
		const answer = await act(run);
		if (answer.status >= 200 && answer.status < 300) outcome.done.push({ ...run, ...answer.body });
		else outcome.failed.push(run);
		if (outcome.failed.length && !outcome.why) outcome.why = text.fault.of(answer);
	}
	return outcome;
}

export function change(runs, changes) {
	return each(runs, (run) => ask('PATCH', pathOf(run), changes));
}

/* As the runs are now. */
export function read(runs) {
	return each(runs, (run) => ask('GET', pathOf(run)));
}

/* As of editRun(). */
export function edit(run, wanted, before) {
	return editRun(pathOf(run), wanted, before);
}

export function stop(runs) {
	return each(runs, (run) => ask('POST', `${pathOf(run)}/stop`, {}));
}

export function remove(runs) {
	return each(runs, (run) => ask('DELETE', pathOf(run)));
}

/* to: {entity, project}. What is done has its new address. */
export function move(runs, to) {
	return each(runs, (run) => ask('POST', `${pathOf(run)}/move`, to));
}

export function restore(runs) {
	return each(runs, (run) => ask('POST', `${pathOf(run)}/restore`));
}
