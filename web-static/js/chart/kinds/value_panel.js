/*
 * A panel of a value a run or group, drawn as elements: requested while it is visible, and again when rows come. A kind has
 * dataOf(values, numbers) as run_values.js gives them and fill(node), or asks for something else (`want`).
 */

import { el } from '../../base/dom.js';
import { AGAIN_MS, isTransient } from '../../base/reread.js';
import { text } from '../../text/panels.js';
import { groupMarks } from '../data/group_values.js';
import { runValues } from '../data/run_values.js';
import { Panel } from '../panel/panel.js';

const ROWS_MS = 2000;

export class ValuePanel extends Panel {
	/* Delay before new rows lead to another request, so that one request covers more of them. */
	get againMs() {
		return ROWS_MS;
	}

	/* Returns whether runs of the groups were left out by hand. */
	get isPart() {
		const { filter, counted = filter } = this.page.scope ?? {};
		return counted !== filter;
	}

	/* Fields that are requested for each run and group. */
	get fields() {
		return this.keys;
	}

	/* Fields of the runs and groups that the page shows. Gives back how to stop waiting. */
	want() {
		const { runs, groups } = this.page;
		this.page.values ||= runValues(this.page.path);
		const question = { runs: runs.map((run) => run.id), groups, fields: this.fields };
		return this.page.values.want(question, ({ fault, ...found }) =>
			this.take(fault, !fault && this.dataOf(found.values, found.numbers)),
		);
	}

	/* Returns the marks to draw: groups, at their means, and runs. */
	marksOf(values, numbers) {
		const { runs, groups } = this.page;
		const ofRun = (run) => this.fields.map((key) => values[run.id]?.[key] ?? undefined);
		return [...groupMarks(groups, this.fields, numbers), ...runs.map((run) => ({ ...run, values: ofRun(run) }))];
	}

	/* Takes an answer. An old answer is shown until the requested one arrives. */
	take(fault, data, { isOld = false } = {}) {
		this.fault = fault;
		if (data) this.data = data;
		this.changed();
		if (isOld) return;
		this.isAsking = false;
		if (isTransient(fault)) this.soon(AGAIN_MS);
		else if (this.isLate) this.soon();
	}

	ask() {
		clearTimeout(this.timer);
		this.timer = 0;
		if (!this.seen) return;
		this.cancel?.();
		this.isLate = false;
		this.isAsking = true;
		this.cancel = this.want();
	}

	soon(ms = this.againMs) {
		this.timer ||= setTimeout(() => this.ask(), ms);
	}

	/* If rows arrive during a request, the answer may not include them: the panel asks again after it. */
	rowsCame() {
		if (this.isAsking) this.isLate = true;
		else if (this.seen) this.soon();
	}

	hide() {
		super.hide();
		this.cancel?.();
		this.isAsking = false;
		clearTimeout(this.timer);
		this.timer = 0;
	}

	drawNow() {
		this.showHead();
		if (!this.data) return;
		this.fill(this.plotNode);
		const { scrollHeight, scrollWidth, clientHeight, clientWidth } = this.plotNode;
		this.plotNode.tabIndex = scrollHeight > clientHeight || scrollWidth > clientWidth ? 0 : -1;
	}

	drawNothing() {}

	noteText() {
		return this.page.groups.length > 0 && el('p', { class: 'muted' }, text.panels.groupMeans(this.isPart));
	}
}
