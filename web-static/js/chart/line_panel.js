/*
 * A panel of lines: asks while it is seen, draws by uPlot, keeps its data when it is not. Its page says how: runs, x,
 * smoothing, range, zoom. What it shows is also told in words and as a table.
 */

import uPlot from '../../lib/uplot.js';
import { el, replace } from '../dom.js';
import { text } from '../text.js';
import { thresholdOf } from './axis.js';
import { addSince, bucketAt, lastFilled } from './buckets.js';
import { countOutside, rangeOf } from './clip.js';
import { moveCursor, onCursor } from './cursor.js';
import { drawNever, drawSoon } from './draw_queue.js';
import { focusRun, inFocus, onFocus } from './focus.js';
import { paintBelow, paintMarks } from './line_paint.js';
import { bandOf, drawn, linesOf, placesOf } from './lines.js';
import { fillTip } from './line_tip.js';
import { panelTable } from './panel_table.js';
import { panelHead, summary } from './panel_words.js';
import { plotOptions } from './plot_options.js';

const words = text.charts;
const LEAD_IN = 64;
const GRID_STEP = 64;
const SINCE_MS = 1000;
const BANDS = 3; /* of so many lines all bands are shown, of more that in focus */

/* page: {look, runs, groups, cache, zoomTo, full, clip}; look: {x, weight, y, clip, band, zoom}. */
export class LinePanel {
	constructor(key, page, { isFull = false } = {}) {
		Object.assign(this, { key, page, isFull, seen: false, data: null, plot: null, ones: [], since: new Map() });
		this.draw = () => this.drawNow();
		this.plotNode = el('div', { class: 'plot' });
		this.tip = el('div', { class: 'tip', hidden: true });
		this.said = el('p', { class: 'sr' });
		this.spoken = el('p', { class: 'sr', role: 'status' });
		this.note = el('div', { class: 'panel-note' });
		this.head = panelHead(this);
		this.node = el('article', {
			class: isFull ? 'panel full' : 'panel', tabindex: 0, 'aria-label': words.chartOf(key),
			onkeydown: (event) => this.press(event), onfocusout: () => this.leave(),
		}, this.head.node, this.said, this.note, this.plotNode, this.tip, this.spoken);
		this.plotNode.addEventListener('mouseleave', () => this.leave());
		this.stops = [onFocus(() => this.redraw()), onCursor((x, from) => this.follow(x, from)), this.watchSize(), () => this.hide()];
		this.showHead();
	}

	watchSize() {
		const sized = new ResizeObserver(() => this.resize());
		sized.observe(this.plotNode);
		return () => sized.disconnect();
	}

	/* ---- asking ---- */

	buckets() {
		return Math.max(1, Math.ceil(Math.max(120, this.plotNode.clientWidth) / GRID_STEP)) * GRID_STEP;
	}

	question() {
		const { look, runs, groups } = this.page;
		const buckets = this.buckets();
		const panel = { keys: [this.key], x: look.x, buckets };
		if (look.zoom) {
			const [from, to] = look.zoom;
			Object.assign(panel, { from: from - (to - from) * LEAD_IN / buckets, to, buckets: buckets + LEAD_IN });
			if (look.x === '_step') Object.assign(panel, { from: Math.max(0, Math.floor(panel.from)), to: Math.ceil(to) });
		}
		return {
			runs: runs.map((run) => run.id), panel,
			groups: groups.map(({ name, filter, members }) => filter === undefined ? { name, runs: members } : { name, filter }),
		};
	}

	show() {
		this.seen = true;
		this.ask();
	}

	hide() {
		this.seen = false;
		this.cancel?.();
		this.cancel = null;
		clearTimeout(this.timer);
		this.timer = 0;
		drawNever(this.draw);
		this.plot?.destroy();
		this.plot = null;
	}

	stop() {
		for (const stop of this.stops) stop();
	}

	ask() {
		if (!this.seen) return;
		const question = this.question();
		this.cancel?.();
		this.cancel = this.page.cache.want(question, (got) => this.take(question, got));
		if (this.data && !this.plot) drawSoon(this.draw);
	}

	take(question, { answer, fault, isOld }) {
		if (isOld && JSON.stringify(question) === JSON.stringify(this.asked)) return; /* rows that came since are drawn already */
		this.fault = fault || answer.faults[0];
		if (answer?.panel) {
			this.asked = question;
			this.data = linesOf(answer, this.page);
		}
		drawSoon(this.draw);
	}

	/* ---- rows that came ---- */

	/* from: the least step of what came. */
	rowsCame(run, from = Infinity) {
		this.since.set(run, Math.min(from, this.since.get(run) ?? Infinity));
		if (this.seen && !this.timer) this.timer = setTimeout(() => this.askSince(), SINCE_MS);
	}

