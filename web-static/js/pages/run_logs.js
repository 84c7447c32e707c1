/*
 * The output of a run's writers: labels at the left, all lines in order of time or of arrival, or one writer's own
 * order; a search on the server, and the end as it arrives. Choices are in the address: label, stream, order, find,
 * at.
 */

import { apiPath } from '../address.js';
import { el, refill, setText } from '../base/dom.js';
import { onKey } from '../base/keys.js';
import { follow } from '../live.js';
import { logBar } from '../logs/log_bar.js';
import { logCounts } from '../logs/log_counts.js';
import { logDensity } from '../logs/log_density.js';
import { logFind } from '../logs/log_find.js';
import { logFoot } from '../logs/log_foot.js';
import { logHits } from '../logs/log_hits.js';
import { goToLine, goToMoment, goToSame } from '../logs/log_jump.js';
import { gather, hiddenOf, logLabels, placeOf, placeText, spans, valueOf } from '../logs/log_labels.js';
import { logList } from '../logs/log_list.js';
import { logNews } from '../logs/log_news.js';
import { orderNamed } from '../logs/log_order.js';
import { byNumber, byPlace, ofList } from '../logs/log_pages.js';
import { withContext } from '../logs/log_search.js';
import { onQuery, query, queryText, setQuery } from '../router.js';
import { text } from '../text/logs.js';
import { faultWords } from '../ui/fault_words.js';

const words = text.logs;
const FORCED = ['crashed', 'killed']; /* states of a run whose program may have sent nothing */
const LABEL_CH = [4, 24]; /* letters of labels that there is room for */

class Logs {
	constructor(address, context) {
		Object.assign(this, { address, run: context.run });
		this.path = apiPath(address.entity, address.project, address.run);
		this.ends = new AbortController();
		Object.assign(this, { hidden: new Set(), slots: new Map(), rows: [], order: orderNamed(),
			newer: 0, isFollowing: true });
		this.look = { time: 'clock', began: 0, find: null, slotOf: (label) => this.slots.get(label) ?? 0,
			hrefOf: (line) => this.hrefOf(line) };
		this.counts = logCounts(this);
		this.news = logNews(this);
		this.hits = logHits(this);
		this.finding = logFind(this);
		this.bar = logBar(this);
		this.labels = logLabels((hidden) => this.hide(hidden));
		this.density = logDensity((time) => this.goToTime(time));
		this.list = logList(words.console, () => this.look,
			{ onscroll: () => this.scrolled(), onfault: (answer) => this.say(answer) });
		this.fault = el('p', { class: 'fault', role: 'alert' });
		this.missing = el('p', { class: 'fault', role: 'alert' });
		this.faultWords = faultWords();
		this.empty = el('p', { class: 'empty muted', hidden: true });
		this.foot = logFoot(this);
	}

	/* ---- what is asked for ---------------------------------------------------------------------- */

	get scope() {
		const shown = this.rows.filter((row) => !this.hidden.has(row.label)).flatMap((row) => row.writers);
		return { path: this.path, writers: this.hidden.size ? spans(shown) : '', stream: this.stream, order: this.order,
			one: shown.length === 1 ? shown[0] : null,
			isNone: this.rows.length > 0 && !shown.length };
	}

	hrefOf(line) {
		const params = query();
		params.set('at', placeText(line, this.rows));
		return location.pathname + queryText(params);
	}

	isShown(line) {
		return !this.hidden.has(line.label) && (!this.stream || line.stream === this.stream);
	}

	say(answer) {
		refill(this.fault, this.faultWords(answer));
	}

	/* Says that something does not exist, until the user goes elsewhere. */
	miss(why = '') {
		setText(this.missing, why);
	}

	/* ---- counts --------------------------------------------------------------------------------- */

	take(writers, density) {
		this.writers = writers;
		this.rows = gather(writers, density.writers);
		this.slots = new Map(this.rows.map((row) => [row.label, row.slot]));
		this.makeRoom();
		this.look.began = this.run?.run?.started_at ? Date.parse(this.run.run.started_at) / 1000 : density.time_first ?? 0;
		this.lines = this.rows.reduce((sum, row) => sum + row.lines, 0);
		this.linesOfStream = density.lines.reduce((sum, lines) => sum + lines, 0);
		this.density.draw(density);
		this.labels.show(this.rows, this.hidden);
		this.tell();
	}

	/* The server counts the lines of a stream; those of labels are known at once. */
	shownCounts() {
		const rows = this.rows.filter((row) => !this.hidden.has(row.label));
		const lines = rows.reduce((sum, row) => sum + row.lines, 0);
		return { lines: this.stream ? Math.min(lines, this.linesOfStream) : lines, labels: rows.length };
	}

	/* Labels differ at their ends. */
	makeRoom() {
		const longest = this.rows.reduce((most, { label }) => Math.max(most, label.length), LABEL_CH[0]);
		this.list.node.style.setProperty('--label', `${Math.min(longest, LABEL_CH[1])}ch`);
	}

	tell() {
		const { isNone } = this.scope;
		setText(this.empty, isNone ? words.nonePicked : words.nothing(FORCED.includes(this.run?.run?.state)));
		this.empty.hidden = !isNone && this.lines > 0;
		this.foot.tell();
		this.list.follow(this.isFollowing);
		this.bar.tell();
	}

