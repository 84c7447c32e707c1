/* Runs as lines across axes of keys; a drag along an axis filters by the values there. */

import { svg } from '../../base/dom.js';
import { spansDecades } from '../data/scale.js';
import { filterOf, within } from './axis_filter.js';
import { parallelPlot } from './parallel.js';
import { RunPlotPanel } from './run_plot_panel.js';

const NEAR_PX = 20; /* of an axis */
const LEAST_PX = 4; /* a shorter drag is a click */
const WIDE = 10;

export class ParallelPanel extends RunPlotPanel {
	constructor(...given) {
		super(...given);
		if (!this.page.filter) return;
		this.plotNode.classList.add('filters');
		this.plotNode.addEventListener('pointerdown', (event) => this.press(event));
	}

	/* An axis is logarithmic if its values span decades, or, if the panel asks for it, if all of them are positive. */
	isLog(at) {
		if (this.spec.y === 'linear') return false;
		const there = this.data.runs.map(({ values }) => values[at]).filter((value) => value !== undefined);
		return spansDecades(there) || (this.look.y === 'log' && there.every((value) => value > 0));
	}

	figure(lines, size) {
		const axes = this.data.keys.map((name, at) => ({ name, isLog: this.isLog(at) }));
		const node = parallelPlot({ axes, lines, ...size });
		this.axes = [...node.querySelectorAll('.axis')].map((axis) =>
			['x1', 'y1', 'y2'].map((name) => Number(axis.getAttribute(name))),
		);
		return node;
	}

	/* Starts to brush an axis. If lines are means of groups, there is no brush: a range of means filters no runs. */
	press(event) {
		if (this.page.groups.length) return;
		const { left } = this.plot?.getBoundingClientRect() || {};
		if (event.button !== 0 || left === undefined) return;
		const at = this.axes.findIndex(([x]) => Math.abs(x - (event.clientX - left)) <= NEAR_PX);
		if (at >= 0) this.brush(event, at);
	}

	/* Starts the drag only when the pointer has moved, so that a click remains a click. */
	brush({ pointerId, clientY: start }, at) {
		const { plot } = this;
		const [x, upper, lower] = this.axes[at];
		const ends = new AbortController();
		const box = svg('rect', { class: 'brush', x: x - WIDE / 2, width: WIDE });
		const span = (now) => {
			const { top } = plot.getBoundingClientRect();
			return [start, now].map((y) => Math.max(upper, Math.min(lower, y - top))).sort((a, b) => a - b);
		};
		const move = ({ clientY }) => {
			if (!box.parentNode && Math.abs(clientY - start) < LEAST_PX) return;
			if (!box.parentNode) this.plotNode.setPointerCapture(pointerId);
			plot.append(box);
			const [from, to] = span(clientY);
			box.setAttribute('y', from);
			box.setAttribute('height', to - from);
		};
		const end = () => {
			ends.abort();
			box.remove();
		};
		const drop = ({ clientY }) => {
			const isDrag = box.parentNode;
			end();
			if (isDrag) this.filterBy(at, span(clientY).map((y) => (lower - y) / (lower - upper)));
		};
		const { signal } = ends;
		addEventListener('pointermove', move, { signal });
		addEventListener('pointerup', drop, { signal });
		addEventListener('pointercancel', end, { signal });
	}

	filterBy(at, [high, low]) {
		const values = this.data.runs.map((run) => run.values[at]);
		const filter = filterOf(this.data.keys[at], within(values, { isLog: this.isLog(at), low, high }));
		if (filter) this.page.filter(filter);
	}
}
