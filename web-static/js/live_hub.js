/*
 * The streams of a browser, held for all its tabs: one for each project that somebody looks at, asked for what the tabs
 * need together. A tab says what it wants; it is told `open` when nothing is missed from then on, events, and how its
 * streams are. One that has to be asked for more goes on until the wider one is open, so that nobody misses anything.
 */

import { GONE, ask, root } from './api.js';

const EVENTS = ['reset', 'open', 'run', 'gone', 'rows', 'state', 'writer', 'console', 'alert', 'end', 'beat'];
const STREAMS_LIMIT = 3; /* a browser gives a host six connections by HTTP/1.1 */
const FOLLOW_MAX = 100;
const GATHER_MS = 20;
const OPEN_MS = 15000;
const SILENT_MS = 40000; /* the server is never silent for so long */
const LINGER_MS = 5000; /* going from page to page opens none anew */
const POLL_MS = 10000;
const BROKEN_AFTER = 3;

function unionOf(wants) {
	const all = [...wants.values()].reverse();
	const runs = [...new Set(all.flatMap((one) => one.runs))].slice(0, FOLLOW_MAX);
	return { runs, streams: runs.length ? [...new Set(all.flatMap((one) => one.streams))].sort() : [] };
}

function covers(asked, needed) {
	return ['runs', 'streams'].every((name) => needed[name].every((one) => asked[name].includes(one)));
}

class Stream {
	constructor(hub, path) {
		Object.assign(this, {
			hub, path, wants: new Map(), waiting: new Set(), source: null, next: null, lastId: '', failures: 0, retryAt: null,
			isMissing: false, isEnded: false, isPolling: false, isAway: false, timer: 0,
		});
	}

	/* ---- who wants what ---- */

	want(client, asked) {
		this.wants.delete(client);
		this.wants.set(client, asked);
		this.waiting.add(client);
		this.soon(GATHER_MS);
	}

	leave(client) {
		this.wants.delete(client);
		this.waiting.delete(client);
		if (!this.wants.size) this.soon(LINGER_MS);
	}

	soon(ms) {
		clearTimeout(this.timer);
		this.timer = setTimeout(() => this.settle(), ms);
	}

	settle() {
		const held = this.next || this.source;
		if (!this.wants.size) return this.end();
		if (!held || !covers(held.asked, unionOf(this.wants))) return this.connect();
		if (!this.next) this.welcome();
		return this.hub.tellState(this);
	}

	/* From now on they miss nothing, if what is open is all that they want by now. */
	welcome() {
		if (this.source && !covers(this.source.asked, unionOf(this.wants))) return;
		for (const client of this.waiting) {
			client.put({ path: this.path, type: 'open', data: { turn: this.wants.get(client).turn } });
		}
		this.waiting.clear();
	}

	tell(type, data) {
		for (const client of this.wants.keys()) client.put({ path: this.path, type, data });
	}

	/* ---- the connection ---- */

	state() {
		const name = this.source ? 'live' : this.isEnded ? 'none' : this.isPolling ? 'poll' : !this.failures ? 'behind'
			: this.failures < BROKEN_AFTER ? 'broken' : this.isAway ? 'offline' : 'poll';
		return { name, retryAt: this.retryAt };
	}

	url(asked) {
		const params = new URLSearchParams();
		if (asked.runs.length) params.set('follow', asked.runs.join(','));
		if (asked.streams.length) params.set('streams', asked.streams.join(','));
		if (this.lastId) params.set('after', this.lastId);
		return new URL(`api/v1/${this.path}/live?${params}`, root);
	}

	connect() {
		const asked = unionOf(this.wants);
		this.drop('next');
		this.isPolling = !this.source && this.hub.held(this) >= STREAMS_LIMIT; /* until there is room */
		if (this.isPolling) return this.poll();
		this.isEnded = false;
		this.retryAt = null;
		const source = new EventSource(this.url(asked));
		source.asked = asked;
		this.next = source;
		for (const type of EVENTS) source.addEventListener(type, (event) => this.heard(source, event));
		source.addEventListener('error', () => this.failed(source));
		this.watch(source, OPEN_MS);
		return this.hub.tellState(this);
	}

	drop(name) {
		clearTimeout(this[name]?.silence);
		this[name]?.close();
		this[name] = null;
	}

	close() {
		clearTimeout(this.timer);
		this.drop('source');
		this.drop('next');
	}

	end() {
		this.close();
		this.hub.streams.delete(this.path);
	}

