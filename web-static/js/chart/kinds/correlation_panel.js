/*
 * How the first key goes with others, over all runs that the list's filter finds: with those that were picked, or else
 * with the config's. A bar each, as a list: numbers by their rank correlation, categories by their share of variance.
 */

import { el, replace } from '../../base/dom.js';
import { knownKeys } from '../../list/model/known_keys.js';
import { columnName } from '../../list/model/names.js';
import { text } from '../../text/chart.js';
import { text as common } from '../../text/common.js';
import { text as panelsText } from '../../text/panels.js';
import { text as plotsText } from '../../text/plots.js';
import { listRuns, restOf } from '../data/list_runs.js';
import { nothingOf } from '../panel/panel_words.js';
import { correlationsOf } from './correlation.js';
import { ValuePanel } from './value_panel.js';

const words = plotsText.correlation;
export const KEYS = 120; /* of those that most runs have */
const PART = 60; /* in one question, beside the metric */
const KNOWN_MS = 60000; /* so long it is not asked again which keys there are */

/* Metrics keep their head, by which they are known from keys of the config. */
const short = (key) => key.replace(/^config\./, '');

const percent = (share) => `${(share * 100).toFixed(2)}%`;
const signed = (value) => `${value < 0 ? '−' : ''}${Math.abs(value).toFixed(2)}`;
const shown = ({ value }) => value === null ? common.none : signed(value);

function noteOf({ isNumeric, n, categories, why }) {
	const isParted = !isNumeric && (why === '' || why === 'few');
	return [words.runs(n), isParted && words.categories(categories), words.why[why]].filter(Boolean).join(', ');
}

/* Keys of very many runs take a while, in which the page is not to stand still. */
const rest = () => new Promise((resolve) => { setTimeout(resolve); });

/* Joins answers that were read in parts into runs with their values under all keys. */
function joined(answers, keys) {
	const runs = new Map();
	answers.forEach(({ body }, part) => body.items.forEach(({ id, values: [metric, ...some] }) => {
		if (!runs.has(id)) runs.set(id, { metric, values: new Array(keys.length) });
		some.forEach((value, at) => { runs.get(id).values[part * PART + at] = value; });
	}));
	return [...runs.values()];
}

export class CorrelationPanel extends ValuePanel {
	constructor(...given) {
		super(...given);
		this.plotNode.classList.add('bars', 'correlations');
		this.learnedAt = -Infinity;
	}

	get againMs() {
		return restOf(this.page);
	}

	get name() {
		return this.spec.title || words.name(columnName(this.keys[0]));
	}

	/* The answer that failed, or null. */
	async learn() {
		this.known ||= knownKeys(this.page);
		if (performance.now() - this.learnedAt < KNOWN_MS) return null;
		const fault = await this.known.learn();
		if (!fault) this.learnedAt = performance.now();
		return fault;
	}

	/* {keys} or {fault}, of the project: which of them the runs have is seen then. */
	async others() {
		const [metric, ...picked] = this.keys;
		if (picked.length) return { keys: picked };
		const fault = await this.learn();
		if (fault) return { fault };
		const { known } = this;
		const isMeant = (key) => key.startsWith('config.')
			|| (this.spec.metrics && /^summary\.[^_]/.test(key) && known.isNumber(key));
		const keys = known.keys().filter((key) => key !== metric && isMeant(key));
		return { keys: keys.slice(0, KEYS), more: keys.length - KEYS };
	}

	want() {
		const ends = new AbortController();
		const { signal } = ends;
		this.others().then(({ fault, ...question }) => {
			if (signal.aborted) return;
			if (fault) this.take(fault);
			else this.readParts({ metric: this.keys[0], ...question }, signal);
		});
		return () => ends.abort();
	}

	readParts(question, signal) {
		const { metric, keys } = question;
		const answers = [];
		let left = Math.max(1, Math.ceil(keys.length / PART));
		const stops = Array.from({ length: left }, (_, at) => {
			const fields = [metric, ...keys.slice(at * PART, (at + 1) * PART)];
			return listRuns(this.page, fields, (answer) => {
				answers[at] = answer;
				if (!--left) this.answered(answers, question, signal);
			});
		});
		signal.addEventListener('abort', () => stops.forEach((stop) => stop()));
	}

	async answered(answers, question, signal) {
		const fault = answers.find(({ status }) => status !== 200);
		const data = fault ? null : await this.found(answers, question);
		if (!signal.aborted) this.take(fault, data);
	}

	async found(answers, { metric, keys, more = 0 }) {
		const runs = joined(answers, keys);
		return { metric, more, count: runs.length, isCut: answers[0].body.isCut,
			with: runs.filter((run) => Number.isFinite(run.metric)).length, rows: await correlationsOf(keys, runs, rest) };
	}

	/* Numbers lie on both sides of the middle, by their sign; shares begin at the left. */
	bar({ value, isNumeric }) {
		if (value === null) return null;
		const half = Math.abs(value) / 2;
		const place = isNumeric ? { left: percent(value < 0 ? 0.5 - half : 0.5), width: percent(half) }
			: { left: '0', width: percent(value) };
		return el('i', { class: isNumeric ? value < 0 ? 'falls' : 'rises' : 'share', style: place });
	}

	item(row) {
		const { key, isNumeric } = row;
		return el('li', {}, el('span', { class: 'clip', title: key }, el('bdi', {}, short(key))),
			el('span', { class: isNumeric ? 'track both' : 'track' }, this.bar(row)),
			el('span', { class: 'num', title: String(row.value ?? '') }, shown(row)),
			el('small', { class: 'muted' }, noteOf(row)));
	}

	fill(node) {
		const parts = [true, false].map((isNumeric) => this.data.rows.filter((row) => row.isNumeric === isNumeric));
		const lists = parts.map((rows, at) => rows.length > 0 && [el('h4', {}, words.heads[at]),
			el('ul', {}, rows.map((row) => this.item(row)))]);
		replace(node, this.data.rows.length ? lists : el('p', { class: 'muted' }, words.nothing(this.data.metric)));
		this.plot = node;
	}

	noteText() {
		if (!this.data) return null;
		const { metric, count, isCut, more, with: there } = this.data;
		const said = [words.over(there, metric), count > there && panelsText.panels.without(count - there, count, metric),
			isCut && panelsText.panels.newestRuns(count), more > 0 && words.moreKeys(KEYS, more)].filter(Boolean);
		return el('p', { class: 'muted' }, said.join(' '));
	}

	summary() {
		if (!this.data) return text.charts.loading;
		const [first] = this.data.rows;
		return first && first.value !== null ? words.strongest(first.key, signed(first.value)) : nothingOf(this.page);
	}

	tableNode() {
		const cell = (value) => el('td', { class: 'num' }, value);
		return el('table', { class: 'list' }, el('caption', { class: 'sr' }, text.charts.tableOf(this.name)),
			el('thead', {}, el('tr', {}, words.columns.map((name) => el('th', { scope: 'col' }, name)))),
			el('tbody', {}, (this.data?.rows ?? []).map((row) => el('tr', {}, el('th', { scope: 'row' }, row.key),
				el('td', {}, words.measures[row.isNumeric ? 0 : 1]),
				cell(row.value === null ? common.none : row.value.toFixed(4)), cell(row.n),
				el('td', {}, words.why[row.why])))));
	}

	/* Table of the panel's data, for saving as a file. */
	get rows() {
		return { head: ['key', 'measure', 'value', 'runs', 'note'], rows: this.data.rows.map(({ key, isNumeric, value, n,
			why }) => [key, isNumeric ? 'spearman' : 'eta_squared', value, n, why]) };
	}
}
