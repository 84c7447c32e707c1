/* The bar above the panels: what it changes stands in the address, and it shows what stands there. */

import { el, replace } from '../../base/dom.js';
import { setQuery } from '../../router.js';
import { text } from '../../text/chart.js';
import { button, field, iconButton, setToggle, toggle } from '../../ui/controls.js';
import { copy } from '../../ui/copy.js';
import { BANDS } from '../line/drawn_lines.js';
import { ANOTHER, logName, xKeys } from './look.js';

const words = text.charts;

/* Each a step that one goes back from; what is typed or slid is none. */
const decide = (changes) => setQuery(changes, { replace: false });

function choice(label, onpick) {
	const select = el('select', { 'aria-label': label, onchange: () => onpick(select.value) });
	return { select, node: el('label', { class: 'btn choice' }, el('span', { 'aria-hidden': 'true' }, label), select) };
}

/* Fills a select only if its options changed: an open list stays open, and a long list is not built for nothing. */
function offer(choice, list, chosen) {
	const essence = JSON.stringify(list);
	if (choice.essence !== essence) replace(choice.select, list.map(([value, name]) => el('option', { value }, name)));
	choice.essence = essence;
	choice.select.value = chosen;
}

/*
 * {node, update(look, keys, defined), smoothBy(steps)}; events: of events.js, where there are; add(), legend(),
 * another(keys, onpick): ask for panels, for names of lines and for a key; writers(): how many those lines are of, where it is
 * one run.
 */
export function panelBar({ bands, events, add, legend, another, writers }) {
	const legends = button(text.panels.legend, { onclick: legend });
	const search = field('search', words.search, { oninput: (event) => setQuery({ panels: event.target.value || null }) });
	const input = search.querySelector('input');
	const x = choice(words.x, (value) => {
		if (value !== ANOTHER) return along(value);
		x.select.value = chosen;
		return another(all, along);
	});
	const band = choice(words.band, (value) => decide({ band: value === 'minmax' ? null : value }));
	band.node.title = words.bandHow(BANDS);
	const split = choice(text.panels.split, (value) => decide({ split: value || null }));
	let shown = null;
	let all = []; /* keys */
	let usual = 'step'; /* x by default */
	let chosen = usual;
	const weight = el('output', {});
	const slider = el('input', {
		type: 'range', min: 0, max: 150, step: 1, 'aria-label': words.smoothing,
		oninput: () => setQuery({ smooth: weightOf(Number(slider.value)) }),
	});
	const log = toggle(words.log, false, (on) => decide({ log: logName({ ...shown, y: on ? 'log' : 'linear' }) }));
	const xLog = toggle(words.xLog, false, (on) => decide({ log: logName({ ...shown, xLog: on }) }));
	const marks = events && toggle(words.events, true, (on) => decide({ marks: on ? 'on' : 'off' }));
	const clip = toggle(words.clip, true, (on) => decide({ outliers: on ? null : 'show' }),
		{ 'aria-label': words.clipHow, title: words.clipHow });

	function along(value) {
		decide({ x: value === usual ? null : value, zoom: null });
	}

	/* Most of the way is where it matters: a third of it is 0.9. */
	function weightOf(at) {
		return at === 0 ? null : String(Number(Math.min(0.999, 1 - 10 ** (-at / 50)).toFixed(3)));
	}

	function placeOf(value) {
		return value ? Math.round(-Math.log10(1 - value) * 50) : 0;
	}

	return {
		node: el('div', { class: 'chart-bar', role: 'toolbar', 'aria-label': words.bar }, search, x.node,
			el('label', { class: 'slider' }, el('span', { 'aria-hidden': 'true' }, words.smooth), slider, weight),
				bands && band.node, split.node,
			xLog, log, clip, marks, legends,
			iconButton('share', words.link, { class: 'ibtn end', onclick: () => copy(location.href) }),
			button(text.panels.addOne, { name: 'plus', look: 'primary', onclick: add })),
		smoothBy(steps) {
			setQuery({ smooth: weightOf(Math.max(0, Math.min(150, Number(slider.value) + steps * 5))) });
		},
		update(look, keys, defined) {
			shown = look;
			all = keys;
			usual = defined?.hasSteps ? '' : 'step';
			chosen = look.isX ? look.xName : usual;
			if (document.activeElement !== input) input.value = look.search;
			offer(x, [...usual ? [] : [['', words.asDefined]], ...words.xNames, ...xKeys(keys, look.xName)], chosen);
			offer(band, words.bands, look.band);
			offer(split, text.panels.splits, look.split ?? '');
			split.node.hidden = !(writers() > 1);
			slider.value = placeOf(look.weight);
			slider.setAttribute('aria-valuetext', String(look.weight));
			weight.textContent = look.weight.toFixed(look.weight > 0.99 ? 3 : 2);
			setToggle(log, look.y !== 'linear');
			setToggle(xLog, look.xLog && look.x !== '_timestamp');
			xLog.disabled = look.x === '_timestamp';
			setToggle(clip, look.clip);
			legends.classList.toggle('on', Boolean(look.legend));
			if (marks) setToggle(marks, events.isShown());
		},
	};
}
