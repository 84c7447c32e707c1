/* The machines of a run: by metric, by label or by host. Each metric is asked for once, whatever shows it. */

import { el, replace, setText } from '../base/dom.js';
import { onKey } from '../base/keys.js';
import { moment } from '../base/moments.js';
import { reread } from '../base/reread.js';
import { byLabel } from '../base/writer_order.js';
import { xWords } from '../chart/panel/panel_words.js';
import { onQuery, setQuery } from '../router.js';
import { findingLines } from '../system/findings.js';
import { fullPanel } from '../system/full_panel.js';
import { metricView } from '../system/metric_view.js';
import { metricsOf, systemKeys } from '../system/metrics.js';
import { deviceFault, kindOf, placeFault, rowName } from '../system/names.js';
import { placeView } from '../system/place_view.js';
import { isWatched, standsOut } from '../system/stands_out.js';
import { stepNote } from '../system/step_note.js';
import { systemBar } from '../system/system_bar.js';
import { SystemPage } from '../system/system_page.js';
import { text as chartText } from '../text/chart.js';
import { text } from '../text/system.js';
import { matcherOf } from '../ui/matcher.js';

const words = text.system;
const KEYS_MS = 5000; /* between two looks for keys that are new */
const FINDINGS_MS = 250;

const hostOf = ({ host, label }) => host || label;
const sorted = (names) => [...new Set(names)].sort(byLabel);

/* Says how system metrics are sent, for a run without any. */
function noMetrics({ run }) {
	return el('section', { class: 'card no-metrics', 'aria-label': words.none },
		el('header', {}, el('h2', {}, words.none)),
		el('div', { class: 'body' }, el('p', {}, words.noneWhy),
			el('dl', {}, words.noneHow.map(([command, what]) => [el('dt', {}, el('code', {}, command)), el('dd', {}, what)])),
			!run.ended_at && el('p', { class: 'muted' }, words.noneYet)));
}

/* Returns the metrics of a view; if each host has one label, the label has the host's metrics, too. */
function metricsIn(view, metrics, senders) {
	if (view === 'metric') return metrics;
	const isAlone = new Set(senders.map(hostOf)).size === new Set(senders.map(({ label }) => label)).size;
	return metrics.filter(({ section, scope }) => view === 'host'
		? section !== 'gpuProcess' : scope === 'process' || isAlone);
}

function viewOf(page, by, watch) {
	if (by === 'metric') return metricView(page, watch);
	const chosen = () => page.senders.filter(({ label, host }) => page.wantsPlace(label, host));
	const isOfHost = (row, place) => hostOf({ host: row.host, label: row.place }) === place;
	const isOfLabel = (row, place) => row.label ? row.label === place : row.host === page.hosts.get(place);
	const placeOf = by === 'host' ? hostOf : ({ label }) => label;
	return placeView(page,
		{ kind: by, places: () => sorted(chosen().map(placeOf)), belongs: by === 'host' ? isOfHost : isOfLabel, ...watch });
}

/* Only panels near the screen ask and draw. */
function watchOf(root) {
	const panels = new Map();
	const near = new IntersectionObserver((entries) => {
		for (const { target, isIntersecting } of entries) {
			const panel = panels.get(target);
			if (panel && panel.seen !== isIntersecting) panel[isIntersecting ? 'show' : 'hide']();
		}
	}, { root, rootMargin: '50% 0px' });
	return {
		seen(panel) {
			panels.set(panel.node, panel);
			near.observe(panel.node);
		},
		unseen(panel) {
			near.unobserve(panel.node);
			panels.delete(panel.node);
		},
		stop: () => near.disconnect(),
	};
}

class SystemTab {
	/* rows: how many there were before the keys were asked for. */
	constructor(address, data, keys, rows) {
		this.page = new SystemPage(address, data, () => this.lookForOdd());
		Object.assign(this, { data, rows, steps: data.run.rows, places: this.placesNow() });
		this.take(keys);
		this.reading = reread(() => this.readKeys(), () => this.metrics.length ? KEYS_MS : 0);
		this.findings = el('div',
			{ class: 'findings', role: 'region', tabindex: 0, 'aria-label': words.findings, hidden: true });
		this.note = el('p', { class: 'system-note', role: 'status', hidden: true });
		this.body = el('div');
		this.scroller = el('div', { class: 'scroll', 'data-scroll': 'system' }, this.body);
		this.watch = watchOf(this.scroller);
		this.full = fullPanel(this.page, () => setQuery({ panel: null }, { replace: false }));
		this.bar = systemBar(this.page.look, {
			panels: () => this.metrics.map(({ id }) => words.title(id)),
			label: () => sorted(this.page.names),
			device: () => this.devices(),
		}, () => this.hasSteps);
		this.node = el('div', { class: 'charts' }, this.bar.node, this.note, this.findings, this.scroller, this.full.node);
		this.stops = [onQuery(() => this.changed()), onKey('z', chartText.charts.keys.zoom, () => this.page.zoomTo(null)),
			this.onTheme(),
			this.onThere(), this.watch.stop];
		this.render();
	}

	onTheme() {
		const repaint = () => this.panels().forEach((panel) => panel.changed());
		addEventListener('theme', repaint);
		return () => removeEventListener('theme', repaint);
	}

	/* A dialog opens only in a page that is shown. */
	onThere() {
		const there = new ResizeObserver(() => {
			there.disconnect();
			this.showFull();
		});
		there.observe(this.node);
		return () => there.disconnect();
	}

	get hasSteps() {
		return this.data.run.last_step !== null;
	}

