/*
 * A panel of lines: draws by uPlot what it asked for, keeps its data when it is not seen. Its page says how: runs, x,
 * smoothing, range, zoom.
 */

import uPlot from '../../lib/uplot.js';
import { lateLook } from '../parts/late_look.js';
import { dashAt } from '../runs/slot.js';
import { thresholdOf } from './axis.js';
import { bucketAt, endsOf } from './buckets.js';
import { countOutside, rangeOf } from './clip.js';
import { onCursor } from './cursor.js';
import { passes } from './edges.js';
import { inFocus, onFocus } from './focus.js';
import { lateFormula, lateMembers, lateOrder } from './late_parts.js';
import { lineAsking } from './line_asking.js';
import { lineHand } from './line_hand.js';
import { paintBelow, paintEvents, paintMarks } from './line_paint.js';
import { bandOf, drawn, drawnBand, placesOf } from './lines.js';
import { Panel } from './panel.js';
import { legend, marksOf, summary, valuesNote } from './panel_words.js';
import { plotOptions } from './plot_options.js';

const more = lateLook(() => import('./late_lines.js'));
let refLines = null; /* ref_lines.js */
const BANDS = 3; /* of so many lines all bands are shown, of more that in focus */

export class LinePanel extends Panel {
	constructor(spec, page, options) {
		super(spec, page, options);
		Object.assign(this, {
			plot: null,
			yZoom: null,
			whole: null,
			shown: [],
			ones: [],
			others: [] /* lines of the panels with other values of a key, over the same axes */,
			beside: [],
			thin: [] /* members of groups */,
			members: lateMembers(this),
			order: lateOrder(this),
			formula: lateFormula(this, more),
			bands: new Map(),
			widths: new Map() /* bands that the axis has room for: one that comes with the focus moves nothing */,
			rawShown: new Set(),
		});
		this.asking = lineAsking(this, () => this.changed());
		this.hand = lineHand(this, more);
		this.retable = () => this.table && this.showTable();
		this.node.addEventListener('keydown', this.hand.press);
		this.node.addEventListener('focusout', this.hand.leave);
		this.plotNode.addEventListener('mouseleave', this.hand.leave);
		this.plotNode.addEventListener('wheel', this.hand.wheel, { passive: false });
		this.plotNode.addEventListener('click', this.hand.click);
		for (const type of ['mousemove', 'mouseleave']) this.plotNode.addEventListener(type, this.hand.freeze, true);
		this.stops.push(this.hand.stop, onFocus(() => this.redraw()), onCursor(this.hand.follow));
		this.showHead();
	}

	ask() {
		this.asking.ask();
		this.formula.ask();
		if (this.data && !this.plot) this.changed();
	}

	rowsCame(run, from) {
		this.asking.rowsCame(run, from);
	}

	hide() {
		super.hide();
		this.members.rest();
		this.order.rest();
		this.asking.stop();
	}

	/* Of the run, where the page knows of any. */
	get events() {
		return this.data && this.page.events?.at(this.data.x) || [];
	}

	/* ---- drawing ---- */

	/* What was answered, or what a formula makes of it. */
	lines() {
		const { data, look: { legend: pattern } } = this;
		const lines = data ? this.formula.linesOf(data.lines) : [];
		return pattern ? this.page.named(lines, pattern) : lines;
	}

	/* A line as it is drawn. */
	drawnOf(line, right) {
		const { data, look } = this;
		return drawn(line, {
			count: data.grid.count,
			weight: look.weight,
			window: look.window,
			isLog: look.y === 'log',
			grid: data.grid,
			isZoomed: Boolean(look.zoom),
			scale: line.key === right ? 'y2' : 'y',
		});
	}

	prepare() {
		const { data, look, shown: lines } = this;
		const right = this.rightKey();
		const focused = inFocus();
		this.ones = lines.map((line) => this.drawnOf(line, right));
		this.order.now().put(this.ones);
		this.beside = this.others.map((line) => this.drawnOf(line, right));
		this.thin = this.members.now().drawn(right);
		const alongX = this.ones.filter(({ path }) => !path);
		const banded = ({ line }) => look.band !== 'none' && (line.who === focused || lines.length <= BANDS);
		const how = { grid: data.grid, isLog: look.y === 'log' };
		this.bands = new Map(alongX.filter(banded).map((one) => [one.line.id, drawnBand(one, look.band, how)]));
		this.widths = new Map(lines.length <= BANDS ? this.bands : []);
		for (const { line, path } of this.ones) if (path) this.widths.set(line.id, bandOf(line, 'minmax'));
		if (look.band !== 'none') this.besideBands().forEach((line) => this.widths.set(line.id, bandOf(line, look.band)));
		this.rawShown = new Set(
			look.weight || look.window ? alongX.map(({ line }) => line.id).filter((id) => !this.bands.has(id)) : [],
		);
		this.measure();
		return [placesOf(data.grid, data.x), ...this.ones.map((one) => one.smooth)];
	}