	/* ---- what is shown -------------------------------------------------------------------------- */

	setPages() {
		const { scope } = this;
		if (scope.isNone) this.list.setPages(() => ofList([]));
		else if (this.only && this.search) this.list.setPages(() => ofList(withContext(this.search.hits)));
		else if (scope.one === null) this.list.setPages((signal) => byPlace(scope, signal));
		else this.list.setPages((signal) => byNumber({ ...scope, writers: String(scope.one) }, signal));
	}

	async show() {
		this.setPages();
		this.tell();
		if (this.only && this.search) return this.list.goTo({ time: 0, line: this.search.hits[0]?.line });
		const at = placeOf(query().get('at'));
		if (at) return goToLine(this, at);
		return this.toEnd();
	}

	async toEnd() {
		this.miss();
		this.hits.leave();
		this.isFollowing = true;
		this.newer = 0;
		this.tell();
		await this.list.end();
	}

	/* The address leads to that line. */
	point(line) {
		this.at = placeText(line, this.rows);
		setQuery({ at: this.at });
	}

	/* It leads to the end again. */
	letGo() {
		this.at = null;
		setQuery({ at: null });
		return this.toEnd();
	}

	goToTime(time) {
		this.hits.leave();
		this.pause();
		if (this.only || (this.scope.one === null && this.order.name === 'time')) return this.list.goTo({ time });
		return goToMoment(this, time);
	}

	scrolled() {
		const isAtEnd = this.list.isAtEnd();
		if (isAtEnd) this.newer = 0;
		this.density.window(this.list.seen());
		if (this.isFollowing === isAtEnd) return;
		if (isAtEnd) this.isFollowing = true;
		else this.pause();
		this.tell();
	}

	pause() {
		this.miss();
		if (this.isFollowing) this.news.stood(this.list.lines());
		this.isFollowing = false;
		this.tell();
	}

	/* ---- choices -------------------------------------------------------------------------------- */

	hide(hidden) {
		setQuery({ label: valueOf(hidden, this.rows.map((row) => row.label)), at: null });
	}

	async choose() {
		const params = query();
		const stream = params.get('stream') || '';
		const hidden = hiddenOf(params.get('label'), this.rows.map((row) => row.label));
		const isSame = stream === this.stream && hidden.size === this.hidden.size
			&& [...hidden].every((label) => this.hidden.has(label));
		const order = orderNamed(params.get('order'));
		const isOrdered = order === this.order;
		const isFound = (params.get('find') || '') === this.find;
		this.stream = stream;
		this.hidden = hidden;
		this.order = order;
		this.bar.choose(params);
		if (!isSame || !isFound || !isOrdered) this.finding.start(params.get('find') || '');
		if (!isSame) {
			this.labels.show(this.rows, hidden);
			this.counts.now();
		}
		const isMoved = params.get('at') !== this.at;
		this.at = params.get('at');
		const at = placeOf(this.at);
		if (!isSame || (at && !isOrdered) || (this.only && !isFound)) await this.show();
		else if (at && isMoved) await goToLine(this, at);
		else if (!isOrdered) await this.reorder();
	}

	/* Shows the same line again, with its neighbours in the new order. */
	async reorder() {
		const line = this.list.lookedAt();
		const stays = !this.isFollowing && !this.only && line;
		if (!stays) return this.show();
		this.setPages();
		this.tell();
		return goToSame(this, line);
	}

	/* ---- all ------------------------------------------------------------------------------------ */

	async begin() {
		const params = query();
		this.begunBy = location.search;
		this.order = orderNamed(params.get('order'));
		const fault = await this.counts.now();
		if (fault) return fault;
		this.news.begin(this.writers);
		this.stream = params.get('stream') || '';
		this.at = params.get('at');
		this.hidden = hiddenOf(params.get('label'), this.rows.map((row) => row.label));
		this.labels.show(this.rows, this.hidden);
		this.bar.choose(params);
		if (this.hidden.size || this.stream) this.counts.now();
		this.finding.start(params.get('find') || '');
		this.setPages();
		return null;
	}

	draw() {
		return el('div', { class: 'logs' }, this.labels.node,
			el('div', { class: 'content' }, this.bar.node, this.bar.fault, this.density.node, this.fault,
			this.missing, this.empty, this.list.node, this.foot.node));
	}

	start() {
		const { entity, project, run } = this.address;
		this.stops = [
			onQuery(() => this.choose()),
			onKey('/', words.keys.find, () => this.bar.focus()),
			onKey('n', words.keys.next, () => this.hits.go(1)),
			onKey('N', words.keys.before, () => this.hits.go(-1)),
			onKey('End', words.keys.end, () => this.letGo()),
			follow({ entity, project, run, streams: ['console'] }, (event) => this.news.heard(event)),
		];
		this.show();
		if (location.search !== this.begunBy) this.choose();
	}

	stop() {
		this.ends.abort();
		this.counts.stop();
		this.finding.stop();
		this.list.stop();
		this.news.stop();
		this.bar.stop();
		this.stops?.forEach((stop) => stop());
	}
}

export async function logsTab(address, context) {
	const logs = new Logs(address, context);
	const answer = await logs.begin();
	if (answer) return { answer };
	const node = logs.draw();
	requestAnimationFrame(() => logs.ends.signal.aborted || logs.start());
	return { node, update: () => logs.tell(), stop: () => logs.stop() };
}
