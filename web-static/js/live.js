/*
 * What happens, as it happens. Followers name a topic, {entity, project, run, streams: ['history', 'state', …]};
 * those of one run share one stream within the tab. A listener gets {type, data} of api/paths/live.yaml, merged per
 * frame. With every `open` it reads what it lacks up to there: the stream begins anew after a break, when the streams
 * asked for grow, and when a hidden tab is seen again. `poll` says "read it now": each 10 seconds where streams do
 * not come through, or where more runs are followed than a browser has connections for.
 */

import { apiPath } from './address.js';
import { ask, root } from './api.js';

const TYPES = ['reset', 'open', 'history', 'events', 'console', 'state', 'writer', 'alert', 'end'];
const STREAMS_LIMIT = 3; /* a browser gives a host six connections by HTTP/1.1 */
const POLL_MS = 10000;
const HIDDEN_MS = 60000;
const BROKEN_AFTER = 3;

const runs = new Map(); /* path → {path, followers, source, failures, timer} */
let queue = [];
let isResting = false;
let hiddenTimer = 0;
let said = '';
let heardAt = null;
let retryAt = null;

/* {name: none | live | behind | broken | poll, heardAt, retryAt} for the header. */
export function state() {
	return { name: said || 'none', heardAt, retryAt };
}

function nameNow() {
	const all = [...runs.values()];
	if (!all.length || isResting) return 'none';
	if (all.some((run) => run.failures >= BROKEN_AFTER)) return 'poll';
	if (all.some((run) => run.failures)) return 'broken';
	return all.some((run) => run.source && !run.isOpen) ? 'behind' : 'live';
}

function tell() {
	said = nameNow();
	dispatchEvent(new CustomEvent('live', { detail: state() }));
}

/* Listeners are called once a frame, however many events came; in a hidden tab frames stand still. */
function flush() {
	const events = queue;
	queue = [];
	for (const [run, event] of events) {
		for (const follower of [...run.followers]) {
			if (follower.wants(event.type)) follower.listener(event);
		}
	}
}

function put(run, type, data) {
	if (!queue.length) {
		if (document.hidden) setTimeout(flush, 250);
		else requestAnimationFrame(flush);
	}
	queue.push([run, { type, data }]);
}

function close(run) {
	clearTimeout(run.timer);
	run.source?.close();
	run.source = null;
	run.isOpen = false;
}

function later(run, fn, ms) {
	clearTimeout(run.timer);
	run.timer = setTimeout(fn, ms);
}

function poll(run) {
	put(run, 'poll', null);
	later(run, () => run.failures ? connect(run) : poll(run), POLL_MS);
}

/* Why it broke a stream does not say, but a request does; it also asks who was signed out to sign in. */
async function failed(run) {
	close(run);
	run.failures++;
	const wait = run.failures < BROKEN_AFTER ? 1000 * 2 ** run.failures : POLL_MS;
	retryAt = Date.now() + wait;
	tell();
	const answer = await ask('GET', run.path);
	if (runs.get(run.path) !== run || isResting || run.source) return;
	if ([403, 404, 410].includes(answer.status)) put(run, 'end', { reason: 'gone' });
	else if (run.failures >= BROKEN_AFTER) poll(run);
	else later(run, () => connect(run), wait);
}

function ended(run, data) {
	put(run, 'end', data);
	close(run);
	if (data.reason === 'too-slow') connect(run);
	else if (data.reason === 'unauthorized') failed(run);
	else tell();
}

function heard(run, event) {
	if (event.data === undefined) return null; /* the browser's own `open` */
	const data = JSON.parse(event.data);
	heardAt = Date.now();
	if (event.type === 'end') return ended(run, data);
	if (event.type === 'open') {
		run.isOpen = true;
		run.failures = 0;
		tell();
	}
	return put(run, event.type, data);
}

function streamsOf(run) {
	return [...new Set([...run.followers].flatMap((one) => one.streams))].sort();
}

function connect(run) {
	close(run);
	const open = [...runs.values()].filter((one) => one.source).length;
	if (open >= STREAMS_LIMIT) return poll(run);
	run.streams = streamsOf(run).join(',');
	run.source = new EventSource(new URL(`api/v1/${run.path}/live?streams=${run.streams}`, root));
	for (const type of TYPES) run.source.addEventListener(type, (event) => heard(run, event));
	run.source.addEventListener('error', () => failed(run));
	return tell();
}

function followOne(topic, listener) {
	const path = apiPath(topic.entity, topic.project, topic.run);
	const run = runs.get(path) || { path, followers: new Set(), failures: 0, source: null, isOpen: false, timer: 0 };
	const always = ['open', 'reset', 'end', 'poll'];
	const follower = { streams: topic.streams, listener, wants: (type) => always.includes(type) || topic.streams.includes(type) };

	runs.set(path, run);
	run.followers.add(follower);
	if (!isResting && (!run.source || streamsOf(run).join(',') !== run.streams)) connect(run);
	return () => {
		run.followers.delete(follower);
		if (run.followers.size) return;
		close(run);
		runs.delete(path);
		tell();
	};
}

/* topics: one, or a list of them. Calls back until the function that it gives back is called. */
export function follow(topics, listener) {
	const stops = [topics].flat().map((topic) => followOne(topic, listener));
	return () => stops.splice(0).forEach((stop) => stop());
}

function rest() {
	isResting = true;
	runs.forEach(close);
	tell();
}

function wake() {
	clearTimeout(hiddenTimer);
	if (!isResting) return;
	isResting = false;
	runs.forEach(connect);
}

document.addEventListener('visibilitychange', () => {
	if (document.hidden) hiddenTimer = setTimeout(rest, HIDDEN_MS);
	else wake();
});
