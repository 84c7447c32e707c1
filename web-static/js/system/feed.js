/*
 * The rows of a metric, asked for once for all panels that show some of them, while one of them is seen. What comes later
 * is asked for from the last buckets on, once a second at most; the whole now and then, for rows that are late.
 */

import { edgeOf, grow, sheetOf } from './sheet.js';

const SINCE_MS = 1000;
const WHOLE_MS = 30000;
const BACK = { buckets: 4, seconds: 60 }; /* what processes that send seldom may not have sent yet */
const KEYS = 1000; /* as the server takes them */
const CELLS = 4096 * 400; /* of all series, before those of a host are one */
const BUCKETS_LEAST = 16;
const LEAN = 512; /* series, from which on means are all that is asked for */
const FULL = ['x_first', 'min', 'max', 'mean', 'n', 'nan', 'pinf', 'ninf'];

/* page: {run, x, zoom, width, senders, hosts, cache, told}. */
export class Feed {
	constructor(page, metric) {
		Object.assign(this, { page, metric, sheet: null, fault: null, listeners: new Set(), wholeAt: 0 });
	}

	question(more) {
		const { run, x, zoom, width, senders } = this.page;
		const keys = this.metric.keys.slice(0, KEYS).map(({ key }) => key);
		const series = Math.max(1, keys.length * senders.length);
		const panel = {
			keys, stream: 'events', x, split: this.metric.scope === 'host' ? 'host' : 'writer', rate: this.metric.isRate,
			buckets: Math.max(BUCKETS_LEAST, Math.min(width, Math.floor(CELLS / series))),
			columns: series > LEAN ? ['x_first', 'mean'] : FULL,
			...zoom && { from: zoom[0], to: zoom[1] }, ...more,
		};
		return { runs: [run], groups: [], panel };
	}

	/* told(): when there is something else to draw. Gives back how to stop. */
	listen(told) {
		this.listeners.add(told);
		if (this.listeners.size === 1 || !this.sheet) this.ask();
		return () => {
			this.listeners.delete(told);
			if (!this.listeners.size) this.rest();
		};
	}

	rest() {
		this.cancel?.();
		clearTimeout(this.timer);
		this.timer = 0;
	}

	tell() {
		for (const told of this.listeners) told();
		this.page.told();
	}

	ask() {
		if (!this.listeners.size) return;
		this.rest();
		const question = this.question();
		const name = JSON.stringify(question);
		this.cancel = this.page.cache.want(question, ({ answer, fault, isOld }) => {
			if (isOld && this.sheet?.name === name) return;
			this.fault = fault || answer.faults[0];
			if (!answer?.panel) return this.tell();
			this.sheet = { ...sheetOf(answer, this.metric, this.page.hosts), name };
			if (!isOld) this.wholeAt = performance.now();
			return this.tell();
		});
	}

	/* Rows came, to whatever metric. */
	rowsCame() {
		if (this.listeners.size && !this.timer) this.timer = setTimeout(() => this.askSince(), this.sheet ? SINCE_MS : 0);
	}

	askSince() {
		this.timer = 0;
		const { sheet, page } = this;
		const isDue = performance.now() - this.wholeAt > WHOLE_MS;
		const isOther = sheet?.name !== JSON.stringify(this.question()); /* as with more writers */
		if (!sheet?.rows.length || page.zoom || isDue || isOther) return this.ask();
		const edge = edgeOf(sheet, BACK);
		this.cancel?.();
		this.cancel = page.cache.want(this.question({ from: sheet.grid.from + edge * sheet.grid.width }), ({ answer }) => {
			if (!answer?.panel || answer.faults.length || sheet !== this.sheet) return;
			if (!grow(sheet, answer, edge, page.hosts)) this.ask();
			this.tell();
		}, { keep: false });
	}
}
