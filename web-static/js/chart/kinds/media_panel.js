/*
 * Images, sound, films, pages and other files that runs logged under a key: of each run its latest value at or before the step of the
 * slider. The summaries say which runs have some; the history of each of these says at which steps.
 */

import { arrange, el, replace } from '../../base/dom.js';
import { count } from '../../base/format.js';
import { AGAIN_MS, isTransient } from '../../base/reread.js';
import { text as chartText } from '../../text/chart.js';
import { text } from '../../text/media.js';
import { text as panelsText } from '../../text/panels.js';
import { button } from '../../ui/controls.js';
import { later } from '../../ui/later.js';
import { runValues } from '../data/run_values.js';
import { readEntries, readNames } from '../media/history.js';
import { mediaLayers } from '../media/layers.js';
import { runTile } from '../media/run_tile.js';
import { entryAt, isWhole, placeOf, SIGNS, stepsOf } from '../media/values.js';
import { nothingOf } from '../panel/panel_words.js';
import { ValuePanel } from './value_panel.js';

const words = text.media;
const RUNS = 50; /* at first, and that come each time more are asked for */

const large = later(() => import('../media/large.js'));

export class MediaPanel extends ValuePanel {
	constructor(...given) {
		super(...given);
		this.plotNode.classList.add('media-plot');
		this.place = el('div', { class: 'media-runs' });
		this.more = button('', { look: 'small', onclick: () => this.showMore() });
		this.slider = el('input', { type: 'range', min: 0, step: 1, 'aria-label': words.step, oninput: () => this.goTo(Number(this.slider.value)) });
		this.stepNode = el('label', { class: 'table-step' }, this.stepSaid = el('span', {}), this.slider);
		this.scroller = el('div', { class: 'media-scroll', tabindex: 0, role: 'group', 'aria-label': words.values }, this.place, this.more);
		this.items = new Map(); /* by their nodes: what is near the screen is shown */
		this.near = new IntersectionObserver((seen) => this.itemsSeen(seen), { root: this.scroller, rootMargin: '50% 0px' });
		this.begin();
		this.stops.push(() => this.leave());
	}

	/* Nothing is known of the key yet. */
	begin() {
		this.step = null; /* which was chosen; null: the latest */
		this.most = RUNS;
		this.reads = new Map(); /* {entries, every, last, as, isReading, fault} by run */
		this.tiles = new Map();
		this.stale = new Set(); /* runs of which rows came */
		this.layers = mediaLayers();
		this.layers.node.open = false;
		this.bar = el('div', { class: 'media-bar' }, this.layers.node, this.stepNode);
		this.control = new AbortController();
	}

	leave() {
		this.control.abort();
		for (const tile of this.tiles.values()) tile.stop();
	}

	get fields() {
		return SIGNS.map((member) => `summary.${this.keys[0]}.${member}`);
	}

	/* ---- what is read ---- */

	want() {
		const { runs } = this.page;
		this.page.values ||= runValues(this.page.path);
		return this.page.values.want({ runs: runs.map(({ id }) => id), groups: [], fields: this.fields }, ({ fault, values }) => {
			this.asked = fault;
			const having = !fault && runs.map((run) => ({ run, signs: this.fields.map((field) => values[run.id]?.[field] ?? null) }))
				.filter(({ signs }) => signs[0] !== null);
			this.take(this.anyFault, having && { having });
			if (having) this.readDue();
		});
	}

	get anyFault() {
		return this.asked || [...this.reads.values()].find(({ fault }) => fault)?.fault || null;
	}

	/* A fault of one of the requests is that of the panel; it asks again by itself if that may help. */
	settle() {
		this.fault = this.anyFault;
		if (isTransient(this.fault)) this.soon(AGAIN_MS);
		this.changed();
	}

	isDue({ run, signs }) {
		const known = this.reads.get(run.id);
		if (known?.isReading) return false;
		return known?.as !== JSON.stringify(signs) || (this.stale.has(run.id) && !isWhole(signs));
	}

	async readDue() {
		const due = this.data.having.slice(0, this.most).filter((one) => this.isDue(one));
		if (!due.length || !this.seen) return;
		const { control } = this;
		for (const { run } of due) this.reads.set(run.id, { entries: null, ...this.reads.get(run.id), isReading: true });
		const { names, fault } = await readNames(this.page.path, this.keys[0], { signal: control.signal });
		if (control.signal.aborted) return;
		await Promise.all(due.map((one) => this.readRun(one, { names, fault, control })));
	}

	async readRun({ run, signs }, { names, fault, control }) {
		const before = this.reads.get(run.id);
		const path = `${this.page.path}/runs/${encodeURIComponent(run.id)}`;
		this.stale.delete(run.id);
		const read = (from) => readEntries(path, this.keys[0], { names, before: from, signal: control.signal });
		let found = fault ? { fault } : await read(before.entries ? before : null);
		/* Nothing newer, but another value: rows may be gone, as after a rewind. */
		if (before.entries && before.as !== JSON.stringify(signs) && found.entries?.length === before.entries.length) found = await read(null);
		if (control.signal.aborted) return;
		this.reads.set(run.id, found.entries ? { ...found, as: JSON.stringify(signs) } : { ...before, as: null, isReading: false, fault: found.fault ?? { status: 0 } });
		this.settle();
	}