	besideBands() {
		const shared = this.shown.filter((line) => !line.isGroup).length;
		return this.page.facets?.inFew(this.others, this.spec.facet, { shared, most: BANDS }) || [];
	}

	/* The key whose lines go by the right axis: never all that there are. */
	rightKey() {
		const { right, formula } = this.spec;
		return right && !formula && this.shown.some((line) => line.key !== right) ? right : null;
	}

	shape() {
		const { look } = this;
		const threshold = look.y === 'sym' ? thresholdOf(this.visible(this.ones)) : 1;
		return {
			x: this.data.x,
			isLog: this.data.grid.isLog,
			y: look.y,
			threshold,
			hasRight: this.ones.some(({ scale }) => scale === 'y2'),
		};
	}

	drawNow() {
		const lines = this.lines();
		const { page: { facets }, spec: { facet } } = this;
		const isHere = (line) => !facet || facets.isWithin(facet, line);
		this.shown = lines.filter(isHere);
		this.others = lines.filter((line) => !isHere(line));
		this.showHead();
		if (!this.shown.length) return this.drawNone();
		const columns = this.prepare();
		const shape = this.shape();
		const looks = JSON.stringify([
			shape,
			this.ones.map(({ line, scale, path }) => [line.id, scale, line.slot, line.color, dashAt(line), !path]),
			this.page.theme,
		]);
		if (this.plot && looks === this.looks) this.plot.setData(columns);
		else this.build(columns, shape);
		this.looks = looks;
		this.dim();
		this.showHead();
	}

	drawNone() {
		this.page.shared?.leave(this.spec.id);
		this.drawNothing();
	}

	drawNothing() {
		this.plot?.destroy();
		this.plot = null;
	}

	build(columns, shape) {
		this.plot?.destroy();
		this.plot = this.made(columns, shape, this.plotNode);
		requestAnimationFrame(this.fit);
	}

	/* What comes beside it in its frame (a legend, a strip) takes room that no observer of sizes has seen. */
	fit = () => this.plot?.setSize(this.size());

	made(columns, shape, node) {
		const panel = {
			yTold: this.yTold,
			xRange: () => this.xRange(),
			yRange: (scale) => this.ranges[scale],
			dots: (at) => this.ones[at - 1].dots,
			below: (u) => {
				paintEvents(u, this.events);
				this.members.now().paint(u, this.thin);
				paintBelow(u, { ones: this.ones, bands: this.bands, raw: this.rawShown });
				this.order.now().paint(u, this.ones);
			},
			above: (u) => {
				paintMarks(u, this);
				this.paintRefs(u);
				this.placed(u);
			},
			moved: this.hand.moved,
			selected: this.hand.selected,
			down: this.hand.down,
			near: (u, at) => this.hand.near(at),
			reset: this.hand.reset,
		};
		return new uPlot(plotOptions({ ...this.size(), shape, ones: this.ones, panel }), columns, node);
	}

	/* Reference lines; those at a step where x are steps. */
	get refs() {
		return (this.spec.refs || []).filter(({ axis }) => axis === 'y' || this.data?.x === '_step');
	}

	refsAt(axis) {
		return this.refs.filter((ref) => ref.axis === axis).map(({ at }) => at);
	}

	/* By a part that comes when there is something for it. */
	async paintRefs(u) {
		const { refs } = this;
		if (refs.length && refLines) return refLines.paintRefs(u, refs);
		if (refs.length && (refLines = await import('./ref_lines.js').catch(() => null))) this.redraw();
	}

	/* It was drawn: from here on it is known where the plot lies between its axes. */
	placed() {}

	size() {
		return { width: Math.max(120, this.plotNode.clientWidth), height: Math.max(100, this.plotNode.clientHeight) };
	}

	sized() {
		this.plot?.setSize(this.size());
		this.asking.sized();
	}

	dim() {
		const focused = inFocus();
		const isHere = this.ones.some((one) => one.line.who === focused);
		this.ones.forEach((one, at) => {
			this.plot.series[at + 1].alpha = !isHere || one.line.who === focused ? 1 : 0.15;
		});
		this.plot.redraw(false);
	}

