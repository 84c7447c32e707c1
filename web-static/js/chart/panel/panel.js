/*
 * Base of panels of all kinds: a frame with a head, a text for screen readers, and errors. A kind asks for its data
 * while it is visible (`ask`), draws what it has (`drawNow`), and frees what it holds when it is no longer visible
 * (`drawNothing`).
 */

import { el, refill, renew, replace } from '../../base/dom.js';
import { visible } from '../../base/visible.js';
import { columnNames } from '../../list/model/names.js';
import { text } from '../../text/chart.js';
import { faultWords } from '../../ui/fault_words.js';
import { pressGuard } from '../../ui/press_guard.js';
import { drawNever, drawSoon } from './draw_queue.js';
import { lookOfPanel } from './look.js';
import { panelHead } from './panel_head.js';

const words = text.charts;
const TIP_GAP_PX = 4; /* as charts.css has it */

const WITH_AXES = ['scatter', 'parallel']; /* their several keys are short; one key alone would be called as its metric is */

/* The name of a panel is its title, or the short names of its keys, or its kind. */
export function nameOfPanel({ title, keys, kind, facet }) {
	const names = WITH_AXES.includes(kind) ? [...columnNames(keys).values()] : keys;
	const name = title || names.join(', ') || text.panels.kinds[kind] || kind;
	return facet ? `${name} · ${facet.name}` : name;
}

/*
 * spec: {id, kind, keys, …} as layout.js has it. page: what panel_grid.js says of the page that it stands on. Kinds
 * have ask, rowsCame(run, from), drawNow, drawNothing and summary, and where there is more: noteText, tableNode, marks,
 * legend.
 */
export class Panel {
	constructor(spec, page, { isFull = false } = {}) {
		Object.assign(this, { spec, page, isFull, seen: false, data: null, fault: null, table: null, isHeld: false });
		this.draw = () => this.seen && this.drawUnlessPressed();
		this.plotNode = el('div', { class: 'plot' });
		this.tip = el('div', { class: 'tip', hidden: true });
		this.said = el('p', { class: 'sr' });
		this.spoken = el('p', { class: 'sr', role: 'status' });
		this.note = el('div', { class: 'panel-note' });
		this.faultWords = faultWords(() => this.ask());
		this.head = panelHead(this);
		this.node = el('article', { class: isFull ? 'panel full' : 'panel', tabindex: 0 },
			this.head.node, this.said, this.note, this.plotNode, this.tip, this.spoken);
		this.isPressed = pressGuard(this.node, () => this.isHeld && this.changed(), '.corner');
		this.stops = [this.watchSize(), () => this.hide()];
	}

	/* As the layout has it, which knows of no copies of it. */
	get id() {
		return this.spec.base ?? this.spec.id;
	}

	get keys() {
		return this.spec.keys;
	}

	get name() {
		return nameOfPanel(this.spec);
	}

	/* How it is looked at: as the page is, but for what it says itself. */
	get look() {
		return lookOfPanel(this.page.look, this.spec, this.ownZoom, this.definedX);
	}

	/* Zoom goes to all panels of the page's x; one of another x has its own. */
	zoomTo(zoom) {
		if (this.look.x === this.page.look.x) return this.page.zoomTo(zoom);
		this.ownZoom = zoom;
		return this.zoomed();
	}

	watchSize() {
		const sized = new ResizeObserver(() => this.seen && this.sized());
		sized.observe(this.plotNode);
		return () => sized.disconnect();
	}

	show() {
		this.seen = true;
		this.showHead();
		this.ask();
	}

	hide() {
		this.seen = false;
		drawNever(this.draw);
		this.drawNothing();
	}

	stop() {
		for (const stop of this.stops) stop();
	}

	/* Draws, but not while the panel is pressed or dragged over: then it draws after the release. */
	drawUnlessPressed() {
		this.isHeld = this.isPressed();
		if (!this.isHeld) this.drawNow();
	}

	changed() {
		if (this.seen) drawSoon(this.draw);
	}

	redraw() {
		if (this.data) this.changed();
	}

	zoomed() {
		this.ask();
	}

	sized() {
		this.redraw();
	}

	/* Another spec of the same kind. */
	become(spec) {
		const { x } = this.look;
		this.spec = spec;
		if (this.look.x !== x) this.ownZoom = null;
		this.showHead();
		this.ask();
		this.redraw();
	}

	showHead() {
		this.node.setAttribute('aria-label', visible(words.chartOf(this.name)));
		this.head.update();
		replace(this.said, this.summary());
		const fault = this.faultWords(this.fault);
		refill(this.note, this.fault ? el('p', { class: 'fault' }, fault) : this.noteText());
		if (this.table) this.showTable();
	}

	/* Updates the table without moving the focus out of it. */
	showTable() {
		const now = el('div', {}, this.tableNode());
		if (this.table.firstChild) renew(this.table.firstChild, now);
		else this.table.append(now);
	}

	noteText() {
		return null;
	}

	/* Under the panel, or above it, where it is not seen whole under it and there is more room above. */
	showTip(...parts) {
		replace(this.tip, ...parts);
		this.tip.hidden = false;
		const frame = this.node.getBoundingClientRect();
		const room = this.node.closest('.scroll')?.getBoundingClientRect();
		const above = frame.top - Math.max(0, room?.top ?? 0);
		const under = Math.min(window.innerHeight, room?.bottom ?? Infinity) - frame.bottom;
		this.tip.classList.toggle('above', under < this.tip.offsetHeight + TIP_GAP_PX && above > under);
	}

	toggleTable() {
		if (this.table) this.table.remove();
		this.table = this.table
			? null
			: el('div', { class: 'panel-table', tabindex: 0, role: 'region', 'aria-label': words.tableOf(this.name) });
		if (this.table) this.plotNode.after(this.table);
		this.showHead();
	}
}
