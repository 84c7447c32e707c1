/*
 * A panel of lines: draws what it asked for, keeps its data when it is not seen. Its page says how: runs, x, smoothing,
 * range, zoom.
 */

import { inFocus, onFocus } from '../../base/focus.js';
import { dashAt } from '../../base/slot.js';
import { lazyModule } from '../../ui/lazy_module.js';
import { Panel } from '../panel/panel.js';
import { alongOf, bandsNote, legend, marksOf, summary, valuesNote } from '../panel/panel_words.js';
import { thresholdOf } from './axis.js';
import { onCursor } from './cursor.js';
import { drawnLines } from './drawn_lines.js';
import { lazyFormula, lazyMembers, lazyOrder } from './lazy_parts.js';
import { lineAsking } from './line_asking.js';
import { lineHand } from './line_hand.js';
import { linePlot } from './line_plot.js';
import { measured, sharedNameOf, xRangeOf } from './line_ranges.js';
import { placesOf } from './lines.js';
import { visible } from './visible_values.js';

const groupParts = lazyModule(() => import('./group_outside.js'));
const formulas = lazyModule(() => import('./formula.js'));
const tables = lazyModule(() => import('./panel_table.js'));
const tips = lazyModule(() => import('./line_tip.js'));

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
			members: lazyMembers(this),
			order: lazyOrder(this),
			formula: lazyFormula(this, formulas),
			bands: new Map(),
			widths: new Map() /* bands that the axis has room for: one that comes with the focus moves nothing */,
			rawShown: new Set(),
		});
		this.asking = lineAsking(this, () => this.changed());
		this.hand = lineHand(this, tips);
		this.remeasure = () => this.changed();
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

	/* As the program has defined its keys. */
	get definedX() {
		return this.page.xOf?.(this.keys);
	}

	ask() {
		this.groupParts();
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

	/* Events of the run, if the page knows of any. */
	get events() {
		return this.data && this.page.events?.at(this.data.x) || [];
	}

	/* ---- drawing ---- */

	/* Returns the lines of the answer, or those that a formula makes of them. */
	lines() {
		const { data, look: { legend: pattern } } = this;
		const lines = data ? this.formula.linesOf(data.lines) : [];
		return pattern ? this.page.named(lines, pattern) : lines;
	}

	prepare() {
		Object.assign(this, drawnLines(this));
		this.measure();
		return [placesOf(this.data.grid, this.data.x), ...this.ones.map((one) => one.smooth)];
	}

	shape() {
		const { look } = this;
		const threshold = look.y === 'sym' ? thresholdOf(visible(this, this.ones, this.xRange())) : 1;
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

	/* Fits the plot to its room. Parts added to its frame (a legend, a strip) take room that no observer reports. */
	fit = () => this.plot?.setSize(this.size());

	made(columns, shape, node) {
		return linePlot(this, columns, shape, node);
	}

	/* Reference lines; those at a step where x are steps. */
	get refs() {
		return (this.spec.refs || []).filter(({ axis }) => axis === 'y' || this.data?.x === '_step');
	}

	refsAt(axis) {
		return this.refs.filter((ref) => ref.axis === axis).map(({ at }) => at);
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
		return xRangeOf(this);
	}

	get sharedName() {
		return sharedNameOf(this);
	}

	/* Returns group_outside.js; null: it is not needed, or still loading. */
	groupParts() {
		return this.page.groups.length ? groupParts.there(this.remeasure) : null;
	}

	measure() {
		Object.assign(this, measured(this, this.groupParts()));
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
		return this.data && [valuesNote(this), bandsNote(this), this.members.now().note(), this.order.now().note()];
	}

	summary() {
		return summary(this);
	}

	tableNode() {
		return tables.there(this.retable)?.panelTable(this);
	}

	marks() {
		return marksOf(this);
	}

	legend() {
		return legend(this);
	}

	aside() {
		return alongOf(this);
	}
}
