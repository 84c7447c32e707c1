/*
 * When a run is to be read anew. Its stream tells of states, writers and alerts; that rows came is seen by a look at the
 * run itself, which costs less than all of the rows. Of documents no event tells: they are read every few seconds.
 */

import { ask } from '../api.js';
import { follow } from '../live.js';

const LOOK_MS = 1500;
const LOOK_ENDED_MS = 5000;
const DOCUMENTS_MS = 5000;
const EVENTS = ['state', 'writer', 'alert'];
const ANEW = ['open', 'reset', 'poll', 'end'];

/* What changes of a run that only lives on is no reason to read more of it. */
function essence(run) {
	return JSON.stringify(run, (key, value) => key === 'heard_at' ? undefined : value);
}

function isWithRowsAlone(before, after) {
	return essence({ ...before, rows: 0, event_rows: 0, last_step: 0, bytes: 0 }) === essence({ ...after, rows: 0, event_rows: 0, last_step: 0, bytes: 0 });
}

export function followRun(data, mark) {
	const { entity, project, run } = data.address;
	let documentsAt = Date.now();
	let isFirst = true;
	let stopped = false;

	const stop = follow({ entity, project, run, streams: EVENTS }, ({ type }) => {
		const isNews = EVENTS.includes(type) || (ANEW.includes(type) && !(isFirst && type === 'open'));
		if (type === 'open') isFirst = false;
		if (isNews) mark(EVENTS.includes(type) ? type : 'all');
	});

	async function again() {
		const answer = await ask('GET', data.path, undefined, data.options);
		if (stopped || answer.status === 0) return;
		if (answer.status !== 200 || !isWithRowsAlone(answer.body, data.run)) mark('all');
		else if (essence(answer.body) !== essence(data.run)) mark('rows');
		else if (answer.body.heard_at !== data.run.heard_at) mark('beat');
		if (data.run.ended_at || Date.now() - documentsAt < DOCUMENTS_MS) return;
		documentsAt = Date.now();
		mark('documents');
	}

	async function look() {
		if (!document.hidden) await again();
		if (!stopped) timer = setTimeout(look, data.run.ended_at ? LOOK_ENDED_MS : LOOK_MS);
	}

	let timer = setTimeout(look, LOOK_MS);
	return () => {
		stopped = true;
		clearTimeout(timer);
		stop();
	};
}
