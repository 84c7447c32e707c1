/* What is done to runs, one after the other; what was refused is said with the reason. */

import { apiPath } from '../address.js';
import { ask } from '../api.js';
import { text } from '../text.js';

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
	return each(runs, (run) => ask('PATCH', pathOf(run), typeof changes === 'function' ? changes(run) : changes));
}

export function addTags(runs, tags) {
	return change(runs, (run) => ({ tags: [...new Set([...run.tags, ...tags])] }));
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

/* One to a line: a tag may have commas. */
export function tagsOf(words) {
	return [...new Set(words.split('\n').map((word) => word.trim()).filter(Boolean))];
}
