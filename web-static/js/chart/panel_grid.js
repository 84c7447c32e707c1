/*
 * The charts of a page: sections of panels by the prefix of their key. Only panels near the screen ask and draw, a closed
 * section has none. How they are looked at stands in the address.
 */

import { apiPath } from '../address.js';
import { el, replace } from '../dom.js';
import { count } from '../format.js';
import { icon } from '../icons.js';
import { onKey } from '../keys.js';
import { onQuery, query, setQuery } from '../router.js';
import { text } from '../text.js';
import { LinePanel } from './line_panel.js';
import { lookOf, zoomText } from './look.js';
import { panelBar } from './panel_bar.js';
import { panelFull } from './panel_full.js';
import { FIRST_SHOWN, MORE_SHOWN, sectionsOf } from './sections.js';
import { seriesCache } from './series_cache.js';

const words = text.charts;
const caches = new Map(); /* by project: what was seen is there when one comes back */

function cacheOf(path) {
	if (!caches.has(path)) caches.clear(), caches.set(path, seriesCache(path));
	caches.get(path).age();
	return caches.get(path);
}

/* runs: [{id, name, slot, color}]; groups: [{name, members | filter, slot}]. Gives {node, update({runs, keys}), rowsCame(run, keys), stop()}. */
export function panelGrid({ entity, project, runs, keys, groups = [], bands = true, hasLegend = false }) {
	const panels = new Map();
	const folded = new Map(); /* by the name of a section: what somebody chose */
	const lengths = new Map();
	const page = {
		look: lookOf(query()), runs, groups, hasLegend, cache: cacheOf(apiPath(entity, project)), theme: themeNow(),
		zoomTo: (zoom) => setQuery({ zoom: zoomText(zoom, page.look.x) }),
		full: (key) => setQuery({ panel: key }, { replace: false }),
		clip: () => setQuery({ outliers: page.look.clip ? 'show' : null }),
		symlog: () => setQuery({ log: 'sym' }),
	};
	const bar = panelBar({ bands });
	const sections = el('div', { class: 'sections' });
	const scroller = el('div', { class: 'scroll', 'data-scroll': 'charts' }, sections);
	const full = panelFull(page, {
		keys: () => [...panels.keys()], shown: (key) => setQuery({ panel: key }),
		closed: () => setQuery({ panel: null }, { replace: false }),
	});
	const node = el('div', { class: 'charts' }, bar.node, scroller, full.node);
	const there = new ResizeObserver(() => {
		there.disconnect();
		showFull();
	});
	const near = new IntersectionObserver(seen, { root: scroller, rootMargin: '100% 0px' });
	const stops = [onQuery(changed), onTheme(), ...keysOf(), () => near.disconnect(), () => there.disconnect()];

	function all() {
		return full.panel() ? [...panels.values(), full.panel()] : [...panels.values()];
	}

	function seen(entries) {
		for (const { target, isIntersecting } of entries) {
			const panel = panels.get(target.dataset.key);
			if (panel?.node === target && panel.seen !== isIntersecting) panel[isIntersecting ? 'show' : 'hide']();
		}
	}

	function onTheme() {
		const repaint = () => {
			page.theme = themeNow();
			for (const panel of all()) panel.redraw();
		};
		addEventListener('theme', repaint);
		return () => removeEventListener('theme', repaint);
	}

	function keysOf() {
		const focused = () => document.activeElement?.closest?.('[data-key]')?.dataset.key;
		return [
			onKey('z', words.keys.zoom, () => page.zoomTo(null)), onKey('c', words.keys.clip, page.clip),
			onKey('l', words.keys.log, () => setQuery({ log: page.look.y === 'linear' ? 'y' : null })),
			onKey('+', words.keys.more, () => bar.smoothBy(1)), onKey('-', words.keys.less, () => bar.smoothBy(-1)),
			onKey('f', words.keys.full, () => focused() && page.full(focused())),
		];
	}

	/* ---- sections ---- */

	function panelOf(key) {
		if (!panels.has(key)) {
			const panel = new LinePanel(key, page);
			panel.node.dataset.key = key;
			panels.set(key, panel);
			near.observe(panel.node);
		}
		return panels.get(key).node;
	}

	function fold(section, isOpen) {
		folded.set(section.name, !isOpen);
		render();
	}

	function more(section, shown) {
		const left = section.keys.length - shown;
		if (left <= 0) return null;
		const next = Math.min(MORE_SHOWN, left);
		return el('button', { class: 'btn more', type: 'button', onclick: () => { lengths.set(section.name, shown + next); render(); } }, words.more(next));
	}

	function sectionNode(section, kept) {
		const isOpen = folded.get(section.name) ?? section.isOpen;
		const name = section.name || words.noPrefix;
		const shown = isOpen ? Math.min(section.keys.length, lengths.get(section.name) || FIRST_SHOWN) : 0;
		const drawn = section.keys.slice(0, shown);
		for (const key of drawn) kept.add(key);
		return el('section', { class: 'section', 'aria-label': name },
			el('header', {}, el('h2', {}, el('button', { class: 'fold', type: 'button', 'data-fold': section.name, 'aria-expanded': String(isOpen), onclick: () => fold(section, isOpen) },
				icon(isOpen ? 'down' : 'right'), name)), el('span', { class: 'count' }, words.count(count(section.keys.length))),
			!isOpen && el('span', { class: 'count' }, words.closed)),
			isOpen && el('div', { class: 'panels' }, drawn.map(panelOf)), isOpen && more(section, shown));
	}

	function render() {
		const kept = new Set();
		const list = sectionsOf(keys, page.look.search);
		const focused = document.activeElement?.dataset?.fold;
		const nodes = list.map((section) => sectionNode(section, kept));
		for (const [key, panel] of panels) if (!kept.has(key)) drop(key, panel);
		replace(sections, nodes.length ? nodes : el('p', { class: 'empty' }, keys.length ? words.noMatch : words.noKeys));
		if (focused !== undefined) sections.querySelector(`[data-fold="${CSS.escape(focused)}"]`)?.focus();
		bar.update(page.look, keys);
	}

	function drop(key, panel) {
		near.unobserve(panel.node);
		panel.stop();
		panels.delete(key);
	}

	/* ---- what changes ---- */

	function changed(now) {
		const before = page.look;
		page.look = lookOf(now);
		const { look } = page;
		if (look.search !== before.search) render();
		else bar.update(look, keys);
		if (look.panel !== before.panel) showFull();
		if (look.x !== before.x) for (const panel of all()) panel.ask();
		else if (String(look.zoom) !== String(before.zoom)) for (const panel of all()) panel.zoomed();
		else for (const panel of all()) panel.redraw();
	}

	function showFull() {
		if (page.look.panel !== null && keys.includes(page.look.panel)) full.show(page.look.panel);
		else full.close();
	}

	function update(next) {
		const isOther = next.runs && JSON.stringify(next.runs) !== JSON.stringify(page.runs);
		if (next.runs) page.runs = next.runs;
		if (next.groups) page.groups = next.groups;
		if (next.keys && String(next.keys) !== String(keys)) {
			keys = next.keys;
			render();
		}
		if (isOther || next.groups) for (const panel of all()) panel.ask();
	}

	/* Of these keys of a run something came; from: the least step of it, where it is known. */
	function rowsCame(run, came, from) {
		page.cache.age(run);
		for (const panel of all()) if (came.includes(panel.key)) panel.rowsCame(run, from);
	}

	function stop() {
		for (const one of stops) one();
		for (const [key, panel] of panels) drop(key, panel);
		full.close();
	}

	render();
	there.observe(node);
	return { node, update, rowsCame, stop };
}

function themeNow() {
	return document.documentElement.dataset.theme;
}
