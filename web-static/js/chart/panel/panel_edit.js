/* The bar over a panel in full screen: what it says of the panel is seen at once, and is undone by Ctrl+Z. */

import { el, replace } from '../../base/dom.js';
import { isGroupKey } from '../../list/model/known_keys.js';
import { text as chartText } from '../../text/chart.js';
import { text as common } from '../../text/common.js';
import { text } from '../../text/panels.js';
import { text as plotsText } from '../../text/plots.js';
import { button } from '../../ui/controls.js';
import { dialog } from '../../ui/dialog.js';
import { keyPicker } from '../../ui/key_picker.js';
import { paretoEdit, sizeEdit } from '../kinds/scatter_edit.js';
import { choice, input, numberIn, switchOf, wholeIn } from './edit_controls.js';
import { kindOf, KINDS } from './kinds.js';
import { FORMULA_MOST, TEXT_MOST } from './layout.js';
import { askLegend } from './legend_dialog.js';
import { ANOTHER, xKeys } from './look.js';
import { pickKey } from './one_key.js';
import { panelOffers } from './panel_offers.js';
import { editRefs } from './panel_refs.js';

const words = text.panels;
const KEYS = 300; /* offered to put runs together by */

function range({ change }) {
	const low = input(words.min, numberIn, { name: 'min', change, inputmode: 'decimal', size: 6 });
	const high = input(words.max, numberIn, { name: 'max', change, inputmode: 'decimal', size: 6 });
	const zero = button(words.fromZero, { look: 'plain', onclick: () => change({ min: 0 }) });
	return { node: [low.node, high.node, zero], show: (spec) => [low, high].forEach((one) => one.show(spec)) };
}

function prose({ change }) {
	const control = el('textarea', {
		'aria-label': words.text,
		rows: 6,
		maxlength: TEXT_MOST,
		dir: 'auto',
		oninput: () => change({ text: control.value }),
	});
	return {
		node: control,
		show: (spec) => {
			if (document.activeElement !== control) control.value = spec.text ?? '';
		},
	};
}

/* The third key of a scatter colours it unasked. */
function colorsOf({ kind, keys }) {
	const [usual, others] = kind === 'scatter' && keys[2] ? [keys[2], keys.slice(0, 2)] : [words.byRun, keys];
	return [['', usual], ...others.map((key) => [key, key])];
}

/* A key that runs are put together by, of those that they have. */
function groupKey({ offers, change }) {
	let keys = [];
	let shown = null;
	const control = choice(words.by, () => [['', words.byList], ...keys.map((key) => [key, key])], { name: 'by', change });
	const show = (spec) => {
		shown = spec;
		control.show(spec);
	};
	offers.list('categories').then((all) => {
		keys = all.filter(isGroupKey).slice(0, KEYS);
		if (shown) show(shown);
	});
	return { node: control.node, show };
}

function refsOf({ change }) {
	let refs = [];
	const open = button('', { onclick: () => editRefs(refs, (next) => change({ refs: next })) });
	return {
		node: open,
		show(spec) {
			refs = spec.refs || [];
			replace(open, text.refs.count(refs.length));
		},
	};
}

function legendOf({ place, change }) {
	let pattern = '';
	const onset = (next) => change({ legend: next || undefined });
	return {
		node: button(chartText.panels.legend, { onclick: () => askLegend({ pattern, place, onset }) }),
		show: (spec) => { pattern = spec.legend || ''; },
	};
}

/* Any key; what is picked elsewhere is chosen when it is. */
function xOf({ offers, change }) {
	const keys = () => offers.keys();
	const options = ({ x }) => [['', words.asPage], ...chartText.charts.xNames, ...xKeys(keys(), x)];
	let shown = null;
	const control = choice(words.x, options, { name: 'x', change: ({ x }) => {
		if (x !== ANOTHER) return change({ x });
		control.show(shown);
		return pickKey(keys(), (key) => change({ x: key }));
	} });
	const show = (spec) => control.show(shown = spec);
	return { node: control.node, show };
}

