/* Texts for a panel of lines: marks and legend in its head, and a sentence for screen readers. */

import { el } from '../../base/dom.js';
import { count, duration, number } from '../../base/format.js';
import { localMoment } from '../../base/moments.js';
import { columnName } from '../../list/model/names.js';
import { rolesOf } from '../../list/model/group_roles.js';
import { text } from '../../text/chart.js';
import { cutName, sharedStarts } from '../../ui/cut_name.js';
import { icon } from '../../ui/icons.js';
import { strokeOf } from '../../ui/run_swatch.js';
import { lastFilled } from '../data/buckets.js';
import { BANDS, hasRoomForBands } from '../line/drawn_lines.js';
import { lastOf, oddities } from '../line/lines.js';
import { TIMES } from './look.js';

const words = text.charts;
const LEGEND = 10; /* as many runs as are drawn by default */
const LEGEND_FULL = 24; /* where no list of runs stands beside it */
const FEW = 4; /* names of more take half of the width at most */

/* A place on the axis, in words. */
export function xWords(x, value) {
	if (x === '_step') return words.atStep(count(Math.round(value)));
	if (x === '_timestamp') return localMoment(value * 1000);
	if (x === '_relative') return words.after(duration(value));
	if (x === '_process') return words.inProcess(duration(value));
	return `${x} ${number(value)}`;
}

/* Why there is nothing to see. */
export function nothingOf({ runs, groups }) {
	return runs.length + groups.length ? words.nothing : words.noRuns;
}

/* Mark of clipped values. CSS hides the word if there is little room. */
const clipped = ([sign, word]) => [sign, el('span', { class: 'word' }, word)];

const nameOfX = (x) => words.xNames[TIMES.indexOf(x)]?.[1] ?? x;

/* id: its kind; a panel has at most one of each. */
function mark(id, name, title, press) {
	const props = { class: 'mark', title, 'data-mark': id };
	return press ? el('button', { ...props, type: 'button', onclick: press }, name)
		: el('span', props, icon('warn'), name);
}

function outsideWords(owners) {
	const namesOf = (list) => list.map(({ name }) => name);
	return words.showOutside(namesOf(owners.filter(({ isPart }) => !isPart)), namesOf(owners.filter(({ isPart }) => isPart)));
}

export function marksOf(panel) {
	const { data, shown, ones, page, look } = panel;
	if (!shown.length) return [];
	const odd = oddities(shown, data.grid, data.x === '_step');
	const { owners = [] } = look.clip && panel.outside || {};
	const hidden = ones.reduce((sum, one) => sum + one.hidden, 0);
	const { above = 0, below = 0 } = look.clip && panel.outside || {};
	const order = panel.order.now().mark();
	return [
		order && mark(order.press ? 'order' : 'sorted', order.name, order.how, order.press),
		odd.first && mark('odd', words.odd(odd.nan, odd.inf), words.firstOdd(xWords(data.x, odd.first.x), odd.first.name)),
		owners.length > 0 && mark('outside', words.outside(owners.length, owners.every(({ isGroup }) => isGroup)), outsideWords(owners), page.clip),
		above > 0 && mark('above', clipped(words.above(above)), words.showAll, page.clip),
		below > 0 && mark('below', clipped(words.below(below)), words.showAll, page.clip),
		hidden > 0 && look.y === 'log' && mark('hidden', words.hidden(hidden), words.showHidden, () => page.symlog(panel)),
	];
}

/* Says what the keys of groups act as, if not all of them are colours. */
function rolesText({ groups, scope }) {
	const roles = groups.length && scope?.group ? Object.entries(rolesOf(scope)) : [];
	return roles.some(([, role]) => role !== 'color') && words.actAs(roles.map(([key, role]) => [columnName(key), role]));
}

/* Names the keys by which runs are grouped, if all of them are colours. */
function groupKeys({ groups, scope }) {
	if (!groups.length || !scope?.group || rolesText({ groups, scope })) return null;
	return el('small', { class: 'muted' }, words.groupedBy(scope.group.map(columnName)));
}

/* Said where it is another x than that of the page. */
export function alongOf({ look: { x }, page }) {
	return x !== page.look.x && el('small', { class: 'muted' }, words.along(nameOfX(x)));
}

/* Reports an error of the formula, or that some or all runs have no values here. */
export function valuesNote({ data, page, formula, look, isBare }) {
	const fault = formula.fault();
	if (fault !== undefined) return el('p', { class: 'fault' }, text.panels.formulaFault(fault + 1));
	const without = page.runs.filter((run) => !data.lines.some((line) => line.who === run.id));
	const said = (text) => el('p', { class: 'muted' }, text);
	if (look.zoom && (isBare || !data.lines.length)) return said(words.nothingHere);
	if (!TIMES.includes(data.x) && without.length) return said(words.withoutKey(without.length, page.runs.length, data.x));
	return data.lines.length ? null : said(nothingOf(page));
}

/* Reports that bands are not drawn because there are too many lines, if they were chosen or groups are drawn. */
export function bandsNote({ data, look, shown, page }) {
	const isWanted = look.band !== 'none' && (look.isBand || page.groups.length > 0);
	return data && isWanted && !hasRoomForBands(shown) && el('p', { class: 'muted' }, words.noBands(BANDS));
}

/* As legends have it. */
export const legendName = ({ name, isBase }) => isBase ? words.baseline(name) : name;

export function legend(panel) {
	const { shown, page, isFull } = panel;
	const most = isFull ? LEGEND_FULL : LEGEND;
	const roles = rolesText(page);
	const isNamed = shown.length <= most && (shown.length > 1 || page.hasLegend || isFull || roles);
	if (!shown.length || (!isNamed && !roles)) return null;
	const startOf = sharedStarts(shown.map(({ name }) => name));
	return el('div', { class: shown.length > FEW ? 'legend many' : 'legend' }, isNamed && groupKeys(page), (isNamed ? shown : []).map((line) => {
		const cut = cutName(line.name, startOf);
		return el('span', { title: legendName(line) }, strokeOf(line), el('span', { class: cut.class, style: cut.style }, cut.nodes),
			line.isBase && el('small', { class: 'is-base' }, words.isBase));
	}),
	roles && el('small', { class: 'muted' }, roles));
}

/* "10 runs; last 2.46 to 2.83; lowest moe-8x1b." */
function refsText(refs = []) {
	const said = refs.map(({ at, label }) => `${label} ${number(at)}`.trim());
	return said.length ? ` ${words.references(said)}` : '';
}

export function summary({ data, shown, spec, order, page }) {
	if (!data) return words.loading;
	const lastIn = (line) => lastOf(order.now().inRows(line).mean);
	const ends = shown.map((line) => ({ name: line.name, last: lastIn(line) })).filter((end) => end.last !== null)
		.sort((a, b) => a.last - b.last);
	if (!ends.length && shown.length && shown.every((line) => lastFilled(line) < 0)) return words.goThrough(shown.length);
	if (!ends.length) return shown.length ? words.noFinite(shown.length) : nothingOf(page);
	const [first] = ends;
	return words.summary(shown.length, number(first.last), number(ends[ends.length - 1].last), first.name)
		+ refsText(spec.refs);
}
