/*
 * Runs side by side: `runs` of the address, and behind them `groups`, 2 to 20, of which the first is the baseline; what
 * they have at the left, plots at the right. It is read again as they change.
 */

import { el, replace } from '../base/dom.js';
import { inFocus } from '../base/focus.js';
import { onKey } from '../base/keys.js';
import { listText } from '../base/query_text.js';
import { nameOf } from '../base/slot.js';
import { compareTable } from '../compare/compare_table.js';
import { showDiff } from '../compare/diff_dialog.js';
import { environmentOf, writersOf } from '../compare/environment.js';
import { colored, groupColumn, linesOf } from '../compare/group_columns.js';
import { groupFeed } from '../compare/group_feed.js';
import { directionsOf, mediaLast, rowsOf, shownSections, tableOf, valuesOf } from '../compare/model/model.js';
import { compareReader, RUNS } from '../compare/model/read.js';
import { comparisonNotes } from '../compare/notes.js';
import { comparePlots } from '../compare/plots.js';
import { RunFeed } from '../compare/run_feed.js';
import { pickRun } from '../compare/run_picker.js';
import { copyTable, saveTable } from '../compare/table_file.js';
import { readView } from '../compare/view.js';
import { moveItem } from '../list/model/run_view.js';
import { onQuery, query, setQuery } from '../router.js';
import { text as common } from '../text/common.js';
import { text } from '../text/compare.js';
import { button, field, iconButton, setToggle, toggle } from '../ui/controls.js';
import { matcherOf } from '../ui/matcher.js';
import { segmented, setSegment } from '../ui/segmented.js';
import { split } from '../ui/split.js';

const words = text.compare;
const SPLIT = { stored: 'cairn-compare-width', first: 720, label: words.split, viewsLabel: words.viewsLabel,
	views: words.views };
const writersIn = ({ values }) => values?.[0]; /* as it is asked for */
const NO_DOCUMENTS = { config: {}, summary: {}, large: [] };

class Compare {
	constructor(address) {
		this.address = address;
		this.reader = compareReader(address);
		this.groupsTold = groupFeed(address,
			{ read: this.reader.group, readNames: this.reader.names, changed: (isAgain) => this.groupsCame(isAgain) });
		this.rows = null; /* the sections, until something of them changes */
		this.folded = new Set();
		this.setView();
		this.feed = new RunFeed(address, { reader: this.reader,
			wanted: () => ({ ids: this.asked, filters: this.lines.map(({ filter }) => filter) }),
			changed: () => this.cameMore(), rowsCame: (id) => this.plots.rowsCame(id) });
		this.makeParts();
	}

	makeParts() {
		const { entity, project } = this.address;
		const set = (changes) => setQuery(changes, { replace: false });
		this.table = compareTable({ entity, project }, {
			pin: (key) => this.pin(key),
			fold: (id) => this.fold(id),
			base: (id) => this.makeBase(id),
			remove: (id) => this.remove(id),
			diff: (run) => this.diff(run),
			move: (id, other) => this.move(id, other),
		});
		this.plots = comparePlots({ entity, project }, { set, pick: (id) => this.addRun(id) });
		this.count = el('span', { class: 'count' });
		this.find = field('search', words.find, { value: this.view.find,
			oninput: (event) => setQuery({ find: event.target.value || null }) });
		this.only = toggle(words.only, this.view.isOnly, (on) => set({ only: on ? null : 'off' }));
		this.change = segmented(common.change.label, common.change.kinds, this.view.change,
			(change) => set({ change: change === 'relative' ? null : change }));
		this.flip = iconButton('rows', words.flip, { onclick: () => set({ flip: this.view.isFlipped ? null : 'on' }) });
		this.notes = el('div', { class: 'compare-notes', role: 'status' });
		this.split = split(el('div', { class: 'compare-side' }, this.notes, this.table.node), this.plots.node, SPLIT);
		this.node = el('div', { class: 'compare-page' },
			el('div', { class: 'chart-bar' }, el('h1', {}, words.head, ' ', this.count),
			button(words.add, { name: 'plus', onclick: () => this.add() }), this.find, this.only, this.change, this.flip,
				el('span', { class: 'gap' }),
			iconButton('copy', words.copy, { onclick: () => copyTable(this.shownTable()) }),
			button(words.csv, { name: 'download', onclick: () =>
				saveTable(this.shownTable(), words.csvName(project)) })), this.split.node);
	}

