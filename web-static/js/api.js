/*
 * The only fetch; answers in other forms than JSON are read by api_forms.js. Addresses go by where this module came from,
 * so a path prefix needs no setting: PREFIX/static/VERSION/js/api.js.
 */

import { hear } from './base/clock.js';

export const root = new URL('../../../', import.meta.url);

/* Statuses of things that no longer exist, or may no longer be seen. */
export const GONE = [403, 404, 410];

const BUSY_TRIES = 5;
const WAIT_MOST_S = 10; /* a proxy may say an hour, and nobody would be told that nothing comes */
const AWAY = { status: 0, wait: 1, body: null, bytes: null };

/* The error if the server gave no answer, or not all of it. Any other error is the page's own, and reported as such. */
class Away extends Error {}

export function away(cause) {
	throw new Away('away', { cause });
}

export async function orAway(read) {
	try {
		return await read();
	} catch (fault) {
		if (fault instanceof Away) return { ...AWAY };
		throw fault;
	}
}

let isSignedIn = false;
let comingBack = null;

/* Whether an answer 401 means that a session went. */
export function setSignedIn(isIt) {
	isSignedIn = isIt;
}

export const hasSession = () => isSignedIn;

/* True once somebody signed in again; one question for all requests that found the session gone. */
function comeBack() {
	comingBack ||= new Promise((resolve) => {
		dispatchEvent(new CustomEvent('signed-out', { detail: resolve }));
	}).finally(() => {
		comingBack = null;
	});
	return comingBack;
}

/* Returns the seconds that a busy server asks clients to wait; a second if it names none. */
const waitOf = (answer) => Math.max(0, Number(answer.headers.get('Retry-After'))) || 1;

/* Ends with the signal, too. */
function sleep(seconds, signal) {
	return new Promise((resolve) => {
		const timer = setTimeout(end, seconds * 1000);
		function end() {
			clearTimeout(timer);
			signal?.removeEventListener('abort', end);
			resolve();
		}
		signal?.addEventListener('abort', end);
	});
}

/* match: the tag that what is changed must still have; range: of a file. */
async function send(method, path, body, { signal, accept, match, range } = {}) {
	const asked = Date.now();
	const headers = { ...(accept && { Accept: accept }), ...(match && { 'If-Match': match }),
		...(range && { Range: range }),
		...(body !== undefined && { 'Content-Type': 'application/json' }) };
	const answer = await fetch(new URL(`api/v1/${path}`, root), {
		method,
		headers,
		signal,
		credentials: 'same-origin',
		cache: 'no-store',
		body: body === undefined ? undefined : JSON.stringify(body),
	}).catch(away);
	hear(answer.headers.get('Date'), asked, Date.now());
	return answer;
}

/* A busy server is asked again a few times: it has done nothing of what it answered 503. */
export async function sendOften(method, path, body, options) {
	for (let tries = 1; ; tries++) {
		const answer = await send(method, path, body, options);
		if (answer.status === 401 && isSignedIn && path !== 'session' && await comeBack()) continue;
		if (answer.status !== 503 || tries >= BUSY_TRIES) return answer;
		await sleep(Math.min(waitOf(answer), WAIT_MOST_S), options?.signal);
		if (options?.signal?.aborted) away(options.signal.reason);
	}
}

/* Parses the body. Invalid JSON is not from the server: a proxy reports its own error, which the status names. */
function parsed(answer, text, parse) {
	try {
		return text ? parse(text) : null;
	} catch (fault) {
		return answer.ok ? away(fault) : null;
	}
}

export async function told(answer, parse = JSON.parse) {
	const text = await answer.text().catch(away);
	return {
		status: answer.status,
		wait: waitOf(answer),
		etag: answer.headers.get('ETag'),
		body: parsed(answer, text, parse),
	};
}

/* {status, body, wait, etag}; status 0 when nobody answered, or the signal ended it. parse: another way to read JSON. */
export function ask(method, path, body, options) {
	return orAway(async () => told(await sendOften(method, path, body, options), options?.parse));
}

/* Passes each part of an answer with status 200 to onBytes as it arrives; {status, body, wait} as of ask. */
export function askStream(method, path, body, { onBytes, ...options }) {
	return orAway(async () => {
		const answer = await sendOften(method, path, body, options);
		if (answer.status !== 200) return told(answer);
		for (const reader = answer.body.getReader();;) {
			const { done, value } = await reader.read().catch(away);
			if (done) return { status: 200, wait: 1, body: null };
			onBytes(value);
		}
	});
}

/* Pages to the end, or until there are `most`: then body.isCut says that more remain. */
export async function askAll(path, { most = Infinity, ...options } = {}) {
	const items = [];
	let cursor = '';
	while (cursor !== null && items.length < most) {
		const more = cursor ? `&cursor=${encodeURIComponent(cursor)}` : '';
		const answer = await ask('GET', `${path}${path.includes('?') ? '&' : '?'}limit=1000${more}`, undefined, options);
		if (answer.status !== 200) return answer;
		items.push(...answer.body.items);
		cursor = answer.body.next_cursor;
	}
	return { status: 200, body: { items, isCut: cursor !== null } };
}
