/*
 * A key across the labels of a run as a strip: a row a label, a column a stretch of x, coloured by how far it is from
 * the middle of all labels. Of several runs the first is shown that has labels to compare.
 */

import { el, replace } from '../../base/dom.js';
import { number } from '../../base/format.js';
import { text } from '../../text/chart.js';
import { text as common } from '../../text/common.js';
import { text as panelsText } from '../../text/panels.js';
import { text as writersText } from '../../text/writers.js';
import { fullScale, percent, reachOf } from '../data/ratio_scale.js';
import { xWords } from '../panel/panel_words.js';
import { heatKey, paintStrip, ratioTone, rowHeight } from './heat_strip.js';
import { oddRows, slowSide } from './ranks.js';
import { readSheet } from './read_sheet.js';
import { stripHover } from './strip_hover.js';
import { ValuePanel } from './value_panel.js';

const words = panelsText.panels;
const ofLabels = writersText.runRanks;
const AGAIN_MS = 5000;
const TRIED = 8; /* runs that are looked through for labels */
const LABELS = 2000; /* if their number is not known */
const HIGH_MOST = 24;
const NAMED_PX = 11; /* rows as high as that have their names beside them */
const NAMED = 4;
const none = new Map();

/* There is nothing to compare one label with. */
const isAlone = ({ rows }) => rows.length < 2;

export class RankPanel extends ValuePanel {
	constructor(...given) {
		super(...given);
		this.plotNode.classList.add('ranks');
	}

	/* All of it is read again. */
	get againMs() {
		return AGAIN_MS;
	}

	want() {
		const control = new AbortController();
		const { x } = this.look;
		this.read(control.signal).then((sheet) => {
			if (control.signal.aborted) return;
			const detail = sheet?.fault;
			this.take(sheet ? detail && { status: 422, body: { detail } } : { status: 0, body: null },
				sheet && !detail && { ...sheet, where: (place) => xWords(x, place) });
		});
		return () => control.abort();
	}

	sheetOf(run, signal) {
		const [key] = this.keys;
		const { x, zoom } = this.look;
		const measure = { kind: 'key', name: key, side: slowSide(key), say: number, x };
		const data = { path: `${this.page.path}/runs/${encodeURIComponent(run.id)}`, options: { signal },
			writers: [], labels: run.writers?.() ?? LABELS };
		return readSheet(data, measure, zoom);
	}

	/* The one that was found last is looked at first, as long as it is drawn. */
	async read(signal) {
		const { runs } = this.page;
		const before = runs.filter(({ id }) => id === this.data?.run?.id);
		let first = null;
		for (const run of new Set([...before, ...runs.slice(0, TRIED)])) {
			const sheet = await this.sheetOf(run, signal);
			if (!sheet || sheet.fault || !isAlone(sheet)) return sheet && { ...sheet, run };
			first ??= { ...sheet, run };
		}
		return first ?? { rows: [] };
	}

	get isAlone() {
		return isAlone(this.data);
	}

	names(high) {
		const { rows } = this.data;
		return high >= NAMED_PX && el('div', { class: 'rank-names', 'aria-hidden': 'true' },
			rows.map(({ label }) => el('span', { class: 'clip', title: label, style: { height: `${high}px` } }, label)));
	}

	fill(node) {
		const { data } = this;
		if (this.isAlone) return replace(node);
		const { rows, wide, middle, side, times } = data;
		const roomy = Math.floor((node.clientHeight - 44) / rows.length);
		const high = Math.max(rowHeight(rows.length), Math.min(HIGH_MOST, roomy));
		const full = fullScale(data);
		const canvas = el('canvas', { class: 'heat', 'aria-hidden': 'true', style: { height: `${rows.length * high}px` } });
		const ends = times.map((place) => el('span', {}, data.where(place)));
		paintStrip(canvas, rows, wide, ratioTone(middle, full, side, reachOf(data)), high);
		return replace(node, el('div', { class: 'rank-rows' }, this.names(high), el('div', { class: 'rank-sheet' },
			stripHover(canvas, () => ({ sheet: data, high })),
			el('div', { class: 'rank-ends', 'aria-hidden': 'true' }, ends))),
			heatKey({ from: percent(-100 * full), to: percent(100 * full), ramp: side }, common.strip.silent));
	}

	noteText() {
		if (!this.data) return null;
		const { runs } = this.page;
		const run = runs.find(({ id }) => id === this.data.run?.id);
		const said = [this.isAlone && ofLabels.tooFew(this.keys[0]),
			run && runs.length > 1 && (this.isAlone ? words.firstOf : words.oneOf)(run.name, runs.length)];
		return said.some(Boolean) && el('p', { class: 'muted' }, said.filter(Boolean).join(' '));
	}

	/* Names the labels that differ from the others. */
	summary() {
		if (!this.data) return text.charts.loading;
		if (this.isAlone) return '';
		const odd = oddRows(this.data, none);
		const named = odd.slice(0, NAMED).map((one) => ofLabels.differs(one.label, percent(one.percent))).join('; ');
		return words.ranks(this.data.rows.length, named || ofLabels.allAlike, Math.max(0, odd.length - NAMED));
	}
}
