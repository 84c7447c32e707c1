/*
 * Live events. Followers name a project, or a run of it and which of its events they need; a tab asks for all that its
 * followers need from the worker that all tabs share (live_hub.js; without SharedWorker each tab has its own).
 * A listener gets {type, data}, merged per frame, and ten times a second at most:
 *   open    nothing is missed from now on: read again what was read before
 *   again   something may have been missed; every 10 seconds if streams do not get through
 *   run, gone, rows, state, writer, console, alert    as api/paths/live.yaml has them; of a run its own, without their frame
 *   end     {reason}: it was deleted, or may no longer be seen
 * A tab that is hidden for a minute follows nothing.
 */

import { apiPath } from './address.js';
import { GONE, ask } from './api.js';
import { serverNow } from './base/clock.js';

const HIDDEN_MS = 60000;
const PING_MS = 20000;
const REST_MS = 100; /* between two calls of listeners: a frame for each event would be most of what events cost */
const UNSEEN_MS = 250; /* between two calls in a hidden tab, where frames stand still */
const HEARD_MS = 1000; /* when something was heard is told to the second */
const ALWAYS = ['open', 'again', 'end'];
const LOST = [401, ...GONE]; /* 401: nobody signed in again */
const WORST = ['offline', 'broken', 'poll', 'behind', 'live'];

const followers = new Set(); /* {path, run, streams, listener, turn, isOpen, wasOpen} */
const states = new Map(); /* by path: {name, retryAt} */
let hub = null;
let turns = 0;
let queue = [];
let flushedAt = -Infinity;
let isResting = false;
let hiddenTimer = 0;
let gathering = 0;
let heardAt = null;
let toldAt = null; /* what of it was told */

/*
 * {name: none | live | behind | broken | offline | poll, heardAt, retryAt} for the header; heardAt by the server's
 * clock.
 */
export function state() {
	const paths = isResting ? [] : [...new Set([...followers].map(({ path }) => path))];
	const all = paths.map((path) => states.get(path) || { name: 'behind' });
	const worst = WORST.map((name) => all.find((one) => one.name === name)).find(Boolean);
	return { name: worst?.name || 'none', heardAt, retryAt: worst?.retryAt ?? null };
}

function tell() {
	toldAt = heardAt;
	dispatchEvent(new CustomEvent('live', { detail: state() }));
}

/* ---- what comes ---- */

/* Returns the part of a project's event that is about the run; undefined: nothing. */
const OF_RUN = {
	run: (data, run) => data.items.find(({ id }) => id === run),
	gone: (data, run) => data.items.find(({ id }) => id === run),
	rows: (data, run, streams) => streams.includes('rows') ? data.items.find((one) => one.run === run) : undefined,
};

function partOf({ run, streams }, type, data) {
	if (ALWAYS.includes(type)) return data ?? null;
	if (run === undefined) return type === 'run' || type === 'gone' ? data : undefined;
	if (OF_RUN[type]) return OF_RUN[type](data, run, streams);
	return data.run === run && streams.includes(type) ? data[type] : undefined;
}

/* A fault of one listener is told, and takes nothing from the others. */
function call(listener, event) {
	try {
		listener(event);
	} catch (fault) {
		reportError(fault);
	}
}

function give(follower, type, data) {
	const part = partOf(follower, type, data);
	if (part !== undefined && followers.has(follower)) call(follower.listener, { type, data: part });
}

/* Opens a follower. If it was open before, events may be missing. One that came later waits for the next "open". */
function open(follower, turn) {
	if (follower.isOpen || follower.turn > turn) return;
	follower.isOpen = true;
	give(follower, follower.wasOpen ? 'again' : 'open');
	follower.wasOpen = true;
}

function dispatch({ path, type, data }) {
	for (const follower of [...followers]) {
		if (follower.path !== path) continue;
		if (type === 'open') open(follower, data.turn);
		else give(follower, type, data);
	}
}

/* Merges items of the same run; the last value of each member counts. */
function joined(items) {
	const byId = new Map();
	for (const item of items) byId.set(item.id, { ...byId.get(item.id), ...item });
	return [...byId.values()];
}

/* Events of runs that follow each other are one. */
function merged(messages) {
	const found = [];
	for (const { path, type, data } of messages) {
		const last = found.at(-1);
		if (type === 'run' && last?.type === 'run' && last.path === path) last.items.push(...data.items);
		else found.push({ path, type, data, items: type === 'run' ? [...data.items] : null });
	}
	return found.map(({ items, ...message }) => items
		? { ...message, data: { ...message.data, items: joined(items) } } : message);
}