	rowsCame(run) {
		this.stale.add(run);
		super.rowsCame();
	}

	show() {
		super.show();
		for (const node of this.items.keys()) this.near.observe(node);
	}

	/* Histories that are being read are read again when the panel is seen again. */
	hide() {
		super.hide();
		this.near?.disconnect();
		for (const item of this.items?.values() ?? []) item.hide();
		this.control?.abort();
		this.control = new AbortController();
		for (const [id, read] of this.reads ?? []) if (read.isReading) this.reads.set(id, { ...read, isReading: false, as: null });
	}

	become(spec) {
		if (String(spec.keys) !== String(this.keys)) {
			this.leave();
			replace(this.place);
			replace(this.plotNode);
			this.begin();
			this.data = null;
		}
		super.become(spec);
	}

	showMore() {
		this.most += RUNS;
		this.readDue();
		this.drawNow();
	}

	/* ---- what is shown ---- */

	get shown() {
		return (this.data?.having ?? []).slice(0, this.most).map(({ run }) => {
			const { entries } = this.reads.get(run.id) ?? {};
			return { run, entry: entries ? entryAt(entries, this.step) : undefined };
		});
	}

	get steps() {
		const shown = this.data.having.slice(0, this.most);
		return stepsOf(shown.map(({ run }) => this.reads.get(run.id)?.entries ?? []));
	}

	itemsSeen(entries) {
		for (const { target, isIntersecting } of entries) this.items.get(target)?.[isIntersecting ? 'show' : 'hide']();
	}

	tileOf(run) {
		if (!this.tiles.has(run.id)) {
			this.tiles.set(run.id, runTile({ key: this.keys[0], project: this.page.path, layers: this.layers,
				open: (of, at) => large('showLarge', { key: this.keys[0], project: this.page.path, shown: this.shown, run: of.id, at }),
				watch: (node, item) => {
					this.items.set(node, item);
					this.near.observe(node);
				},
				unwatch: (node) => {
					this.items.delete(node);
					this.near.unobserve(node);
				} }));
		}
		return this.tiles.get(run.id);
	}

	fill(node) {
		const { shown } = this;
		this.dropOthers(shown);
		if (!shown.length) return replace(node, el('p', { class: 'muted' }, nothingOf(this.page)));
		if (this.scroller.parentNode !== node) replace(node, this.bar, this.scroller);
		const isAlone = this.page.runs.length === 1;
		const saysStep = !isAlone || this.steps.length < 2; /* the slider says it of one run */
		for (const { run, entry } of shown) this.tileOf(run).show({ run, entry, isAlone, saysStep });
		arrange(this.place, shown.map(({ run }) => this.tileOf(run).node));
		this.place.classList.toggle('alone', isAlone);
		return this.showBar();
	}

	dropOthers(shown) {
		const kept = new Set(shown.map(({ run }) => run.id));
		for (const [id, tile] of this.tiles) {
			if (kept.has(id)) continue;
			tile.stop();
			this.tiles.delete(id);
		}
	}

	showBar() {
		const left = this.data.having.length - this.most;
		this.more.hidden = left <= 0;
		this.more.textContent = words.more(count(Math.min(RUNS, left)));
		const { steps } = this;
		this.stepNode.hidden = steps.length < 2;
		if (this.stepNode.hidden) return;
		const at = placeOf(steps, this.step);
		const said = words.stepOf(count(steps[at]), count(at + 1), count(steps.length));
		this.slider.max = String(steps.length - 1);
		this.slider.value = String(at);
		this.slider.setAttribute('aria-valuetext', said);
		this.stepSaid.textContent = said;
	}

	/* The last step is the latest one, also when newer ones come. */
	goTo(at) {
		const { steps } = this;
		this.step = at >= steps.length - 1 ? null : steps[at];
		this.drawNow();
	}

	noteText() {
		if (!this.data) return null;
		const { having } = this.data;
		const every = Math.max(1, ...[...this.reads.values()].map((read) => read.every ?? 1));
		const isSome = having.length > 0 && having.length < this.page.runs.length;
		const said = [
			this.page.groups.length > 0 && panelsText.panels.onlyRuns,
			isSome && words.havingRuns(count(having.length), count(this.page.runs.length)),
			every > 1 && words.every(every),
		].filter(Boolean);
		return said.length > 0 && el('p', { class: 'muted' }, said.join(' '));
	}

	summary() {
		if (!this.data) return chartText.charts.loading;
		if (!this.data.having.length) return nothingOf(this.page);
		const { steps } = this;
		return words.summary(count(this.data.having.length), steps.length ? count(steps[placeOf(steps, this.step)]) : null);
	}
}
