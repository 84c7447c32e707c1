/*
 * How the panels of a page are laid out, as what differs from one panel a key in sections by prefix. Pure; changes of it
 * are in layout_changes.js, which comes when there is one:
 *
 *   order     names of sections that were moved, in order; the others follow by their rank (key_rank.js)
 *   sections  name: {title, isOpen, sameY, panels}, where `panels` are the ids that stand first, in order
 *   panels    id: settings of a panel (SPEC); an id of its own (":1") for one that was added
 *   removed   keys whose panels were taken away
 */

import { matcherOf } from '../../ui/matcher.js';
import { byRank, inRank, isClosedByItself, sectionOf } from './key_rank.js';
import { LEGEND_MOST } from './look.js';
import { CLOSED_ABOVE, FIRST_SHOWN, OPEN_MOST } from './sections.js';

export const PINNED = '^';
export const COLUMNS = 12;
export const KEYS_MOST = 32; /* of a panel */
export const TEXT_MOST = 20000; /* of a panel of text */
export const FORMULA_MOST = 200;
export const REFS_MOST = 16; /* reference lines of a panel */
export const REF_LABEL = 64;
export const HEIGHTS = [100, 900]; /* of a plot, in px */
export const WIDTHS = [2, COLUMNS];
const PANELS_MOST = 1000;
const OWN = /^:\d+$/;

const isText = (most) => (value) => typeof value === 'string' && value.length <= most;
const isNumber = (value) => typeof value === 'number' && Number.isFinite(value);
const isWithin = (least, most) => (value) => Number.isInteger(value) && value >= least && value <= most;
const isFlag = (value) => typeof value === 'boolean';
const isOneOf = (...words) => (value) => words.includes(value);
const areTexts = (most) => (value) => Array.isArray(value) && value.length <= most && value.every(isText(512));

const isRef = ({ axis, at, label }) => isOneOf('x', 'y')(axis) && isNumber(at) && isText(REF_LABEL)(label);
const areRefs = (value) => Array.isArray(value) && value.length <= REFS_MOST && value.every((one) => isRef(plain(one)));

/* Properties that the spec of a panel may have, with their checks; all others are dropped. */
const SPEC = {
	kind: isText(32),
	title: isText(256),
	keys: areTexts(KEYS_MOST),
	text: isText(TEXT_MOST),
	x: isText(512),
	y: isOneOf('linear', 'log', 'sym'),
	smooth: (value) => isNumber(value) && value >= 0 && value <= 0.999,
	window: isWithin(2, 1000000),
	xLog: isFlag,
	members: isFlag,
	metrics: isFlag,
	sorted: isFlag,
	split: isOneOf('labels', 'mean'),
	formula: isText(FORMULA_MOST),
	right: isText(512),
	color: isText(512),
	size: isText(512),
	pareto: isFlag,
	lower: areTexts(KEYS_MOST),
	higher: areTexts(KEYS_MOST),
	by: isText(512),
	refs: areRefs,
	legend: isText(LEGEND_MOST),
	min: isNumber, max: isNumber, w: isWithin(...WIDTHS), h: isWithin(...HEIGHTS),
};
const SECTION = { title: isText(128), isOpen: isFlag, sameY: isFlag, panels: areTexts(PANELS_MOST) };

export const EMPTY = { order: [], sections: {}, panels: {}, removed: [] };

const plain = (value) => value !== null && typeof value === 'object' && !Array.isArray(value) ? value : {};

function checked(given, checks) {
	return Object.fromEntries(
		Object.entries(plain(given)).filter(([name, value]) => Object.hasOwn(checks, name) && checks[name](value)),
	);
}

function eachChecked(given, checks) {
	return Object.fromEntries(
		Object.entries(plain(given))
			.slice(0, PANELS_MOST)
			.map(([name, one]) => [name, checked(one, checks)]),
	);
}

export const checkedSpec = (spec) => checked(spec, SPEC);

/* Sections were once named by the whole prefix of their keys ("a/b"): those are merged into the one that now has them. */
const nowNamed = (name) => name.split('/', 1)[0];

function mergedSections(sections) {
	const merged = {};
	for (const [given, section] of Object.entries(sections)) {
		const name = nowNamed(given);
		const { panels = [], ...first } = Object.hasOwn(merged, name) ? merged[name] : {};
		const all = [...new Set([...panels, ...section.panels ?? []])].slice(0, PANELS_MOST);
		merged[name] = { ...section, ...first, ...(all.length && { panels: all }) };
	}
	return merged;
}

/* Whatever the text is; what is not understood is as if it were not there. */
export function readLayout(text) {
	let given;
	try {
		given = plain(JSON.parse(text || '{}'));
	} catch {
		return EMPTY;
	}
	const texts = (list) => areTexts(PANELS_MOST)(list) ? [...new Set(list)] : [];
	return {
		order: [...new Set(texts(given.order).map(nowNamed))], sections: mergedSections(eachChecked(given.sections, SECTION)),
		panels: eachChecked(given.panels, SPEC), removed: texts(given.removed),
	};
}