/* Controls for the properties of a panel other than title, kind and keys, by their names in kinds.js. */
const EDITS = {
	x: xOf,
	y: ({ change }) => choice(words.y, () => [['', words.asPage], ...words.scales], { name: 'y', change }),
	metrics: ({ change }) => switchOf(plotsText.correlation.metrics, { name: 'metrics', change }),
	xLog: ({ change }) => switchOf(words.xLog, { name: 'xLog', change }),
	window: ({ change }) =>
		input(words.window, wholeIn, { name: 'window', change, type: 'number', min: 2, max: 1000000, step: 1 }),
	split: ({ change }) => choice(chartText.panels.split, () => chartText.panels.splits, { name: 'split', change }),
	right: ({ change }) =>
		choice(words.right, ({ keys }) => [['', words.noRight], ...keys.map((key) => [key, key])], {
			name: 'right',
			change,
		}),
	color: ({ change }) =>
		choice(chartText.panels.color, colorsOf, { name: 'color', change }),
	size: sizeEdit,
	pareto: paretoEdit,
	by: groupKey,
	formula: ({ change }) =>
		input(words.formula, (value) => value || undefined, {
			name: 'formula',
			change,
			maxlength: FORMULA_MOST,
			spellcheck: 'false',
			title: words.formulaHow,
			placeholder: 'a/b',
		}),
	smooth: ({ change }) =>
		input(words.smooth, numberIn, {
			name: 'smooth',
			change,
			type: 'number',
			min: 0,
			max: 0.999,
			step: 'any',
			placeholder: words.asPage,
		}),
	range,
	refs: refsOf,
	legend: legendOf,
	text: prose,
};

/* Kinds that can show the same: of a key of history, or what a run's summary has of it. */
const ALIKE = ['keys', 'fields', 'values'];

function kindsFor({ needs }) {
	return Object.keys(KINDS).filter(
		(name) => KINDS[name].needs === needs || (ALIKE.includes(needs) && ALIKE.includes(KINDS[name].needs)),
	);
}

const FIELD = /^(summary|config)\.|^(rows|duration|writers)$/;

/* The same keys, as the other kind calls them. */
function keysFor(keys, { needs, most }, wasKeys) {
	const asField = (key) => wasKeys && !FIELD.test(key) ? `summary.${key}` : key;
	const same = { fields: asField, values: asField, keys: (key) => key.replace(/^summary\./, '') }[needs];
	return (same ? keys.map(same) : keys).slice(0, most);
}

async function pickKeys({ spec, offers, change, isShown }) {
	const { needs, most } = kindOf(spec);
	const keys = await offers.list(needs);
	if (!isShown()) return;
	const picker = keyPicker({ keys, picked: spec.keys, most,
		onchange: (picked) => picked.length && change({ keys: picked }) });
	dialog(common.keyPicker.keys, picker.node, {});
	picker.input.focus();
}

/* Rebuilds a node. The control that had the focus gets it back, found by its name. */
function keepFocus(node, rebuild) {
	const name = node.contains(document.activeElement) && document.activeElement.getAttribute('aria-label');
	rebuild();
	if (name) node.querySelector(`[aria-label="${CSS.escape(name)}"]`)?.focus();
}

/* change(part of a spec); place: what panelOffers takes. Gives {node, show(spec)}. */
export function panelEdit({ place, change }) {
	const offers = panelOffers(...place);
	let spec = null;
	let parts = [];
	let drawn = null;
	const node = el('div', { class: 'chart-bar edit-bar', role: 'toolbar', 'aria-label': words.edit });

	/* Another panel may stand there when the keys are known. */
	function pick(of) {
		pickKeys({ spec: of, offers, change, isShown: () => spec.id === of.id && node.isConnected });
	}

	function controls() {
		const kind = kindOf(spec);
		const picks =
			kind.needs && button(words.keysOf(spec.keys.length), { onclick: () => pick({ ...spec }) });
		const asKind = ({ kind: name }) =>
			change({ kind: name, keys: keysFor(spec.keys, KINDS[name], kind.needs === 'keys') });
		parts = [
			input(words.title, (value) => value, { name: 'title', change, maxlength: 256 }),
			choice(words.kind, () => kindsFor(kind).map((name) => [name, chartText.panels.kinds[name]]), {
				name: 'kind',
				change: asKind,
			}),
			...kind.edits.map((name) => EDITS[name]({ offers, place, change })),
		];
		replace(
			node,
			parts[0].node,
			picks,
			parts.slice(1).map((part) => part.node),
		);
	}

	return {
		node,
		show(next) {
			const looks = JSON.stringify([next.id, next.kind, next.keys.length]);
			spec = next;
			if (looks !== drawn) keepFocus(node, controls);
			drawn = looks;
			for (const part of parts) part.show(spec);
		},
	};
}