	/* Names of devices, and those with their kind where there are several kinds. */
	devices(isEach = false) {
		const all = this.metrics.flatMap(({ section, keys }) => keys.map(({ device }) => ({ kind: kindOf(section), device })))
			.filter(({ device }) => device);
		const withKind = isEach || new Set(all.map(({ kind }) => kind)).size > 1;
		return [...sorted(all.map(({ device }) => device)),
			...withKind ? sorted(all.map(({ kind, device }) => `${kind}:${device}`)) : []];
	}

	panels() {
		return [...this.view?.all() || [], ...[this.full.panel()].filter(Boolean)];
	}

	/* ---- what is shown ---- */

	render() {
		const { page, metrics } = this;
		const { by, search } = page.look;
		this.bar.node.hidden = !metrics.length;
		if (!metrics.length) return replace(this.body, noMetrics(this.data));
		this.showNote();
		this.watchOdd();
		if (this.by !== by) {
			this.view?.stop();
			this.view = viewOf(page, by, this.watch);
			this.by = by;
		}
		if (!this.view.node.isConnected) replace(this.body, this.view.node);
		const matches = matcherOf(search);
		const isFound = ({ id, keys }) => matches(words.title(id)) || keys.some(({ key }) => matches(key));
		this.view.render(metricsIn(by, metrics, page.senders).filter(isFound));
		return this.showFull();
	}

	showFull() {
		const metric = this.metrics.find(({ id }) => id === this.page.look.panel);
		if (!metric) this.full.close();
		else if (this.node.isConnected) this.full.show(metric);
	}

	changed() {
		const before = this.page.look;
		this.page.read();
		const { look } = this.page;
		this.bar.update(look);
		const isZoomed = look.x !== before.x || String(look.zoom) !== String(before.zoom);
		const same = (name) => JSON.stringify(look[name]) === JSON.stringify(before[name]);
		if (!same('by') || !same('fields')) this.render();
		else if (!same('panel')) this.showFull();
		if (isZoomed) for (const feed of this.page.feeds.values()) feed.ask();
		this.showNote();
		for (const panel of this.panels()) panel.changed();
		this.lookForOdd();
	}

	/* ---- what comes ---- */

	update() {
		const places = this.placesNow();
		if (places !== this.places && this.by !== 'metric') this.render();
		else if (places !== this.places) this.showNote();
		this.places = places;
		this.bar.showSteps();
		this.takeRows(this.data.run);
	}

	/* Over steps rows of metrics are news, too: they decide where samples are. */
	takeRows({ event_rows: rows, rows: steps }) {
		const isMore = rows !== this.rows;
		const isFurther = steps !== this.steps && this.page.x === '_step';
		Object.assign(this, { rows, steps });
		if (!isMore && !isFurther) return;
		this.page.cache.age(this.page.run);
		for (const feed of this.page.feeds.values()) feed.rowsCame();
		if (isMore) this.reading.soon();
	}

	placesNow() {
		return JSON.stringify([...this.page.hosts]);
	}

	async readKeys() {
		const { keys, answer } = await systemKeys(this.data);
		if (!keys || this.isStopped || String(keys) === String(this.keys)) return answer;
		this.take(keys);
		this.render();
		return null;
	}

	watchOdd() {
		if (this.watched === this.metrics) return;
		this.watched = this.metrics;
		for (const stop of this.unwatch || []) stop();
		this.unwatch = this.metrics.filter(isWatched).map((metric) =>
			this.page.feedOf(metric).listen(() => {}));
	}

	/* Takes the keys; a metric that did not change keeps its object, and so its panel. */
	take(keys) {
		const known = new Map((this.metrics || []).map((metric) => [JSON.stringify(metric), metric]));
		this.keys = keys;
		this.metrics = metricsOf(keys).map((metric) => known.get(JSON.stringify(metric)) || metric);
	}

	lookForOdd() {
		clearTimeout(this.oddTimer);
		this.oddTimer = setTimeout(() => {
			this.showOdd();
			this.showNote();
		}, FINDINGS_MS);
	}

	showNote() {
		const sheets = [...this.page.feeds.values()].map((feed) => feed.sheet).filter(Boolean);
		const { label, device } = this.page.look.fields;
		const faults = this.metrics.length
			? { label: placeFault(label, this.page.names), device: deviceFault(device, this.devices(true)) } : {};
		const steps = this.page.x === '_step' && this.metrics.length ? stepNote(sheets, this.hasSteps) : '';
		for (const name of ['label', 'device']) this.bar.mark(name, Boolean(faults[name]));
		setText(this.note, [faults.label, faults.device, steps].filter(Boolean).join(' '));
		this.note.hidden = !this.note.textContent;
	}

	showOdd() {
		const { page } = this;
		const sheets = this.metrics.filter(isWatched).map(({ id }) => page.feeds.get(id)?.sheet)
			.filter((sheet) => sheet?.rows.length);
		const where = (x) => page.x === '_timestamp' ? moment(x * 1000) : xWords(page.x, x);
		const rows = sheets.flatMap((sheet) => sheet.rows);
		const lines = findingLines(standsOut(sheets, page.wants),
			{ names: (row, section) => rowName(row, rows, section), where });
		const findingsText = lines.map((line) => line.textContent).join('\n');
		if (findingsText === this.findingsText) return;
		this.findingsText = findingsText;
		this.findings.hidden = !lines.length;
		replace(this.findings, lines);
	}

	stop() {
		this.isStopped = true;
		clearTimeout(this.oddTimer);
		this.reading.stop();
		this.view?.stop();
		for (const stop of [...this.stops, ...this.unwatch || []]) stop();
		this.full.panel()?.stop();
	}
}

export async function systemTab(address, { run: data }) {
	const rows = data.run.event_rows;
	const { keys, answer } = await systemKeys(data);
	if (answer) return { answer };
	const tab = new SystemTab(address, data, keys, rows);
	return { node: tab.node, update: () => tab.update(), stop: () => tab.stop() };
}
