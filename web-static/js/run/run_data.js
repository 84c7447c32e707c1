/*
 * Data of a run, read once for all its tabs and kept up to date by the run's events. A view borrows it and gives it
 * back; when the last view gives it back, all of it ends.
 */

import { apiPath } from '../address.js';
import { ask, askAll } from '../api.js';
import { serverNow } from '../base/clock.js';
import { exactJson } from '../base/exact_json.js';
import { isTransient } from '../base/reread.js';
import { noteEnd } from '../list/model/late_rows.js';
import { runUpdates } from '../list/model/run_updates.js';
import { mayRuleAs, mayWriteAs, roleIn } from '../projects/role.js';
import { followRun } from './follow.js';
import { marks } from './marks.js';
import { totalSteps, worldSize } from './progress.js';
import { readSent } from './sent_files.js';
import { writerRates } from './writer_rates.js';
import { look } from './writer_state.js';

export const MANY = 500; /* writers, which are read more seldom from then on */
export const MANY_MS = 10000;
export const CONFLICTS = 1000; /* that are read */
const FIRST_FILES = 100; /* among which those are that a program sends of itself */

const READS = {
	run: (path, options) => ask('GET', path, undefined, options),
	writers: (path, options) => askAll(`${path}/writers`, options),
	states: (path, options) => askAll(`${path}/states`, options),
	config: (path, options) => ask('GET', `${path}/config`, undefined, { ...options, parse: exactJson }),
	summary: (path, options) => ask('GET', `${path}/summary`, undefined, options),
	conflicts: (path, options) => ask('GET', `${path}/conflicts?limit=${CONFLICTS}`, undefined, options),
	alerts: (path, options) => ask('GET', `${path}/alerts?limit=1000`, undefined, options),
};
const ALL = Object.keys(READS);
const NO_ATTEMPTS = { status: 200, body: { items: [] } };

/* Which parts an event may have changed. */
const CAUSES = {
	self: ['run'],
	rows: ['run', 'writers', 'summary'],
	state: ['run', 'states', 'writers'],
	writer: ['run', 'writers'],
	beat: ['writers'],
	alert: ['alerts'],
	documents: ['run', 'writers', 'config', 'summary', 'conflicts'],
	all: ALL,
};

let last = null; /* so that going to another tab reads nothing that is known */

function bodyOf(name, answer, told) {
	if (name === 'run') return { ...answer.body, ...told(answer.body.id) };
	return ['writers', 'states', 'conflicts', 'alerts'].includes(name) ? answer.body.items : answer.body;
}

class RunData {
	constructor(address, user) {
		this.address = address;
		this.path = apiPath(address.entity, address.project, address.run);
		this.user = user;
		this.users = 0;
		this.fault = null; /* of the last reading */
		this.noted = null; /* of its last step, since when it is that */
		this.metadata = null;
		this.sweep = null; /* {id, display_name} of the one that it belongs to */
		this.diffs = [];
		this.attempts = []; /* the earlier ones of which config and summary are kept */
		this.rates = new Map(); /* rows/s of the writers, by number */
		this.ratesOf = writerRates();
		this.listeners = new Set();
		this.updates = runUpdates();
		this.marks = marks({ restOf: (name) => this.restOf(name), read: (names) => this.readAgain(names),
			told: () => this.users && this.tell() });
		this.ended = new AbortController();
	}

	get options() {
		return { signal: this.ended.signal };
	}

	async begin() {
		const place = apiPath(this.address.entity, this.address.project);
		const [first] = (await this.read(['run'])).values();
		if (first) return first;
		const [faults, project, role] = await Promise.all([
			this.read(ALL.slice(1)), ask('GET', place, undefined, this.options),
			this.user ? roleIn(this.address.entity) : undefined, this.readSent(), this.readAttempts()]);
		if (faults.size) return faults.values().next().value;
		this.role = role;
		this.project = project.status === 200 ? project.body : null;
		return null;
	}

	/* Nothing is requested while no page shows it. */
	take() {
		this.users++;
		if (this.users === 1) this.stopFollowing = followRun(this, (cause) => this.mark(CAUSES[cause]));
	}

