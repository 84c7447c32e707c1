/*
 * The rows of a metric, asked for once for all panels that show some of them, while one of them is seen. What comes
 * later is asked for from the last buckets on, once a second at most; the whole now and then, for rows that are late.
 * Over steps it is always the whole, because a new row decides where earlier samples are.
 */

import { cacheTurns } from '../chart/data/cache_turns.js';
import { lazyModule } from '../ui/lazy_module.js';
import { edgeOf, grow, sheetInPieces } from './sheet.js';
import { inSlices } from './slices.js';

const SINCE_MS = 1000;
const STEPS_MS = 3000;
const AGAIN_MS = 5000; /* after what came could not be read */
const WHOLE_MS = 30000;
const BACK = { buckets: 4, seconds: 60 }; /* what processes that send seldom may not have sent yet */
const KEYS = 1000; /* as the server takes them */
const CELLS = 4096 * 400; /* of all series, before those of a host are one */
const BUCKETS_LEAST = 16;
const LEAN = 512; /* series, from which on means are all that is asked for */
const FULL = ['x_first', 'x_last', 'min', 'max', 'mean', 'n', 'nan', 'pinf', 'ninf'];
const beside = lazyModule(() => import('../chart/line/zoom_sides.js'));

/* Returns the mean distance of two rows of one process if all send equally often, from the rows at hand. Pure. */
export function meanApart({ x_first: first, x_last: last, n }) {
	const rows = n.reduce((sum, one) => sum + one, 0);
	return rows > 1 ? (last.at(-1) - first[0]) / (rows - 1) : undefined;
}

/* page: {run, x, zoom, width, senders, hosts, cache, told}. */
export class Feed {
	constructor(page, metric) {
		Object.assign(this, { page, metric, sheet: null, fault: null, listeners: new Set() });
		Object.assign(this, { isBehind: false, isFailed: false, wholeAt: -Infinity, given: null, sides: null,
			isMaking: false, isOther: false });
		this.turns = cacheTurns(page.cache, { isDue: () => this.listeners.size > 0 && this.isBehind,
			next: () => this.askSince(), leastMs: () => this.leastMs });
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

	/* told() is called when there is something else to draw. Returns a function that stops this. */
	listen(told) {
		this.listeners.add(told);
		if (this.listeners.size === 1 || (!this.sheet && !this.turns.isAsking())) this.ask();
		return () => {
			this.listeners.delete(told);
			if (!this.listeners.size) this.rest();
		};
	}

	rest() {
		this.turns.rest();
		this.sides?.rest();
		this.stopMaking();
	}

	stopMaking() {
		this.endMaking?.();
		this.isMaking = false;
	}

	tell() {
		for (const told of this.listeners) told();
		this.page.told();
	}

	/* ---- one question at a time ---- */

	/* listener(what came, done): done is called when it is in its place. */
	want(question, listener, options) {
		this.stopMaking();
		this.turns.want(question, (got, done) => {
			this.stopMaking();
			listener(got, done);
		}, options);
	}

	get leastMs() {
		if (this.isFailed) return AGAIN_MS;
		return this.page.x === '_step' ? STEPS_MS : SINCE_MS;
	}

	/* Rows came, to whatever metric. */
	rowsCame() {
		this.isBehind = true;
		this.turns.soon();
	}

	ask() {
		if (!this.listeners.size) return;
		const question = this.question();
		const name = JSON.stringify(question);
		Object.assign(this, { isBehind: false, isFailed: false });
		this.want(question, ({ answer, fault, isOld }, done) => {
			if (isOld && this.sheet?.name === name) return; /* rows that came since are there already */
			this.fault = fault || answer.faults[0];
			if (!answer?.panel) {
				this.tell();
				return done();
			}
			this.given = { question, answer, name };
			this.isMaking = true;
			this.askBeside();
			return this.make(() => {
				if (!isOld) this.wholeAt = performance.now();
				done();
			});
		});
	}

	/* Makes the sheet from the answer, with the rows next to its range as far as they are known. */
	make(made = () => {}) {
		const { question, answer: own, name } = this.given;
		const { ends, answer } = this.sides?.join(question, own) ?? { ends: null, answer: own };
		Object.assign(this, { isMaking: true, isOther: false });
		this.endMaking = inSlices(sheetInPieces(answer, this.metric, this.page.hosts), (sheet) => {
			this.sheet = { ...sheet, panel: answer.panel, ends, name };
			this.isMaking = false;
			if (!this.page.zoom) this.given = null;
			this.tell();
			made();
			this.makeAgain();
		});
	}

	/* With rows beside it that came: after the sheet that is being made, which is waited for. */
	makeAgain() {
		if (this.isOther && !this.isMaking && this.given) this.make();
	}

	/* For the rows next to the zoomed range, to which few lines go on. */
	askBeside() {
		const { page, given } = this;
		const isFew = given?.question.panel.columns === FULL && page.x !== '_step';
		if (!this.listeners.size || !isFew || (!this.sides && !page.zoom)) return;
		this.sides ||= beside.there(() => this.askBeside())?.zoomSides({ get look() { return page.look; }, page }, () => {
			this.isOther = true;
			this.makeAgain();
		}, meanApart);
		this.sides?.ask(given.question, given.answer, given.question.panel.buckets);
	}

	askSince() {
		const { sheet, page } = this;
		const isDue = performance.now() - this.wholeAt > WHOLE_MS;
		const isOther = sheet?.name !== JSON.stringify(this.question()); /* as with more writers */
		if (!sheet?.rows.length || page.zoom || page.x === '_step' || isDue || isOther) return this.ask();
		const edge = edgeOf(sheet, BACK);
		this.isBehind = false;
		return this.want(this.question({ from: sheet.grid.from + edge * sheet.grid.width }), ({ answer }, done) => {
			this.isFailed = !answer?.panel || answer.faults.length > 0;
			this.isBehind ||= this.isFailed;
			if (!this.isFailed && sheet === this.sheet) {
				if (!grow(sheet, answer, edge, page.hosts)) Object.assign(this, { wholeAt: -Infinity, isBehind: true });
				this.tell();
			}
			done();
		}, { keep: false });
	}
}
