/*
 * The stream of a browser, held for all its tabs: one, of all projects that somebody looks at, asked for what the tabs
 * need together. A tab says what it wants; it is told `open` when nothing is missed from then on, events, and how the
 * stream is. One that has to be asked for more goes on until the wider one is open for all that it tells of, so that nobody
 * misses anything; a project that opens later than others holds up none of them.
 */

import { GONE, ask } from './api.js';
import { Wanted, askedOf, covers, urlOf } from './live_wanted.js';

const EVENTS = ['project', 'reset', 'open', 'run', 'gone', 'rows', 'state', 'writer', 'console', 'alert', 'end', 'beat'];
const GATHER_MS = 20;
const OPEN_MS = 15000;
const SILENT_MS = 40000; /* the server is never silent for so long */
const LINGER_MS = 5000; /* going from page to page asks for nothing anew */
const POLL_MS = 10000;
const BROKEN_AFTER = 3;

class Hub {
	constructor() {
		/* projects: by path. source: asked: what of, pending: projects that it has not opened, at: that it tells of. */
		Object.assign(this, { projects: new Map(), source: null, next: null, failures: 0, retryAt: null, isAway: false, timer: 0 });
	}

	/* ---- who wants what ---- */

	/* wants: {path of a project: {runs, streams, turn}}; what is as it was is no news. `open` gives back the turn. */
	want(client, wants) {
		const was = client.wants;
		client.wants = wants;
		for (const path of Object.keys(was)) if (!wants[path]) this.projects.get(path)?.leave(client);
		for (const [path, asked] of Object.entries(wants)) {
			if (JSON.stringify(asked) !== JSON.stringify(was[path])) this.project(path).want(client, asked);
		}
		if (JSON.stringify(was) !== JSON.stringify(wants)) this.soon(GATHER_MS);
	}

	/* The one wanted last is the last. */
	project(path) {
		const project = this.projects.get(path) || new Wanted(path);
		this.projects.delete(path);
		this.projects.set(path, project);
		return project;
	}

	/* Returns the projects that a stream may be about, the last wanted first. */
	watched() {
		return [...this.projects.values()].filter(({ isEnded }) => !isEnded).reverse();
	}

	soon(ms) {
		clearTimeout(this.timer);
		this.timer = setTimeout(() => this.settle(), ms);
	}

	/* Drops projects that no client returned to; returns how long the others are kept. */
	forget() {
		const left = [...this.projects.values()].filter(({ wants }) => !wants.size);
		const rest = ({ leftAt }) => leftAt + LINGER_MS - Date.now();
		for (const one of left) if (rest(one) <= 0) this.projects.delete(one.path);
		return Math.min(...left.map(rest).filter((ms) => ms > 0));
	}

	settle() {
		const rest = this.forget();
		const watched = this.watched();
		const needed = askedOf(watched);
		const held = this.next || this.source;
		const again = Math.min(rest, this.source && watched.length > needed.size ? POLL_MS : Infinity);
		if (again < Infinity) this.soon(again);
		if (!needed.size) return this.close();
		if (this.source) this.welcome(needed);
		const isOther = !held || !covers(held.asked, needed) || [...held.asked.keys()].some((path) => !this.projects.has(path));
		return isOther ? this.connect(needed) : this.tellStates();
	}

	/* From now on they miss nothing, where what is open is all that they want by now; beyond that it is polled. */
	welcome(needed = askedOf(this.watched())) {
		const { asked, pending } = this.source;
		const isOpen = (path) => !pending.has(path) && covers(asked, new Map([[path, needed.get(path)]]));
		const polled = this.watched().filter(({ path }) => !needed.has(path));
		for (const one of this.watched()) if (!needed.has(one.path) || isOpen(one.path)) one.welcome();
		for (const one of polled) one.tellAgain();
	}

	/* ---- the connection ---- */

	stateOpen(path) {
		if (this.tells(path)) return 'live';
		return this.source.asked.has(path) || this.next?.asked.has(path) ? 'behind' : 'poll';
	}

	/* Whether what is open tells of it. */
	tells(path) {
		return Boolean(this.source?.asked.has(path)) && !this.source.pending.has(path);
	}

	stateBroken() {
		if (!this.failures) return 'behind';
		if (this.failures < BROKEN_AFTER) return 'broken';
		return this.isAway ? 'offline' : 'poll';
	}

	state({ path, isEnded }) {
		return { name: isEnded ? 'none' : this.source ? this.stateOpen(path) : this.stateBroken(), retryAt: this.retryAt };
	}

	tellStates() {
		for (const one of this.projects.values()) one.tell('how', this.state(one));
	}