	/* The answers that are faults, by what was to be read; what cannot be read leaves what there is. */
	async read(names) {
		const { signal } = this.ended;
		const asking = Promise.all(names.map((name) => READS[name](this.path, { signal })));
		const [answers, told] = await this.updates.during(asking);
		const faults = new Map();
		if (signal.aborted) return faults;
		names.forEach((name, index) => {
			const answer = answers[index];
			if (answer.status === 200) this.keep(name, bodyOf(name, answer, told));
			else faults.set(name, answer);
		});
		return faults;
	}

	/* No event reports files, but the run has their number. */
	async readSent() {
		const { files } = this.run;
		const sent = await readSent(this.path, this.options);
		if (sent) Object.assign(this, sent, { filesOfSent: files });
	}

	/* Reads the earlier attempts; another one is kept when the run is begun again. */
	async readAttempts() {
		const { attempt } = this.run;
		if (attempt === this.attemptsOf) return;
		const { status, body } = attempt > 1 ? await askAll(`${this.path}/attempts`, this.options) : NO_ATTEMPTS;
		if (status === 200) Object.assign(this, { attempts: body.items, attemptsOf: attempt });
	}

	async readAgain(names) {
		const faults = await this.read(names);
		const { files } = this.run;
		await this.readAttempts();
		if (files !== this.filesOfSent && files <= FIRST_FILES && !this.ended.signal.aborted) await this.readSent();
		[this.fault = null] = faults.values();
		return [...faults.keys()].filter((name) => isTransient(faults.get(name)));
	}

	restOf(name) {
		return name === 'writers' && this.writers.length > MANY ? this.writersAt + MANY_MS - serverNow() : 0;
	}

	keep(name, body) {
		const now = serverNow();
		if (name === 'writers') {
			this.rates = this.ratesOf(body, now);
			this.writersAt = now;
		}
		if (name === 'run') {
			noteEnd(body);
			this.noted = noteStep(this.noted, body.last_step, now);
		}
		this[name] = body;
	}

	mark(names) {
		this.marks.mark(names);
	}

	again() {
		this.mark(ALL);
	}

	tell() {
		for (const listener of [...this.listeners]) listener(this);
	}

	listen(listener) {
		this.listeners.add(listener);
		return () => this.listeners.delete(listener);
	}

	/* Shows the answer to the user's own change at once, and reads what depends on it. */
	takeRun(run) {
		this.updates.took([run]);
		this.keep('run', run);
		this.tell();
		this.mark(CAUSES.state);
	}

	/* Applies what a heartbeat changes of the run itself. */
	move(item) {
		this.updates.events([item]);
		this.run = { ...this.run, ...item };
		this.noted = noteStep(this.noted, this.run.last_step, serverNow());
		this.tell();
		this.mark(CAUSES.beat);
	}

	get limit() {
		return this.project?.crash_after_s || 300;
	}

	/* {writers, counts}, as they are at this moment. */
	look() {
		return look(this.writers, this.run.ended_at ? Infinity : this.limit, serverNow());
	}

	get mayRule() {
		return mayRuleAs(this.role);
	}

	get mayWrite() {
		return mayWriteAs(this.role);
	}

	get total() {
		return totalSteps(this.config);
	}

	/* {value, key}: how many writers there are to be; key is null for a number that was set by hand. */
	get expected() {
		if (this.run.expected_writers) return { key: null, value: this.run.expected_writers };
		return worldSize(this.config);
	}

	release() {
		this.users--;
		if (this.users) return;
		this.stopFollowing();
		this.marks.stop();
		this.ended.abort();
		this.ended = new AbortController();
	}
}

/* {data} or {answer}, the response that failed. data.release() gives it back. */
export async function borrowRun(address, user) {
	const isKnown = last && last.user === user && last.path === apiPath(address.entity, address.project, address.run);
	const data = isKnown ? last : new RunData(address, user);
	const fault = isKnown ? null : await data.begin();
	if (fault) return { answer: fault };
	last = data;
	data.take();
	if (isKnown) data.mark(ALL);
	return { data };
}

/* Since when the step of a run is known to be what it is; isSeen: it was seen to move then. */
export function noteStep(before, step, now) {
	return before?.step === step ? before : { step, since: now, isSeen: Boolean(before) };
}