	/* What says nothing is as good as broken; proxies keep streams back, and cables come out. */
	watch(source, ms) {
		clearTimeout(source.silence);
		source.silence = setTimeout(() => this.failed(source), ms);
	}

	heard(source, event) {
		if (event.data === undefined || ![this.source, this.next].includes(source)) return;
		const data = JSON.parse(event.data);
		this.watch(source, source === this.source || event.type === 'open' ? SILENT_MS : OPEN_MS);
		if (event.lastEventId) this.lastId = event.lastEventId;
		if (event.type === 'open') this.opened(source);
		else if (event.type === 'end') this.ended(data);
		else if (event.type === 'reset') this.lost(source);
		else if (event.type !== 'beat') this.tell(event.type, data);
	}

	opened(source) {
		const { isMissing } = this;
		if (this.source !== source) this.drop('source');
		Object.assign(this, { source, next: null, failures: 0, isAway: false, isMissing: false });
		if (isMissing) this.tell('again');
		this.welcome();
		this.hub.tellState(this);
		this.soon(GATHER_MS);
	}

	lost(source) {
		if (source === this.next) this.isMissing = true;
		else this.tell('again');
	}

	/* ---- what goes wrong ---- */

	ended({ reason }) {
		this.close();
		this.isMissing = true;
		if (reason === 'too-slow') return this.connect();
		return this.stopFor(reason);
	}

	/* Nothing is tried until somebody says so. */
	stopFor(reason) {
		this.close();
		Object.assign(this, { isEnded: true, failures: 0, lastId: '' });
		this.tell('end', { reason });
		this.hub.tellState(this);
	}

	/* Why it broke a stream does not say, but a request does. */
	async failed(source) {
		if (![this.source, this.next].includes(source)) return;
		this.close();
		this.isMissing = true;
		this.failures++;
		const wait = this.failures < BROKEN_AFTER ? 1000 * 2 ** this.failures : POLL_MS;
		const attempt = this.failures;
		this.retryAt = Date.now() + wait;
		this.soon(wait);
		this.hub.tellState(this);
		const { status } = await ask('GET', this.path, undefined, { signal: AbortSignal.timeout(wait) });
		if (this.failures !== attempt || !this.wants.size) return;
		this.isAway = status === 0;
		if (status === 401) this.stopFor('unauthorized');
		else if (GONE.includes(status)) this.stopFor('gone');
		else if (attempt >= BROKEN_AFTER && status) this.tell('again');
		this.hub.tellState(this);
	}

	poll() {
		this.welcome();
		this.isMissing = true;
		this.tell('again');
		this.soon(POLL_MS);
		this.hub.tellState(this);
	}

	/* Somebody signed in again, or the network is back. */
	retry() {
		if (!this.source && !this.next) this.connect();
	}
}

/* What is for one tab, put together for a moment. */
class Client {
	constructor(send) {
		Object.assign(this, { send, messages: [], wants: {}, said: '' });
	}

	put(message) {
		this.messages.push(message);
		this.timer ||= setTimeout(() => {
			this.timer = 0;
			this.send(this.messages.splice(0));
		}, GATHER_MS);
	}
}

class Hub {
	constructor() {
		this.streams = new Map();
	}

	/* How many streams there are but this. */
	held(stream) {
		return [...this.streams.values()].filter((one) => one !== stream && (one.source || one.next)).length;
	}

	tellState(stream) {
		const state = stream.state();
		for (const client of stream.wants.keys()) client.put({ path: stream.path, type: 'how', data: state });
	}

	/* wants: {path of a project: {runs, streams, turn}}; what is as it was is no news. `open` gives back the turn. */
	want(client, wants) {
		for (const path of Object.keys(client.wants)) if (!wants[path]) this.streams.get(path)?.leave(client);
		for (const [path, asked] of Object.entries(wants)) {
			if (JSON.stringify(asked) === JSON.stringify(client.wants[path])) continue;
			if (!this.streams.has(path)) this.streams.set(path, new Stream(this, path));
			this.streams.get(path).want(client, asked);
		}
		client.wants = wants;
	}

	retry() {
		this.streams.forEach((stream) => stream.retry());
	}
}

/* {join(send) -> {want(wants), leave()}, retry()}; send(messages) gets lists of {path, type, data}. */
export function liveHub() {
	const hub = new Hub();
	addEventListener('online', () => hub.retry());
	return {
		join(send) {
			const client = new Client(send);
			return { want: (wants) => hub.want(client, wants), leave: () => hub.want(client, {}) };
		},
		retry: () => hub.retry(),
	};
}