	askSince() {
		this.timer = 0;
		const runs = this.page.runs.filter((run) => this.since.has(run.id));
		const least = Math.min(...this.since.values());
		this.since.clear();
		if (!this.seen) return;
		const edge = this.edgeOf(runs, least);
		if (edge === null) return this.ask();
		const { x } = this.data;
		const from = this.data.grid.from + edge * this.data.grid.width;
		const panel = { keys: [this.key], x, buckets: this.asked.panel.buckets, from: x === '_step' ? Math.ceil(from - 1e-9) : from };
		this.cancel?.();
		this.cancel = this.page.cache.want({ runs: runs.map((run) => run.id), groups: [], panel },
			({ answer }) => answer?.panel && this.addSince(edge, runs, answer), { keep: false });
	}

	/* The last bucket of all these lines; null when the whole has to be asked anew, as for rows that are late. */
	edgeOf(runs, least) {
		const { data, page } = this;
		if (!data || page.look.zoom || page.groups.length || !['_step', '_relative', '_timestamp'].includes(data.x)) return null;
		const lines = runs.map((run) => data.lines.find((line) => line.id === run.id));
		if (!lines.every(Boolean) || !data.grid.count) return null;
		const edge = Math.min(...lines.map(lastFilled));
		return data.x === '_step' && least < data.grid.from + edge * data.grid.width ? null : edge;
	}

	addSince(edge, runs, answer) {
		const { grid, lines } = this.data;
		const furthest = (piece) => bucketAt(grid, piece.columns.x_first[piece.columns.at.length - 1] ?? grid.from);
		if (Math.max(0, ...answer.series.map(furthest)) > this.asked.panel.buckets * 1.5) return this.ask();
		for (const piece of answer.series) addSince(grid, lines.find((line) => line.id === piece.run), edge, piece.columns);
		drawSoon(this.draw);
	}

	/* ---- drawing ---- */

	redraw() {
		if (this.seen && this.data) drawSoon(this.draw);
	}

	prepare() {
		const { data, page: { look } } = this;
		const { count } = data.grid;
		const focused = inFocus();
		this.ones = data.lines.map((line) => drawn(line, { count, weight: look.weight, isLog: look.y === 'log' }));
		const banded = (line) => look.band !== 'none' && (line.id === focused || data.lines.length <= BANDS);
		this.bands = new Map(data.lines.filter(banded).map((line) => [line.id, bandOf(line, look.band)]));
		this.rawShown = new Set(look.weight ? data.lines.filter((line) => !this.bands.has(line.id)).map((line) => line.id) : []);
		this.measure();
		return [placesOf(data.grid, data.x), ...this.ones.map((one) => one.smooth)];
	}

	shape() {
		const { look } = this.page;
		const threshold = look.y === 'sym' ? thresholdOf(this.visible()) : 1;
		return { x: this.data.x, y: look.y, threshold };
	}

	drawNow() {
		if (!this.seen) return;
		this.showHead();
		if (!this.data || !this.data.lines.length) return this.drawNothing();
		const columns = this.prepare();
		const shape = this.shape();
		const looks = JSON.stringify([shape, this.ones.map((one) => [one.line.id, one.line.slot, one.line.color]), this.page.theme]);
		if (this.plot && looks === this.looks) this.plot.setData(columns);
		else this.build(columns, shape);
		this.looks = looks;
		this.dim();
		this.showHead();
	}

	drawNothing() {
		this.plot?.destroy();
		this.plot = null;
	}

	build(columns, shape) {
		this.plot?.destroy();
		const panel = {
			xRange: () => this.xRange(), yRange: () => this.range, below: (u) => paintBelow(u, { ones: this.ones, bands: this.bands, raw: this.rawShown }),
			above: (u) => paintMarks(u, this), moved: () => this.moved(), selected: () => this.selected(),
			near: (u, at) => this.near(at), reset: () => this.page.zoomTo(null),
		};
		this.plot = new uPlot(plotOptions({ ...this.size(), shape, ones: this.ones, panel }), columns, this.plotNode);
	}

	size() {
		return { width: Math.max(120, this.plotNode.clientWidth), height: Math.max(100, this.plotNode.clientHeight) };
	}

	resize() {
		if (!this.seen) return;
		this.plot?.setSize(this.size());
		if (this.asked && this.question().panel.buckets !== this.asked.panel.buckets) this.ask();
	}

	dim() {
		const focused = inFocus();
		const isHere = this.ones.some((one) => one.line.id === focused);
		this.ones.forEach((one, at) => { this.plot.series[at + 1].alpha = !isHere || one.line.id === focused ? 1 : 0.15; });
		this.plot.redraw(false);
	}