	/* ---- what somebody does ---- */

	setRuns(runs) {
		setQuery({ runs: listText(runs) || null }, { replace: false });
	}

	remove(id) {
		const group = this.groups.find((one) => one.id === id);
		if (group) setQuery({ groups: listText(this.view.groups.filter((path) => path !== group.path)) || null },
			{ replace: false });
		else this.setRuns(this.view.runs.filter((one) => one !== id));
	}

	makeBase(id) {
		if (this.view.runs.includes(id)
			&& this.view.runs[0] !== id) this.setRuns([id, ...this.view.runs.filter((one) => one !== id)]);
	}

	move(id, other) {
		const { runs, groups } = this.view;
		const pathOf = (wanted) => this.groups.find((one) => one.id === wanted)?.path;
		const [list, from, to] = runs.includes(id) ? [runs, id, other] : [groups, pathOf(id), pathOf(other)];
		const next = listText(moveItem(list, list.indexOf(from), list.indexOf(to)));
		setQuery({ [list === runs ? 'runs' : 'groups']: next }, { replace: false });
	}

	pin(key) {
		const { pins } = this.view;
		setQuery({ pin: listText(pins.includes(key) ? pins.filter((one) => one !== key) : [...pins, key]) || null },
			{ replace: false });
	}

	fold(id) {
		if (!this.folded.delete(id)) this.folded.add(id);
		this.render();
	}

	add() {
		pickRun({ find: this.reader.find, without: this.view.runs, onpick: (id) => this.addRun(id) });
	}

	addRun(id) {
		if (!this.view.runs.includes(id)) this.setRuns([...this.view.runs, id]);
	}

	diff(run) {
		const sideOf = (one) => ({ id: one.id, name: nameOf(one), about: this.aboutOf(one.id) });
		showDiff(sideOf(this.feed.runs[0]), sideOf(run), this.reader.diff);
	}

	shownTable() {
		return tableOf(this.shown, this.columns.map(nameOf), { section: words.section, key: words.key });
	}

	/* ---- what is read ---- */

	get asked() {
		return this.view.runs.slice(0, RUNS);
	}

	setView() {
		this.view = readView(query());
		const { groups } = this.view;
		this.groups = groups.slice(0, RUNS - this.asked.length).map((path) => groupColumn(path, this.view)).filter(Boolean);
		this.groupsTold.set(this.groups);
		this.colorGroups();
	}

	colorGroups() {
		this.groups = colored(this.groups, this.groupsTold.slots, this.view.roles);
		this.lines = linesOf(this.groups);
	}

	groupsCame(isAgain) {
		this.rows = null;
		this.colorGroups();
		this.render();
		if (isAgain) this.plots.rowsCame(null);
	}

	cameMore() {
		this.rows = null;
		this.render();
	}

	/* ---- what is shown ---- */

	documentsOf(id) {
		return this.feed.documents.get(id) ?? NO_DOCUMENTS;
	}

	aboutOf(id) {
		return { writers: [], areCut: false, metadata: null, requirements: '', ...this.feed.around.get(id), config: this.documentsOf(id).config };
	}

	get columns() {
		const named = (group) => ({ ...group,
			lineName: this.lines.find(({ id }) => id === group.id)?.name ?? group.display_name,
			count: this.groupsTold.of(group)?.all ?? null });
		return [...this.feed.runs, ...this.groups.map(named)];
	}

