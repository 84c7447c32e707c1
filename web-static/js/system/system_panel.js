/*
 * A panel of a metric: lines over time with the unit's own axis, what it is now, and all rows as a strip below. Panels
 * of one metric share its feed; each shows the rows it is for.
 */

import { el } from '../base/dom.js';
import { inFocus } from '../base/focus.js';
import { medianOf } from '../base/median.js';
import { bucketAt } from '../chart/data/buckets.js';
import { LinePanel } from '../chart/line/line_panel.js';
import { bandOf, drawn, placesOf } from '../chart/line/lines.js';
import { rangeOf, shown, shownRange } from '../chart/line/unit_words.js';
import { unitLabels, unitTicks } from '../chart/line/units.js';
import { drawNever, drawSoon } from '../chart/panel/draw_queue.js';
import { xWords } from '../chart/panel/panel_words.js';
import { text } from '../text/chart.js';
import { text as systemText } from '../text/system.js';
import { rowName } from './names.js';
import { rowTable } from './row_table.js';
import { extentSeen, lastOf } from './sheet.js';
import { Statistics } from './statistics.js';
import { systemStrip } from './strip.js';
import { FEW, gridOfLines, systemLines } from './system_lines.js';

const words = systemText.system;
const SLICE_MS = 10; /* of a frame, in which many rows are reckoned with */
const FULL_MS = 5; /* of that, after which a frame has no room for drawing */
const AT_ONCE = 256; /* rows whose strip is drawn in the frame of the lines */
const BESIDE = { left: 2, right: 4 }; /* pixels between a plot and the sides of its panel, as charts.css has them */

/* spec: {id, kind: 'system', keys, title, metric, only(row), isCell}, which specOf makes. page: a SystemPage. */
export class SystemPanel extends LinePanel {
	constructor(spec, page, options) {
		super(spec, page, options);
		this.rows = [];
		this.node.classList.add('system');
		if (spec.isCell) return void this.node.classList.add('cell');
		this.strip = systemStrip(this);
		this.drawStrip = () => this.seen && this.drawStripUnlessPressed();
		this.tip.before(this.strip.node);
	}

	get metric() {
		return this.spec.metric;
	}

	get feed() {
		return this.page.feedOf(this.metric);
	}

	/* Bytes are shown in KiB and so on. */
	get yTold() {
		const { unit } = this.metric;
		return { marks: (...range) => unitTicks(unit, ...range), labels: (list) => unitLabels(unit, list), least: this.nameRoom || undefined };
	}

	say = (value) => shown(value, this.metric.unit);

	at = (x) => xWords(this.data.x, x);

	names = (row) => rowName(row, this.rows, this.metric.section);

	/* ---- asking ---- */

	ask() {
		if (!this.seen) return;
		if (this.unlisten) this.feed.ask();
		this.unlisten ||= this.feed.listen(() => this.changed());
		this.changed();
	}

	hide() {
		super.hide();
		drawNever(this.drawStrip);
		this.unlisten?.();
		this.unlisten = null;
	}

	/* ---- drawing ---- */

	/* False: of so many rows there is more to do, in the next frame; if only to draw, where this one is full. */
	reckon(sheet, rows) {
		const full = performance.now() + FULL_MS;
		const isPlain = this.spec.isCell && rows.length <= FEW; /* lines of their own, and no strip */
		if (isPlain) this.reckoned = null;
		else if (!this.reckoned?.isOf(sheet, rows)) this.reckoned = new Statistics(sheet, rows);
		return isPlain || (this.reckoned.reckon(SLICE_MS) && performance.now() < full);
	}

	take(sheet, rows) {
		const { reckoned } = this;
		this.rows = rows;
		this.current = this.valuesNow();
		this.nameRoom = this.strip && rows.length > 1 ? this.strip.nameRoom(reckoned) : 0;
		const { color, slotOf, reportersOf } = this.page;
		const how = { color, slotOf, reportersOf, names: this.names, middleName: words.median, reckoned };
		this.data = { grid: gridOfLines(sheet), x: sheet.x, lines: systemLines(sheet, rows, how) };
	}

	drawNow() {
		const { sheet, fault } = this.feed;
		const rows = sheet?.rows.filter((row) => this.page.wants(row) && this.spec.only(row));
		this.fault = fault;
		drawNever(this.drawStrip);
		if (sheet && !this.reckon(sheet, rows)) return this.changed();
		if (sheet) this.take(sheet, rows);
		super.drawNow();
		return this.strip && this.showStrip(this.rows.length > 1 ? sheet : null);
	}