	connect(asked = askedOf(this.watched())) {
		this.drop('next');
		this.retryAt = null;
		const source = new EventSource(urlOf(asked, (path) => this.projects.get(path).lastId));
		Object.assign(source, { asked: allStreams(asked), pending: new Set(asked.keys()), at: null });
		this.next = source;
		for (const type of EVENTS) source.addEventListener(type, (event) => this.heard(source, event));
		source.addEventListener('error', () => this.failed(source));
		this.watch(source);
		this.tellStates();
	}

	drop(name) {
		clearTimeout(this[name]?.silence);
		this[name]?.close();
		this[name] = null;
	}

	close() {
		this.drop('source');
		this.drop('next');
	}

	holds(source) {
		return this.source === source || this.next === source;
	}

	/* Treats a silent stream as broken: proxies may hold streams back, and cables may be unplugged. */
	watch(source) {
		clearTimeout(source.silence);
		if (this.holds(source)) source.silence = setTimeout(() => this.failed(source), source === this.next ? OPEN_MS : SILENT_MS);
	}

	heard(source, event) {
		if (event.data === undefined || !this.holds(source)) return;
		const data = JSON.parse(event.data);
		if (event.type === 'project') source.at = [...this.projects.values()].find(({ name }) => name === data.project);
		else if (event.type !== 'beat' && source.at) this.told(source, source.at, event, data);
		this.watch(source);
	}

	told(source, project, { type, lastEventId }, data) {
		if (lastEventId) project.lastId = lastEventId;
		if (type === 'open') this.opened(source, project);
		else if (type === 'end') this.ended(source, project, data);
		else if (type !== 'reset') project.tell(type, data);
		else if (source === this.next || source.pending.has(project.path)) project.isMissing = true;
		else project.tellAgain();
	}

	opened(source, { path }) {
		source.pending.delete(path);
		if (source === this.source) this.go();
		else if (![...source.pending].some((other) => this.tells(other))) this.ready(source);
	}

	ready(source) {
		this.drop('source');
		Object.assign(this, { source, next: null, failures: 0, isAway: false });
		this.go();
		this.soon(GATHER_MS);
	}

	go() {
		for (const one of this.watched()) if (one.isMissing && this.tells(one.path)) one.tellAgain();
		this.welcome();
		this.tellStates();
	}

	/* ---- what goes wrong ---- */

	ended(source, project, { reason }) {
		if (reason !== 'too-slow') return this.stop(project, reason);
		this.lose();
		return this.connect();
	}

	/* Nothing is tried until somebody says so. What else the stream is of goes on. */
	stop(project, reason) {
		if (project.isEnded) return;
		Object.assign(project, { isEnded: true, lastId: '' });
		project.tell('end', { reason });
		for (const name of ['source', 'next']) {
			this[name]?.asked.delete(project.path);
			if (this[name] && !this[name].asked.size) this.drop(name);
		}
		if (this.next) this.opened(this.next, project);
		this.tellStates();
	}

	lose() {
		this.close();
		for (const one of this.watched()) one.isMissing = true;
	}

	/* Why it broke a stream does not say, but requests do. */
	async failed(source) {
		if (!this.holds(source)) return;
		this.lose();
		const attempt = ++this.failures;
		const wait = attempt < BROKEN_AFTER ? 1000 * 2 ** attempt : POLL_MS;
		this.retryAt = Date.now() + wait;
		this.soon(wait);
		this.tellStates();
		const projects = this.watched();
		const answers = await Promise.all(projects.map(({ path }) =>
			ask('GET', path, undefined, { signal: AbortSignal.timeout(wait) })));
		if (this.failures !== attempt) return;
		this.isAway = answers.every(({ status }) => status === 0);
		projects.forEach((one, at) => this.judge(one, answers[at].status));
		this.tellStates();
	}

	judge(project, status) {
		if (status === 401) this.stop(project, 'unauthorized');
		else if (GONE.includes(status)) this.stop(project, 'gone');
		else if (this.failures >= BROKEN_AFTER && status) project.tell('again');
	}

	/* Reconnects after a user has signed in again, or the network is back. */
	retry() {
		const ended = [...this.projects.values()].filter(({ isEnded }) => isEnded);
		for (const one of ended) Object.assign(one, { isEnded: false, isMissing: true });
		if (this.projects.size && (ended.length || (!this.source && !this.next))) this.connect();
	}
}

/* Gives each project the kinds of all of them, because a stream has the same kinds for all its projects. */
function allStreams(asked) {
	const streams = [...asked.values()].flatMap((one) => one.streams);
	return new Map([...asked].map(([path, { runs }]) => [path, { runs, streams }]));
}

/* Collects messages to a tab for a moment, and sends them together. */
class Client {
	constructor(send) {
		Object.assign(this, { send, messages: [], wants: {} });
	}

	put(message) {
		this.messages.push(message);
		this.timer ||= setTimeout(() => {
			this.timer = 0;
			this.send(this.messages.splice(0));
		}, GATHER_MS);
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
