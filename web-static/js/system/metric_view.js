/*
 * One panel a metric, in sections of what it is of. A section that is closed asks for nothing. What is there stays where
 * it is: it may just be pressed.
 */

import { arrange, el, refill } from '../base/dom.js';
import { CLOSED_ABOVE } from '../chart/panel/sections.js';
import { text as chartText } from '../text/chart.js';
import { text } from '../text/system.js';
import { icon } from '../ui/icons.js';
import { sectionsOf } from './metrics.js';
import { specOf, SystemPanel } from './system_panel.js';

const words = text.system;
const CLOSED = ['gpuProcess']; /* mostly what the machine's say */

/* seen(panel) watches whether it is on the screen, unseen(panel) ends that. */
export function metricView(page, { seen, unseen }) {
	const panels = new Map();
	const folded = new Map();
	const places = new Map(); /* of sections */
	const empty = el('p', { class: 'empty' }, words.noMatch);
	const node = el('div', { class: 'sections' });
	let shown = [];

	function panelOf(metric, kept) {
		const known = panels.get(metric.id);
		kept.add(metric.id);
		if (!known || known.metric !== metric) {
			if (known) drop(metric.id);
			panels.set(metric.id, new SystemPanel(specOf(metric), page));
			seen(panels.get(metric.id));
		}
		return panels.get(metric.id).node;
	}

	function drop(id) {
		unseen(panels.get(id));
		panels.get(id).stop();
		panels.delete(id);
	}

	function devicesOf(metrics) {
		const devices = new Set(metrics.flatMap((metric) => metric.keys.map(({ device }) => device)).filter(Boolean));
		return devices.size > 0
			&& el('span', { class: 'count' }, words.across(devices.size, new Set(page.hosts.values()).size));
	}

	function fold(section, isOpen) {
		folded.set(section, !isOpen);
		render(shown);
		node.querySelector(`[data-fold="${section}"]`)?.focus();
	}

	function placeOf(section) {
		if (!places.has(section)) {
			const [head, body] = [el('header'), el('div', { class: 'panels' })];
			places.set(section, { head, body,
				node: el('section', { class: 'section', 'aria-label': words.sections[section] }, head) });
		}
		return places.get(section);
	}

	function sectionNode({ section, metrics }, kept) {
		const isOpen = folded.get(section)
			?? (page.look.search !== '' || (!CLOSED.includes(section) && metrics.length <= CLOSED_ABOVE));
		const place = placeOf(section);
		refill(place.head, el('h2', {},
			el('button', { class: 'fold', type: 'button', 'data-fold': section, 'aria-expanded': String(isOpen),
			onclick: () => fold(section, isOpen) },
			icon(isOpen ? 'down' : 'right'), words.sections[section])),
		el('span', { class: 'count' }, words.metrics(metrics.length)), devicesOf(metrics),
		!isOpen && el('span', { class: 'count' }, chartText.charts.closed));
		if (isOpen) arrange(place.body, metrics.map((metric) => panelOf(metric, kept)));
		return arrange(place.node, isOpen ? [place.head, place.body] : [place.head]);
	}

	function render(metrics) {
		shown = metrics;
		const kept = new Set();
		const nodes = sectionsOf(metrics).map((section) => sectionNode(section, kept));
		for (const id of [...panels.keys()]) if (!kept.has(id)) drop(id);
		arrange(node, nodes.length ? nodes : [empty]);
	}

	return { node, render, all: () => [...panels.values()], stop: () => [...panels.keys()].forEach(drop) };
}
