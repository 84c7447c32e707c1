/*
 * A panel of a value a run, drawn as elements: asked while it is seen, and anew where rows come. A kind has
 * dataOf(values) and fill(node), or asks for something else (`want`).
 */

import { el } from '../dom.js';
import { text } from '../text.js';
import { Panel } from './panel.js';

const AGAIN_MS = 2000;

export class ValuePanel extends Panel {
	/* Of rows that come more are waited for so long. */
	get againMs() {
		return AGAIN_MS;
	}

	/* Fields of the runs that the page shows. Gives back how to stop waiting. */
	want() {
		const question = { runs: this.page.runs.map((run) => run.id), fields: this.keys };
		return this.page.values.want(question, ({ values, fault }) => this.take(fault, values && this.dataOf(values)));
	}

	take(fault, data) {
		this.fault = fault;
		if (data) this.data = data;
		this.changed();
	}

	ask() {
		if (!this.seen) return;
		this.cancel?.();
		this.cancel = this.want();
	}

	rowsCame() {
		if (this.seen) this.timer ||= setTimeout(() => {
			this.timer = 0;
			this.ask();
		}, this.againMs);
	}

	hide() {
		super.hide();
		this.cancel?.();
		clearTimeout(this.timer);
		this.timer = 0;
	}

	drawNow() {
		this.showHead();
		if (!this.data) return;
		this.fill(this.plotNode);
		this.plotNode.tabIndex = this.plotNode.scrollHeight > this.plotNode.clientHeight ? 0 : -1;
	}

	drawNothing() {}

	noteText() {
		return this.page.groups.length > 0 && el('p', { class: 'muted' }, text.panels.onlyRuns);
	}
}