const hasSome = (value) => Array.isArray(value) ? value.length > 0 : Object.keys(value).length > 0;

/* '' of the layout that each page begins with. */
export function layoutText(layout) {
	const said = (table) => Object.fromEntries(Object.entries(table).filter(([, one]) => hasSome(one)));
	const whole = { ...layout, sections: said(layout.sections), panels: said(layout.panels) };
	const kept = Object.fromEntries(Object.entries(whole).filter(([, value]) => hasSome(value)));
	return hasSome(kept) ? JSON.stringify(kept) : '';
}

export const isOwn = (id) => OWN.test(id);

function specOf(layout, id, kinds) {
	return { kind: kinds[id] || 'line', keys: isOwn(id) ? [] : [id], ...layout.panels[id], id };
}

/* Section of each id that was put into one. */
function placed(layout) {
	const at = new Map();
	for (const [name, { panels = [] }] of Object.entries(layout.sections))
		for (const id of panels) if (!at.has(id)) at.set(id, name);
	return at;
}

/* Ids by section: those put there first, in order, then those of the keys. */
function idsBySection(layout, keys) {
	const at = placed(layout);
	const known = new Set(keys);
	const gone = new Set(layout.removed);
	const isThere = (id) => isOwn(id) ? Object.hasOwn(layout.panels, id) : known.has(id) && !gone.has(id);
	const ids = new Map([[PINNED, []]]);
	const put = (name, id) => ids.has(name) ? ids.get(name).push(id) : ids.set(name, [id]);
	for (const [id, name] of at) if (isThere(id)) put(name, id);
	for (const key of [...keys].sort(byRank)) if (!at.has(key) && isThere(key)) put(sectionOf(key), key);
	for (const id of Object.keys(layout.panels)) if (isOwn(id) && !at.has(id)) put(PINNED, id);
	return ids;
}

/* Returns the names of the sections in order: the pinned one, those that were moved by hand, the others by their rank. */
function inOrder(layout, bySection) {
	const names = inRank([...bySection].map(([name, ids]) => ({ name, keys: ids.filter((id) => !isOwn(id)) })));
	const rank = new Map(layout.order.map((name, at) => [name, at]));
	const last = layout.order.length;
	return names.sort((a, b) => (b === PINNED) - (a === PINNED) || (rank.get(a) ?? last) - (rank.get(b) ?? last));
}

/*
 * Returns the sections of the page: [{name, title, isOpen, panels: [spec], hidden: number of panels that were left out}].
 * kinds: of the panels of keys that are not lines; isHidden(key): its panel is left out, unless it is pinned or searched.
 */
export function arranged(layout, keys, { search = '', kinds = {}, isHidden = () => false } = {}) {
	const matches = matcherOf(search);
	const isFound = (spec) => matches(spec.title || '') || spec.keys.some(matches);
	const bySection = idsBySection(layout, keys);
	let shown = 0;

	function panelsOf(name) {
		const { sameY } = layout.sections[name] || {};
		return bySection.get(name).map((id) => ({ ...specOf(layout, id, kinds), ...(sameY && { sharedY: name }) }));
	}

	function isOpen({ name, panels }, isAlone) {
		const { isOpen: chosen, panels: placedHere } = layout.sections[name] || {};
		const isMeant = isAlone || placedHere?.length > 0;
		const isUsual = panels.length <= CLOSED_ABOVE && shown < OPEN_MOST
			&& (isMeant || !isClosedByItself({ name, keys: panels.map(({ id }) => id) }));
		const isWanted = search ? shown < OPEN_MOST || chosen : chosen ?? isUsual;
		if (isWanted) shown += Math.min(panels.length, FIRST_SHOWN);
		return Boolean(isWanted);
	}

	const sections = inOrder(layout, bySection).map((name) => {
		const all = panelsOf(name);
		const panels = all.filter((spec) => search ? isFound(spec) : name === PINNED || isOwn(spec.id) || !isHidden(spec.id));
		return { name, panels, hidden: search ? 0 : all.length - panels.length };
	}).filter(({ panels, hidden }) => panels.length || hidden);
	const drawn = sections.filter(({ panels }) => panels.length);
	return sections.map((section) => {
		const { title, sameY } = layout.sections[section.name] || {};
		return { ...section, title, sameY, isOpen: isOpen(section, drawn.length === 1) };
	});
}

export function withSection(layout, name, change) {
	return { ...layout, sections: { ...layout.sections, [name]: { ...layout.sections[name], ...change } } };
}

export const isPinned = (layout, id) => placed(layout).get(id) === PINNED || (isOwn(id) && !placed(layout).has(id));
export const foldSection = (layout, name, isOpen) => withSection(layout, name, { isOpen });

const STEP_PX = 20; /* heights are a number of these */

const held = (value, [least, most]) => Math.max(least, Math.min(most, value));

export const heldHeight = (px) => held(Math.round(px / STEP_PX) * STEP_PX, HEIGHTS);
export const heldWidth = (columns) => held(Math.round(columns), WIDTHS);