function flush() {
	flushedAt = performance.now();
	merged(queue.splice(0)).forEach(dispatch);
}

/* Calls flush in the next frame, or after the rest between two calls. */
function flushSoon() {
	const wait = document.hidden ? UNSEEN_MS : flushedAt + REST_MS - performance.now();
	if (wait > 0) setTimeout(flush, wait);
	else requestAnimationFrame(flush);
}

function put(message) {
	if (!queue.length) flushSoon();
	queue.push(message);
}

/* Handles the end of a stream. A user who was signed out is asked to sign in again, and the stream goes on. */
async function ended(message) {
	if (message.data.reason !== 'unauthorized') return put(message);
	const { status } = await ask('GET', message.path);
	if (LOST.includes(status)) return put({ ...message, data: { reason: 'gone' } });
	return send({ retry: true });
}

const TAKEN = {
	how: ({ path, data }) => states.set(path, data),
	end: ended,
	forgotten: slept,
};

function take(messages) {
	for (const message of messages) {
		if (message.type !== 'how') heardAt = serverNow();
		(TAKEN[message.type] || put)(message);
	}
	if (messages.some(({ type }) => TAKEN[type]) || Math.abs(heardAt - toldAt) >= HEARD_MS) tell();
}

/* ---- what is wanted ---- */

function wants() {
	const found = {};
	for (const { path, run, streams, turn } of isResting ? [] : followers) {
		found[path] ||= { runs: [], streams: [], turn };
		found[path].turn = turn;
		if (run === undefined) continue;
		found[path].runs = [...new Set([...found[path].runs, run])];
		found[path].streams = [...new Set([...found[path].streams, ...streams])];
	}
	return found;
}

/* Starts a hub of this tab; what is wanted is sent to it once it is loaded. */
function ownHub() {
	let client = null;
	let shared = null;
	let wanted = {};

	async function begin() {
		const hubs = await import('./live_hub.js').catch(() => null);
		if (!hubs) return void setTimeout(begin, PING_MS);
		shared = hubs.liveHub();
		client = shared.join(take);
		client.want(wanted);
	}

	begin();
	return (message) => {
		wanted = message.wants;
		client?.want(wanted);
		if (message.retry) shared?.retry();
	};
}

function sharedHub() {
	const worker = new SharedWorker(new URL('./live_worker.js', import.meta.url), { type: 'module', name: 'cairn-live' });
	worker.port.addEventListener('message', ({ data }) => take(data));
	worker.addEventListener('error', () => {
		hub = ownHub();
		send();
	});
	worker.port.start();
	setInterval(() => isResting || send(), PING_MS);
	return (message) => worker.port.postMessage(message);
}

function send(more) {
	hub ||= globalThis.SharedWorker ? sharedHub() : ownHub();
	hub({ wants: wants(), ...more });
}

function sendSoon() {
	clearTimeout(gathering);
	gathering = setTimeout(() => {
		send();
		tell();
	});
}

function followOne({ entity, project, run, streams = [] }, listener) {
	const path = apiPath(entity, project);
	const follower = { path, run, streams, listener, turn: ++turns, isOpen: false, wasOpen: false };
	followers.add(follower);
	sendSoon();
	return () => {
		followers.delete(follower);
		sendSoon();
	};
}

/* topics: one, or a list of them. Calls back until the function that it gives back is called. */
export function follow(topics, listener) {
	const stops = [topics].flat().map((topic) => followOne(topic, listener));
	return () => stops.splice(0).forEach((stop) => stop());
}

/* ---- hidden and seen ---- */

function close() {
	for (const follower of followers) follower.isOpen = false;
}

function slept() {
	close();
	if (!isResting) send();
}

function rest() {
	isResting = true;
	close();
	states.clear();
	if (hub) send();
	tell();
}

function wake() {
	if (!isResting) return;
	isResting = false;
	if (followers.size) send();
	tell();
}

function turned() {
	clearTimeout(hiddenTimer);
	if (document.hidden) hiddenTimer = setTimeout(rest, globalThis.SharedWorker ? HIDDEN_MS : 0);
	else wake();
}

document.addEventListener('visibilitychange', turned);
addEventListener('pagehide', rest);
addEventListener('pageshow', turned);
turned();