	/* The same x is at the same place in the strip as in the plot. */
	placed(plot) {
		if (plot !== this.plot || !this.strip) return; /* another one is made for pictures */
		const { width, bbox: { left, width: wide } } = plot;
		this.strip.lie(BESIDE.left + left / devicePixelRatio, BESIDE.right + width - (left + wide) / devicePixelRatio);
	}

	/* Draws the strip. If it has many rows, it is drawn in a frame of its own. */
	showStrip(sheet) {
		this.stripSheet = sheet;
		if (this.rows.length > AT_ONCE) drawSoon(this.drawStrip);
		else this.strip.draw(sheet, this.reckoned);
	}

	drawStripUnlessPressed() {
		this.isHeld = this.isPressed();
		if (!this.isHeld) this.strip.draw(this.stripSheet, this.reckoned);
	}

	prepare() {
		const { grid, x, lines } = this.data;
		this.ones = lines.map((line) => drawn(line, { count: grid.count, weight: 0, isLog: false, grid }));
		this.band();
		this.measure();
		return [placesOf(grid, x), ...this.ones.map((one) => one.smooth)];
	}

	/* Sets the bands: of a single line, of the median, and of the line in focus. */
	band() {
		const { lines } = this.data;
		const isBanded = (line, at) => at === 0 && (lines.length === 1 || this.rows.length > FEW) || line.who === inFocus();
		this.bands = new Map(lines.filter(isBanded).map((line) => [line.id, bandOf(line, 'minmax')]));
	}

	/* Another focus is other bands; new data would end a drag that is under way. */
	redraw() {
		if (!this.plot) return this.changed();
		this.band();
		return this.dim();
	}

	shape() {
		return { ...super.shape(), unit: this.metric.unit, nameRoom: this.nameRoom };
	}

	/* Sets the range of the y axis. Small panels of a metric all have the same range. */
	measure() {
		const { sheet } = this.feed;
		const [first, last] = this.xRange().map((x) => Math.min(sheet.grid.count - 1, bucketAt(sheet.grid, x)));
		this.ranges = { y: this.yZoom || rangeOf(this.metric.unit, ...this.extent(first, last)) };
	}

	extent(first, last) {
		const { sheet } = this.feed;
		if (this.spec.isCell) return extentSeen(sheet.rows.filter(this.page.wants), first, last);
		const isReckoned = first === 0 && last === sheet.grid.count - 1 && this.reckoned?.isDone(sheet);
		return isReckoned && !sheet.ends ? this.reckoned.extent() : extentSeen(this.rows, first, last);
	}

	size() {
		return { width: Math.max(100, this.plotNode.clientWidth), height: Math.max(60, this.plotNode.clientHeight) };
	}

	/* ---- words ---- */

	/* {middle, range} of what rows are now; null where nothing is finite. */
	valuesNow() {
		const values = Float64Array.from(this.rows, (row) => lastOf(row)).filter((value) => !Number.isNaN(value));
		if (!values.length) return null;
		const [low, high] = [Math.min(...values), Math.max(...values)];
		return { middle: this.say(medianOf(values)), range: low < high ? shownRange(low, high, this.metric.unit) : '' };
	}

	aside() {
		const now = this.current;
		return now ? el('span', { class: 'now' }, el('b', {}, now.middle), el('span', {}, now.range)) : null;
	}

	summary() {
		const now = this.current;
		if (!this.data) return text.charts.loading;
		return now ? words.summary(this.rows.length, now.middle, now.range) : words.nothing;
	}

	noteText() {
		if (!this.feed.sheet) return el('p', { class: 'muted' }, text.charts.loading);
		const none = this.feed.sheet.x === '_step' ? words.nothingAtSteps : words.nothing;
		return this.rows?.length ? null : el('p', { class: 'muted' }, none);
	}

	tableNode() {
		return rowTable(this, this.rows);
	}

	legend() {
		return null;
	}
}

export function specOf(metric, { where, only = () => true, isCell = false } = {}) {
	const title = words.title(metric.id);
	const keys = metric.keys.map(({ key }) => key);
	return { id: metric.id, kind: 'system', keys, title: where ? words.at(title, where) : title, metric, only, isCell };
}
