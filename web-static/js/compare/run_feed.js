/*
 * Data of the runs of a comparison, read again as they change. If a run grew or was edited, its documents are read
 * soon; its writers and its environment are read less often.
 */

import { reread } from '../base/reread.js';
import { panelKeys } from '../chart/data/panel_keys.js';
import { anyOf } from '../list/model/run_query.js';
import { follow as followLive } from '../live.js';

const AGAIN_MS = 1000;
const AROUND_MS = 10000;

const asNow = ({ rows, state }) => `${rows} ${state}`;

/*
 * wanted(): {ids, filters of groups}; reader: of compare/model/read.js; changed(): something came; rowsCame(id): of a run that
 * is known already.
 */
export class RunFeed {
	constructor(address, { reader, wanted, changed, rowsCame, follow = followLive }) {
		Object.assign(this, { reader, wanted, changed, rowsCame });
		this.runs = [];
		this.documents = new Map(); /* by the id of the run */
		this.around = new Map();
		this.events = new Map(); /* how many whole events of each run came: its documents may have changed, also by an edit */
		this.readAs = new Map(); /* how each run was when its documents were read */
		this.cameAs = new Map(); /* and when rowsCame() was called */
		this.aroundAs = new Map(); /* {as, state, at}, of the rest */
		this.keys = []; /* of panels: with numbers or histograms in any of the runs */
		this.kinds = {}; /* as of panel_keys.js */
		this.fault = null;
		this.isRead = false;
		this.isBehind = true; /* other runs are asked for than are known */
		this.timer = 0; /* of what is read more seldom */
		this.turns = reread((signal) => this.readWhole(signal), () => AGAIN_MS);
		this.unfollow = follow(address, (event) => this.heard(event));
	}

	/* Identifies what is compared; metrics are requested by it. */
	get essence() {
		return JSON.stringify(this.wanted());
	}

	asLastEvent(run) {
		return `${asNow(run)} ${this.events.get(run.id) ?? 0}`;
	}

	heard({ type, data }) {
		const { ids } = this.wanted();
		if (type === 'run') {
			const isKnown = (id) => ids.includes(id) || this.readAs.has(id);
			const whole = data.items.filter(({ id, state }) => state !== undefined && isKnown(id));
			whole.forEach(({ id }) => this.events.set(id, (this.events.get(id) ?? 0) + 1));
		}
		const isOfOthers = ['run', 'gone'].includes(type) && !data.items.some(({ id }) => ids.includes(id));
		if (!isOfOthers) this.turns.soon();
	}

	/* The answer that failed, or null, as soon as the runs are known. */
	read() {
		const known = new Promise((resolve) => { this.knowsRuns = resolve; });
		return Promise.race([known, this.turns.now()]);
	}

	/* Others are wanted than before: of those that are known there is something to see. */
	choose(isOther) {
		const byId = new Map(this.runs.map((run) => [run.id, run]));
		this.runs = this.wanted().ids.map((id) => byId.get(id)).filter(Boolean);
		this.isBehind ||= isOther;
		this.changed();
		if (isOther) this.read();
	}

	async readWhole(signal) {
		const answer = await this.reader.runs(this.wanted().ids);
		if (signal.aborted) return null;
		const isRead = answer.status === 200;
		this.fault = isRead ? null : answer;
		this.isBehind = false;
		this.isRead ||= isRead;
		if (isRead) this.runs = answer.body.items;
		this.changed();
		this.knowsRuns?.(this.fault);
		await this.readGrown(this.runs.filter((run) => this.readAs.get(run.id) !== this.asLastEvent(run)), signal);
		if (!signal.aborted) await this.readLate(signal);
		return signal.aborted ? null : this.fault;
	}

	async readGrown(grown, signal) {
		if (!grown.length && this.keysOf === this.essence) return;
		const asked = new Map(grown.map((run) => [run.id, this.asLastEvent(run)]));
		const documents = await this.reader.documents(grown.map(({ id }) => id));
		if (signal.aborted) return;
		documents.forEach((one, at) => this.keep(this.documents, grown[at].id, one));
		this.changed();
		const further = grown.filter(({ id }) => this.cameAs.get(id) !== asked.get(id)); /* others are asked once more */
		if (further.length || this.keysOf !== this.essence) await this.readKeys(signal);
		if (signal.aborted) return;
		this.changed();
		grown.filter((_, at) => !documents[at].fault).forEach(({ id }) => this.readAs.set(id, asked.get(id)));
		for (const { id } of further) {
			this.cameAs.set(id, asked.get(id));
			this.rowsCame(id);
		}
	}

	keep(where, id, one) {
		if (one.fault) this.fault = one.fault;
		else where.set(id, one);
	}

	/* Reads the keys of metrics that charts can draw. */
	async readKeys(signal) {
		const { essence } = this;
		const { filters } = this.wanted();
		if (!this.runs.length && !filters.length) return;
		const keys = await this.reader.keys(anyOf(this.runs.map(({ id }) => id), filters));
		if (signal.aborted) return;
		this.keysOf = keys.status === 200 ? essence : null;
		if (keys.status === 200) Object.assign(this, panelKeys(keys.body.items));
		else this.fault = keys;
	}

	/* Reads writers and environments of runs that grew. A run that was read only just now is read later. */
	async readLate(signal) {
		const readOf = ({ id }) => this.aroundAs.get(id);
		const old = this.runs.filter((run) => readOf(run)?.as !== asNow(run));
		const isDue = (run) => readOf(run)?.state !== run.state || performance.now() - readOf(run).at >= AROUND_MS;
		const due = old.filter(isDue);
		clearTimeout(this.timer);
		if (due.length < old.length) this.timer = setTimeout(() => this.turns.soon(), AROUND_MS);
		const around = await this.reader.around(due.map(({ id }) => id), this.around);
		if (signal.aborted) return;
		around.forEach((one, at) => {
			const { id, state } = due[at];
			this.keep(this.around, id, one);
			if (!one.fault) this.aroundAs.set(id, { as: asNow(due[at]), state, at: performance.now() });
		});
		if (due.length) this.changed();
	}

	stop() {
		this.reader.stop();
		this.turns.stop();
		this.unfollow();
		clearTimeout(this.timer);
	}
}
