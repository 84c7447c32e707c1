/*
 * All runs that a filter finds as lines across axes of keys, those that are compared in their colours over the
 * others; a drag along an axis adds to the filter.
 */

import { el } from '../base/dom.js';
import { listRuns, restOf } from '../chart/data/list_runs.js';
import { ParallelPanel } from '../chart/kinds/parallel_panel.js';
import { text as panelsText } from '../text/panels.js';
import { text } from '../text/plots.js';

export const LINES = 1000; /* as many as charts draw */

export class AllParallelPanel extends ParallelPanel {
	get againMs() {
		return restOf(this.page);
	}

	want() {
		const { keys } = this;
		return listRuns(this.page, keys, (answer) => {
			if (answer.status === 200) this.take(undefined, this.found(answer.body, keys));
			else this.take(answer);
		});
	}

	found({ items, isCut }, keys) {
		const runs = items.slice(0, LINES).map(({ id, display_name: name, values }) =>
			({ id, name: name || id, values: values.map((value) => value ?? undefined) }));
		return { keys, all: runs, runs, count: items.length, isCut };
	}

	looked(run) {
		const compared = this.page.runs.find(({ id }) => id === run.id);
		return { ...run, slot: 0, color: 'tint-none', ...compared, isCompared: Boolean(compared) };
	}

	figure(runs, size) {
		const looked = runs.map((run) => this.looked(run));
		return super.figure(looked.sort((a, b) => a.isCompared - b.isCompared), size);
	}

	row(run) {
		return super.row(this.looked(run));
	}

	pick(id) {
		if (id) this.page.pick(id);
	}

	noteText() {
		if (!this.data) return null;
		const { runs, count, isCut } = this.data;
		const said = [text.plots.compared, runs.length < count && text.plots.newestLines(runs.length, count),
			isCut && panelsText.panels.newestRuns(count)].filter(Boolean);
		return el('p', { class: 'muted' }, said.join(' '));
	}
}