	sections() {
		const { runs } = this.feed;
		const documents = runs.map(({ id }) => this.documentsOf(id));
		const abouts = runs.map(({ id }) => this.aboutOf(id));
		const directions = directionsOf(documents.map(({ config }) => config), this.reader.directions());
		const ofGroups = (section) => this.groups.map((group) => this.groupsTold.of(group)?.[section] ?? null);
		const untold = this.groups.map(() => null);
		return [
			{ id: 'config', rows: rowsOf([...documents.map(({ config }) => valuesOf(config)), ...ofGroups('config')]) },
			{ id: 'summary', rows: mediaLast(rowsOf([...documents.map(({ summary }) => valuesOf(summary)), ...ofGroups('summary')],
				directions)) },
			{ id: 'environment', rows: rowsOf([...abouts.map((about) => environmentOf(about)), ...untold]) },
			{ id: 'writers', rows: rowsOf([...abouts.map((about, at) => writersOf(about, writersIn(runs[at]))), ...untold]) },
		];
	}

	waiting() {
		const { runs, documents, around } = this.feed;
		const lacks = (where) => runs.some(({ id }) => !where.has(id));
		const lacksGroup = this.groups.some((group) => !this.groupsTold.of(group));
		return new Set([...(lacks(documents) || lacksGroup ? ['summary', 'config'] : []),
			...(lacks(around) ? ['environment', 'writers'] : [])]);
	}

	notesOf() {
		const { runs, fault, isRead } = this.feed;
		return comparisonNotes({ ...this, runs, asked: this.asked, fault: fault ?? this.groupsTold.fault(),
			isWhole: !fault && isRead, countsOf: this.groupsTold.of, sections: this.rows,
			largeOf: ({ id }) => this.documentsOf(id).large });
	}

	render() {
		const { view, folded, columns, feed: { runs, keys, kinds, isBehind } } = this;
		const sections = this.rows ??= this.sections();
		this.shown = shownSections(sections, view);
		this.count.textContent = [(runs.length > 0 || !columns.length) && words.runs(runs.length),
			this.groups.length > 0 && words.group.columns(this.groups.length)].filter(Boolean).join(', ');
		setToggle(this.only, view.isOnly);
		setSegment(this.change, view.change);
		this.flip.setAttribute('aria-pressed', String(view.isFlipped));
		if (document.activeElement !== this.find.control) this.find.control.value = view.find;
		this.find.control.setAttribute('aria-invalid', String(matcherOf(view.find).isWrong));
		const notes = this.notesOf();
		const essence = notes.map((note) => note.textContent ?? note).join('\n');
		if (this.notes.dataset.essence !== essence) {
			replace(this.notes, notes.map((note) => note instanceof Node ? note : el('p', { class: 'note' }, note)));
		}
		this.notes.dataset.essence = essence;
		const waiting = this.waiting();
		this.node.setAttribute('aria-busy', String(isBehind || waiting.size > 0));
		this.table.node.hidden = this.plots.node.hidden = !view.runs.length && !this.groups.length;
		this.table.update({ columns, shown: this.shown, view, folded, waiting });
		this.plots.update({ runs, lines: this.lines, sections, keys, kinds, view });
	}

	changed() {
		const before = this.feed.essence;
		this.setView();
		this.feed.choose(this.feed.essence !== before);
	}

	async start() {
		const focused = () => document.activeElement?.closest?.('[data-run]')?.dataset.run ?? inFocus();
		this.stops = [onQuery(() => this.changed()), onKey('b', words.keys.base, () => focused() && this.makeBase(focused()))];
		return this.feed.read();
	}

	stop() {
		this.feed.stop();
		this.groupsTold.stop();
		this.stops?.forEach((stop) => stop());
		this.table.stop();
		this.plots.stop();
	}
}

export async function comparePage(address) {
	const page = new Compare(address);
	const fault = await page.start();
	if (!fault) return { node: page.node, stop: () => page.stop(), title: words.title(address.project) };
	page.stop();
	return { answer: fault };
}