	xRange() {
		const { grid, x } = this.data;
		const [first, end] = endsOf(grid);
		const { zoom } = this.look;
		const isPlace = zoom && (!grid.isLog || zoom[0] > 0);
		const refs = grid.isLog ? [] : this.refsAt('x');
		const last = end - (x === '_step' && !grid.isLog ? 1 : 0);
		const [from, to] = isPlace ? zoom : [Math.min(first, ...refs), Math.max(last, ...refs)];
		if (to > from) return [from, to];
		return grid.isLog ? [from / 2, from * 2] : [from - 0.5, from + 0.5];
	}

	/* What is drawn of some within the x that is seen: bands where they are shown, else lines. */
	visible(ones) {
		const [from, to] = this.xRange();
		const { grid } = this.data;
		const pad = grid.pad ?? 0;
		const first = Math.max(pad, bucketAt(grid, from));
		const last = Math.min(grid.count - 1 - pad, bucketAt(grid, to));
		const values = [];
		for (const { line, smooth } of ones) {
			const band = this.widths.get(line.id);
			for (const column of band ? [band.low, band.high] : [smooth]) {
				for (let at = first; at <= last && at < column.length; at++) {
					if (column[at] !== null && column[at] !== undefined) values.push(column[at]);
				}
			}
		}
		return values;
	}

	/* Where lines and their bands come into what is zoomed to, and go out of it. */
	edges(ones, places) {
		const { data: { grid }, look } = this;
		if (!look.zoom) return [];
		const how = { isLogX: grid.isLog, isLog: look.y === 'log' };
		const columns = ones.flatMap(({ line, raw, smooth }) => {
			const { low, high } = this.widths.get(line.id) ?? {};
			const through = (values) => values.map((value, at) => value ?? (raw[at] === undefined ? undefined : null));
			return [smooth, ...[low, high].filter(Boolean).map(through)];
		});
		const at = (x) => columns.map((values) => passes(values, places, x, how));
		return this.xRange().flatMap(at).filter(Number.isFinite);
	}

	/* With which other panels it has a range in common: those of its section that are looked at as it is. */
	get sharedName() {
		const { look: { y, range }, spec: { sharedY }, yZoom } = this;
		const isFree = !yZoom && range.every((end) => end === null);
		return sharedY !== undefined && isFree ? JSON.stringify([sharedY, y]) : null;
	}

	/* hasValues: one that has none goes by the others. */
	sharedRange(own, hasValues) {
		const { page, sharedName, spec } = this;
		if (sharedName) return page.shared.of(sharedName, spec.id, hasValues ? own : null) ?? own;
		page.shared?.leave(spec.id);
		return own;
	}

	measure() {
		const { look } = this;
		const isLog = look.y === 'log';
		const places = placesOf(this.data.grid, this.data.x);
		this.ranges = {};
		this.outside = { above: 0, below: 0 };
		this.isBare = true;
		for (const scale of ['y', 'y2']) {
			const shown = this.visible(this.ones.filter((one) => one.scale === scale));
			const near = [...this.beside, ...this.thin].filter((one) => one.scale === scale);
			const all = [...this.ones, ...this.beside, ...this.thin].filter((one) => one.scale === scale);
			const edges = this.edges(all, places);
			const values = [...shown, ...this.visible(near), ...edges];
			this.isBare &&= !values.length;
			const include = scale === 'y' ? this.refsAt('y') : [];
			const own = rangeOf(values, {
				clip: look.clip,
				isLog,
				include,
				fixed: scale === 'y' ? this.yZoom || look.range : undefined,
			});
			const hasValues = [...values, ...include].some((value) => !isLog || value > 0);
			this.ranges[scale] = scale === 'y' ? this.sharedRange(own, hasValues) : own;
			const { above, below } = countOutside(
				isLog ? shown.filter((value) => value > 0) : shown,
				this.ranges[scale],
			);
			this.outside = { above: this.outside.above + above, below: this.outside.below + below };
		}
	}

	/* The values from which to which it is seen are its own, and gone with the zoom. */
	zoomTo(zoom, yZoom = null) {
		const isOther = yZoom !== this.yZoom;
		this.yZoom = yZoom;
		super.zoomTo(zoom);
		if (isOther) this.zoomed();
	}

	zoomed() {
		if (this.plot) {
			this.measure();
			this.plot.setData(this.plot.data);
			this.showHead();
		}
		this.ask();
	}

	/* ---- words ---- */

	noteText() {
		return this.data && [valuesNote(this), this.members.now().note(), this.order.now().note()];
	}

	summary() {
		return summary(this);
	}

	tableNode() {
		return more.there(this.retable)?.panelTable(this);
	}

	marks() {
		return marksOf(this);
	}

	legend() {
		return legend(this);
	}
}
