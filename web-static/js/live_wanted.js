/*
 * Collects what a browser's tabs want of a project, and what one stream is asked for, so that it serves all of their
 * projects.
 */

import { root } from './api.js';

const WATCH_MAX = 16; /* projects that the server tells of by one stream, */
const FOLLOW_MAX = 100; /* and runs of each that are followed */
const WATCH_CHARS = 16000; /* of an address, of which it takes 30 KiB with the headers */

const nameOf = (path) => path.split('/').slice(1).map(decodeURIComponent).join('/');

/* path: as of api.js, "projects/ann/p". */
export class Wanted {
	constructor(path) {
		Object.assign(this, {
			path,
			name: nameOf(path),
			wants: new Map(), /* by client: {runs, streams, turn} */
			waiting: new Set(), /* clients that were not told yet that nothing is missed from now on */
			lastId: '',
			leftAt: 0, /* when the last client left it */
			isMissing: false, /* something may be */
			isEnded: false,
		});
	}

	want(client, asked) {
		this.wants.delete(client);
		this.wants.set(client, asked);
		this.waiting.add(client);
		this.isMissing ||= this.isEnded;
		this.isEnded = false;
	}

	leave(client) {
		this.wants.delete(client);
		this.waiting.delete(client);
		this.leftAt = Date.now();
	}

	/* Returns what all clients want, the last wanted first. */
	union() {
		const all = [...this.wants.values()].reverse();
		const runs = [...new Set(all.flatMap((one) => one.runs))].slice(0, FOLLOW_MAX);
		return { runs, streams: runs.length ? [...new Set(all.flatMap((one) => one.streams))].sort() : [] };
	}

	tell(type, data) {
		for (const client of this.wants.keys()) client.put({ path: this.path, type, data });
	}

	/* From now on they miss nothing. */
	welcome() {
		for (const client of this.waiting) {
			client.put({ path: this.path, type: 'open', data: { turn: this.wants.get(client).turn } });
		}
		this.waiting.clear();
	}

	tellAgain() {
		this.isMissing = false;
		this.tell('again');
	}
}

/* Returns, for as many of these projects as one stream serves, the last wanted first: {path: {runs, streams}}. */
export function askedOf(projects) {
	let left = WATCH_CHARS;
	const fits = (text) => (left -= encodeURIComponent(text).length + 3) >= 0;
	const some = projects.slice(0, WATCH_MAX);
	some.forEach(({ name }) => fits(name));
	return new Map(some.map((one) => {
		const { runs, streams } = one.union();
		return [one.path, { runs: runs.filter(fits), streams }];
	}));
}

/* Whether who asked for the one gets the other, too. */
export function covers(asked, needed) {
	const has = (path, name, all) => asked.has(path) && all.every((one) => asked.get(path)[name].includes(one));
	return [...needed].every(([path, { runs, streams }]) => has(path, 'runs', runs) && has(path, 'streams', streams));
}

export function urlOf(asked, lastIdOf) {
	const all = [...asked];
	const watch = all.map(([path, { runs }]) => runs.length ? `${nameOf(path)}/${runs.join(',')}` : nameOf(path));
	const streams = [...new Set(all.flatMap(([, one]) => one.streams))].sort();
	const after = all.map(([path]) => lastIdOf(path));
	const params = new URLSearchParams({ watch: watch.join(':') });
	if (streams.length) params.set('streams', streams.join(','));
	if (after.some(Boolean)) params.set('after', after.join(':'));
	return new URL(`api/v1/live?${params}`, root);
}
