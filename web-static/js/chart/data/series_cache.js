/*
 * Cache of the series that panels ask for. Questions of 16 ms about the same runs are one request; at most 3 run at
 * once, and one that no panel waits for is aborted. Up to 64 MB of answers are kept, the least recently used goes
 * first. An answer that may be old is shown at once and requested again with its ETag: it is sent only if changed.
 */

import { askStream } from '../../api.js';
import { pieceReader } from './columns.js';

const GATHER_MS = 16;
const UNDER_WAY = 3;
const PANELS = 32;
const BUCKETS = 1000000;
const KEPT_BYTES = 64 * 2 ** 20;

function nameOf({ runs, groups, panel }) {
	return JSON.stringify([panel, runs, groups]);
}

const whoOf = ({ runs, groups }) => JSON.stringify([runs, groups]);

const panelOf = ({ question, has }) => has?.panel.etag ? { ...question.panel, etag: has.panel.etag } : question.panel;

function bytesOf(series) {
	let bytes = 512;
	for (const { columns } of series) for (const column of Object.values(columns)) bytes += column.byteLength + 32;
	return bytes;
}

function costOf({ runs, groups, panel }) {
	return (runs.length + groups.length) * panel.keys.length * panel.buckets;
}

/* The store of answers: Map keeps the order of use. */
function store() {
	const kept = new Map();
	let total = 0;

	function drop(name) {
		total -= kept.get(name)?.bytes || 0;
		kept.delete(name);
	}

	return {
		get(name) {
			const entry = kept.get(name);
			if (entry) kept.delete(name), kept.set(name, entry);
			return entry;
		},
		put({ name, question, isOld }, answer) {
			drop(name);
			const entry = { question, answer, bytes: bytesOf(answer.series), stale: isOld };
			kept.set(name, entry);
			total += entry.bytes;
			for (const [oldest] of kept) {
				if (total <= KEPT_BYTES) break;
				drop(oldest);
			}
		},
		age(touches) {
			for (const entry of kept.values()) if (touches(entry.question)) entry.stale = true;
		},
		bytes: () => total,
	};
}

/* Cuts the pieces of one answer into panels: whole(index, answer) as soon as a panel is, same(index) of one that one has. */
function panelsOf(whole, same) {
	let answer = null;

	function end() {
		if (answer) whole(answer.panel.panel, answer);
		answer = null;
	}

	return (piece) => {
		if (piece.piece === 'panel') {
			end();
			answer = { panel: piece, series: [], faults: [] };
		} else if (piece.piece === 'same') end(), same(piece.panel);
		else if (piece.piece === 'end') end();
		else if (piece.piece === 'error' && !answer) whole(piece.panel, { panel: null, series: [], faults: [piece] });
		else if (piece.piece === 'error') answer.faults.push(piece);
		else answer?.series.push(piece);
		return piece.piece === 'end';
	};
}

/* path: of the project, as api.js takes it. */
export function seriesCache(path, { ask = askStream } = {}) {
	const answers = store();
	const sent = new Set(); /* wants that are asked for and not answered */
	let queue = [];
	let timer = 0;
	let underWay = 0;

	function wait() {
		if (!timer && queue.length && underWay < UNDER_WAY) timer = setTimeout(send, GATHER_MS);
	}

	function takeBatch() {
		const who = whoOf(queue[0].question);
		const batch = [];
		let cost = 0;
		queue = queue.filter((want) => {
			cost += costOf(want.question);
			const fits = whoOf(want.question) === who && batch.length < PANELS && (cost <= BUCKETS || !batch.length);
			if (fits) batch.push(want);
			return !fits;
		});
		return batch;
	}

	function send() {
		timer = 0;
		while (queue.length && underWay < UNDER_WAY) request(takeBatch());
	}

	async function request(batch) {
		const control = new AbortController();
		for (const want of batch) {
			want.control = { control, batch };
			want.has = want.keep ? answers.get(want.name)?.answer : null;
			sent.add(want);
		}
		underWay++;
		const fault = await answered(batch, control.signal);
		underWay--;
		for (const want of batch) sent.delete(want);
		for (const want of batch) if (!want.done && !want.gone) want.listener({ fault });
		wait();
	}

	async function answered(batch, signal) {
		const { runs, groups } = batch[0].question;
		const reader = pieceReader();
		let ended = false;
		const next = panelsOf((at, answer) => settle(batch[at], answer), (at) => batch[at].has && settle(batch[at], batch[at].has));
		try {
			const answer = await ask('POST', `${path}/series`, { runs, groups, panels: batch.map(panelOf) }, {
				signal, accept: 'application/vnd.cairn.columns',
				onBytes: (chunk) => { for (const piece of reader.push(chunk)) ended = next(piece) || ended; },
			});
			return answer.status === 200 && !(ended && batch.every((want) => want.done || want.gone)) ? { status: 0 } : answer;
		} catch (error) {
			return { status: 0, detail: error.message };
		}
	}

	function settle(want, answer) {
		want.done = true;
		sent.delete(want);
		if (answer.panel && !answer.faults.length && want.keep) answers.put(want, answer);
		if (!want.gone) want.listener({ answer });
	}

	/* Aborts a request that no panel waits for. A request with all its answers ends and frees its connection. */
	function drop(want) {
		want.gone = true;
		queue = queue.filter((other) => other !== want);
		const { batch = [], control } = want.control || {};
		if (batch.some(({ done }) => !done) && batch.every(({ gone, done }) => gone || done)) control.abort();
	}

	/* question: {runs, groups, panel}; listener({answer} or {fault}), maybe twice. Gives back how to stop waiting. */
	function want(question, listener, { keep = true } = {}) {
		const name = nameOf(question);
		const entry = keep ? answers.get(name) : null;
		if (entry) listener({ answer: entry.answer, isOld: entry.stale });
		if (entry && !entry.stale) return () => {};
		const wanted = { name, question, listener, keep, done: false, gone: false, isOld: false, control: null };
		queue.push(wanted);
		wait();
		return () => drop(wanted);
	}

	return {
		want,
		/* Marks answers for a run (or all) as old: rows may have arrived that requests in progress do not include. */
		age(run) {
			const touches = (question) => run === undefined || question.groups.length > 0 || question.runs.includes(run);
			answers.age(touches);
			for (const want of sent) want.isOld ||= touches(want.question);
		},
		bytes: answers.bytes,
	};
}
