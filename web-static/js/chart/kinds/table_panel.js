/*
 * A table that runs logged: of one run at one of its steps, or of several runs joined by a column. The summaries of the runs
 * say which have one, and where the latest is. A table stays while its panel is scrolled away, as it may be large.
 */

import { el, refill, replace } from '../../base/dom.js';
import { count } from '../../base/format.js';
import { AGAIN_MS, isTransient } from '../../base/reread.js';
import { joinedFiles, tableFile } from '../../tables/table_file.js';
import { text as chartText } from '../../text/chart.js';
import { text as panelsText } from '../../text/panels.js';
import { text } from '../../text/tables.js';
import { runValues } from '../data/run_values.js';
import { nothingOf } from '../panel/panel_words.js';
import { entryOf, needsHistory, PARTS, tableHistory, tableSource } from './table_history.js';
import { ValuePanel } from './value_panel.js';

const words = text.panel;
const JOINED = 8; /* runs */
const ALL = ''; /* the choice of all runs */

function choice(label, onpick) {
	const control = el('select', { 'aria-label': label, onchange: () => onpick(control.value) });
	const node = el('label', { class: 'btn choice' }, el('span', { 'aria-hidden': 'true' }, label), control);
	return { node, set(options, chosen) {
		refill(control, options.map(([value, word]) => el('option', { value }, word)));
		control.value = chosen;
	} };
}

/* How many rows the latest table has, as its summary says; that of an increment counts those of one file. */
const wholeOf = ({ rows, latest }) => needsHistory(latest) ? undefined : rows;

export class TablePanel extends ValuePanel {
	constructor(...given) {
		super(...given);
		this.run = null; /* the run that was picked */
		this.at = null; /* which of its steps; null: the latest */
		this.steps = []; /* of the run that is shown */
		this.mounted = null; /* what is shown, as text */
		this.view = null;
		this.next = null; /* a newer one, until it is read */
		this.of = null; /* the runs of which the latest table is shown */
		this.faults = {}; /* of what is read after the summaries, by what holds that it was read */
		this.due = new Set(); /* of these: what ask() reads again */
		this.place = el('div', { class: 'table-place' });
		this.runChoice = choice(words.run, (id) => this.pick(id));
		this.keyChoice = choice(words.by, (key) => this.joinBy(key));
		this.slider = el('input', { type: 'range', min: 0, step: 1, 'aria-label': words.step, oninput: () => this.goTo(Number(this.slider.value)) });
		this.stepNode = el('label', { class: 'table-step' }, this.stepSaid = el('span', {}), this.slider);
		this.bar = el('div', { class: 'table-choices' }, this.runChoice.node, this.keyChoice.node, this.stepNode);
		this.plotNode.classList.add('table-plot');
		this.stops.push(() => this.leave());
	}

	get fields() {
		return [...PARTS, 'nrows'].map((part) => `summary.${this.keys[0]}.${part}`);
	}

	want() {
		const { runs } = this.page;
		this.page.values ||= runValues(this.page.path);
		return this.page.values.want({ runs: runs.map(({ id }) => id), groups: [], fields: this.fields },
			({ fault, values }) => this.take(fault, !fault && { runs: this.having(runs, values) }));
	}

	ask() {
		for (const read of this.due) this[read] = null;
		super.ask();
	}

	take(fault, ...found) {
		this.asked = fault;
		super.take(this.anyFault, ...found);
	}

	get anyFault() {
		return this.asked || this.faults.stepsAs || this.faults.mounted || null;
	}

	/* Only ask() reads again after a fault: drawing, which a fault leads to, would repeat it without a pause. */
	ended(read, fault) {
		this.faults[read] = fault;
		if (fault) this.due.add(read);
		this.fault = this.anyFault;
		this.changed();
		if (isTransient(fault)) this.soon(AGAIN_MS);
	}

	having(runs, values) {
		return runs.map((run) => {
			const [rows, ...parts] = this.fields.map((field) => values[run.id]?.[field]).reverse();
			return { ...run, rows, latest: entryOf(parts.reverse()) };
		}).filter(({ latest }) => latest);
	}

	runPath(id) {
		return `${this.page.path}/runs/${encodeURIComponent(id)}`;
	}

	/* The run that is shown; null: several are joined. */
	shownRun() {
		const { runs } = this.data;
		if (this.run === null && this.spec.by !== undefined && runs.length > 1) return null;
		return this.run === ALL && runs.length > 1 ? null : runs.find(({ id }) => id === this.run) ?? runs[0];
	}

	fill(node) {
		if (!this.data.runs.length) return this.showNone(node);
		if (this.bar.parentNode !== node) replace(node, this.bar, this.place);
		const run = this.shownRun();
		this.runChoice.set([...this.data.runs.map(({ id, name }) => [id, name]), [ALL, words.joined(Math.min(JOINED, this.data.runs.length))]],
			run?.id ?? ALL);
		this.runChoice.node.hidden = this.data.runs.length < 2;
		this.keyChoice.node.hidden = Boolean(run);
		if (run) this.showOne(run);
		else this.showJoined(this.data.runs.slice(0, JOINED));
		return this.showStep(run);
	}