	xRange() {
		const { grid, x } = this.data;
		const [from, to] = this.page.look.zoom || [grid.from, grid.from + grid.width * Math.max(1, grid.count) - (x === '_step' ? 1 : 0)];
		return to > from ? [from, to] : [from - 0.5, from + 0.5];
	}

	/* What is drawn within the x that is seen: bands where they are shown, else lines. */
	visible() {
		const [from, to] = this.xRange();
		const { grid } = this.data;
		const first = Math.max(0, bucketAt(grid, from));
		const last = bucketAt(grid, to);
		const values = [];
		for (const { line, smooth } of this.ones) {
			const band = this.ones.length <= BANDS && this.bands.get(line.id); /* a band that comes with the focus moves nothing */
			for (const column of band ? [band.low, band.high] : [smooth]) {
				for (let at = first; at <= last && at < column.length; at++) {
					if (column[at] !== null && column[at] !== undefined) values.push(column[at]);
				}
			}
		}
		return values;
	}

	measure() {
		const { look } = this.page;
		const values = this.visible();
		this.range = rangeOf(values, { clip: look.clip, isLog: look.y === 'log' });
		this.outside = countOutside(look.y === 'log' ? values.filter((value) => value > 0) : values, this.range);
	}

	/* ---- cursor, zoom, keys ---- */

	moved() {
		if (!this.isPointedAt()) return;
		const { idx, left } = this.plot.cursor;
		if (idx === null || idx === undefined || left < 0) return;
		moveCursor(this.plot.data[0][idx], this);
		fillTip(this, idx);
	}

	/* uPlot tells of its cursor later, too, and of one that was only put there. */
	isPointedAt() {
		return Boolean(this.plot) && !this.isFollowing && this.plot.over.matches(':hover');
	}

	near(at) {
		this.nearest = at;
		if (this.isPointedAt()) focusRun(at ? this.ones[at - 1].line.id : null);
	}

	leave() {
		this.tip.hidden = true;
		this.nearest = null;
		moveCursor(null, this);
		focusRun(null);
	}

	follow(x, from) {
		if (from === this || !this.plot) return;
		this.isFollowing = true;
		const left = x === null ? -10 : this.plot.valToPos(x, 'x');
		this.plot.setCursor({ left, top: x === null ? -10 : 0 });
		this.isFollowing = false;
	}

	selected() {
		const { left, width } = this.plot.select;
		if (width < 4) return;
		const at = (px) => this.plot.posToVal(px, 'x');
		const [from, to] = [at(left), at(left + width)];
		this.plot.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
		this.page.zoomTo([from, to]);
	}

	zoomed() {
		if (this.plot) {
			this.measure();
			this.plot.setData(this.plot.data);
			this.showHead();
		}
		this.ask();
	}

	press(event) {
		const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
		if (!by || !this.plot || event.target !== this.node) return;
		event.preventDefault();
		const filled = this.plot.data[0].map((_, at) => at).filter((at) => this.ones.some((one) => one.line.x[at] !== null));
		const before = filled.indexOf(this.at ?? -1);
		const next = before < 0 ? (by > 0 ? 0 : filled.length - 1) : before + by * (event.shiftKey ? 10 : 1);
		this.at = filled[Math.max(0, Math.min(filled.length - 1, next))];
		this.isFollowing = true;
		this.plot.setCursor({ left: this.plot.valToPos(this.plot.data[0][this.at], 'x'), top: 0 });
		this.isFollowing = false;
		moveCursor(this.plot.data[0][this.at], this);
		replace(this.spoken, fillTip(this, this.at));
	}

	/* ---- words ---- */

	showHead() {
		this.head.update();
		replace(this.said, summary(this));
		replace(this.note, this.noteText());
		if (this.table) replace(this.table, panelTable(this));
	}

	noteText() {
		if (this.fault) {
			const why = this.fault.detail || text.fault.of(this.fault);
			return el('p', { class: 'fault' }, why, ' ', el('button', { class: 'btn', type: 'button', onclick: () => this.ask() }, text.fault.again));
		}
		if (!this.data) return null;
		const without = this.page.runs.filter((run) => !this.data.lines.some((line) => line.id === run.id));
		if (!this.data.lines.length) return el('p', { class: 'muted' }, words.nothing);
		const isKey = !this.data.x.startsWith('_');
		return isKey && without.length ? el('p', { class: 'muted' }, words.withoutKey(without.length, this.page.runs.length, this.data.x)) : null;
	}

	toggleTable() {
		if (this.table) this.table.remove();
		this.table = this.table ? null : el('div', { class: 'panel-table', tabindex: 0, role: 'region', 'aria-label': words.tableOf(this.key) });
		if (this.table) this.plotNode.after(this.table);
		this.showHead();
	}
}