	showNone(node) {
		this.leave();
		replace(node, el('p', { class: 'muted' }, nothingOf(this.page)));
	}

	leave() {
		this.view?.stop();
		this.next?.stop();
		this.history?.abort();
		Object.assign(this, { view: null, next: null, of: null, mounted: null, history: null, stepsAs: null, faults: {} });
	}

	/*
	 * Shows something else, unless it is what is shown. find(): a promise of what make() shows, or {fault}, alone or among others. of: if it is
	 * that of what is shown, this is a newer one, and the other is shown until it is read.
	 */
	async mount(what, find, make, of = null) {
		const named = JSON.stringify(what);
		if (named === this.mounted) return;
		this.mounted = named;
		this.due.delete('mounted');
		const found = await find();
		if (this.mounted !== named) return;
		const failed = [found].flat().find(({ fault }) => fault);
		this.ended('mounted', failed?.fault);
		if (failed) return;
		this.next?.stop();
		const before = this.view;
		const view = this.next = make(found, () => before?.choices() ?? null);
		if (of !== null && of === this.of) await view.isRead;
		if (this.next === view) this.put(view, of);
	}

	put(view, of) {
		const caret = this.view?.caret();
		this.view?.stop();
		Object.assign(this, { view, of, next: null });
		replace(this.place, view.node);
		if (caret) view.focus(caret);
	}

	find(run, entry, before = []) {
		return tableSource(entry, { before, project: this.page.path, run: this.runPath(run.id) });
	}

	showOne(run) {
		this.readSteps(run);
		const isKnown = this.stepsOf === run.id && this.steps.length > 0;
		if (!isKnown && needsHistory(run.latest)) return;
		const at = this.at ?? this.steps.length - 1;
		const { type, path, address } = isKnown ? this.steps[at] : run.latest;
		this.mount([run.id, type, path, address], () => this.find(run, { type, path, address }, this.steps.slice(0, at + 1)),
			(found, before) => tableFile({ name: `${this.keys[0]}, ${run.name}`, before, ...found, rows: this.at === null ? wholeOf(run) : undefined }),
			this.at === null ? run.id : null);
	}

	/* Again when the run has a newer table. */
	async readSteps(run) {
		const as = JSON.stringify([run.id, run.latest]);
		if (this.stepsAs === as) return;
		this.stepsAs = as;
		this.due.delete('stepsAs');
		this.history?.abort();
		const mine = this.history = new AbortController();
		if (this.stepsOf !== run.id) Object.assign(this, { steps: [], at: null });
		const { steps, fault } = await tableHistory(this.runPath(run.id), this.keys[0], mine.signal);
		if (mine.signal.aborted) return;
		if (!fault) Object.assign(this, { steps, stepsOf: run.id });
		this.ended('stepsAs', fault);
	}

	showJoined(runs) {
		this.faults.stepsAs = null;
		const find = () => Promise.all(runs.map(async (run) => ({ name: run.name, rows: wholeOf(run), ...await this.find(run, run.latest) })));
		this.mount(runs.map(({ id, latest }) => [id, latest]), find, (parts, before) => joinedFiles({ name: this.keys[0], parts, key: this.spec.by ?? null, before,
			onkeys: (keys, chosen) => this.keyChoice.set(keys.map((key) => [key, key]), chosen ?? '') }), runs.map(({ id }) => id).join());
	}

	showStep(run) {
		const last = this.steps.length - 1;
		this.stepNode.hidden = !run || this.stepsOf !== run.id || last < 1;
		if (this.stepNode.hidden) return;
		const at = this.at ?? last;
		const said = words.stepOf(count(this.steps[at].step), at + 1, last + 1);
		this.slider.max = String(last);
		this.slider.value = String(at);
		this.slider.setAttribute('aria-valuetext', said);
		this.stepSaid.textContent = said;
	}

	pick(id) {
		this.run = id;
		this.at = null;
		if (id !== ALL && this.spec.by !== undefined) this.page.change(this, { by: undefined });
		this.drawNow();
	}

	joinBy(key) {
		this.view?.join?.(key);
		this.page.change(this, { by: key });
	}

	goTo(at) {
		this.at = at === this.steps.length - 1 ? null : at;
		this.drawNow();
	}

	become(spec) {
		if (String(spec.keys) !== String(this.keys)) {
			this.leave();
			Object.assign(this, { run: null, at: null, steps: [], stepsOf: null });
		}
		super.become(spec);
	}

	noteText() {
		return this.page.groups.length > 0 && el('p', { class: 'muted' }, panelsText.panels.onlyRuns);
	}

	summary() {
		if (!this.data) return chartText.charts.loading;
		return this.data.runs.slice(0, 10).map(({ name, rows }) => words.rowsOf(name, typeof rows === 'number' ? count(rows) : '?')).join(', ') || nothingOf(this.page);
	}
}
