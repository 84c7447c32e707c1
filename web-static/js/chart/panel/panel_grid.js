/*
 * The charts of a page: panels in sections, laid out as the address and the hand that wrote it say (layout.js). Only
 * panels near the screen ask and draw, a closed section has none. How they are looked at stands in the address, too.
 */

import { apiPath } from '../../address.js';
import { el, themeNow } from '../../base/dom.js';
import { onKey } from '../../base/keys.js';
import { onQuery, query, setQuery } from '../../router.js';
import { text } from '../../text/chart.js';
import { lazyModule } from '../../ui/lazy_module.js';
import { seriesCache } from '../data/series_cache.js';
import { isMadeFor, makePanel } from './kinds.js';
import { arranged } from './layout.js';
import { layoutKeeper } from './layout_keeper.js';
import { isAskedAnew, logName, lookOf } from './look.js';
import { panelActions } from './panel_actions.js';
import { panelBar } from './panel_bar.js';
import { corner, panelDrag, setSize } from './panel_drag.js';
import { panelSections } from './panel_sections.js';
import { sharedRanges } from './shared_range.js';
import { zoomText } from './zoom.js';

const words = text.charts;
const tools = lazyModule(() => import('./panel_full.js'));
const caches = new Map(); /* by project: what was seen is there when one comes back */

function cacheOf(path) {
	if (!caches.has(path)) caches.clear(), caches.set(path, seriesCache(path));
	caches.get(path).age();
	return caches.get(path);
}

/*
 * runs: [{id, name, slot, color, labelSlot: what tells that of a label, if anything does}]; keys, kinds: as of panel_keys.js; groups: [{name, members | filter, slot}]; scope:
 * {filter, group} of a list, null until it says so, nothing where there is no list; facets: {facetted, inFew, isWithin} of
 * facets.js where groups can have them; events(page, changed): what happened to the runs, as of events.js; pick(run): a
 * line was clicked; filter(text): what runs are to match, too. Gives {node, update({runs, keys, defined, valued}), redraw(),
 * rowsCame(run, from), fieldsChanged(): values of runs may have changed, age(run), stop()}; defined: as of key_definitions.js;
 * valued: keys of which the shown runs have values, null if that is not known.
 */
export function panelGrid({
	entity,
	project,
	runs,
	keys,
	kinds = {},
	groups = [],
	scope,
	facets,
	events,
	bands = true,
	hasLegend = false,
	pick,
	filter,
}) {
	const panels = new Map();
	let names = null; /* of lines by a pattern */
	let full = null; /* the panel over the page, since the first was */
	let isStopped = false;
	let defined = null; /* of key_definitions.js, where runs have some */
	let valued = null; /* keys of which the shown runs have values, as far as that is known */
	let sorted = []; /* sections as they are laid out */
	let list = []; /* as they are shown */
	const path = apiPath(entity, project);
	const page = {
		entity, project, look: lookOf(query()), runs, groups, scope, facets, hasLegend, theme: themeNow(), path,
		cache: cacheOf(path),
		zoomTo: (zoom) => setQuery({ zoom: zoomText(zoom, page.look.x) }),
		change: ({ id }, part) => actions.change(id, part),
		full(id) {
			tools.anew();
			setQuery({ panel: id }, { replace: false });
		},
		clip: () => setQuery({ outliers: page.look.clip ? 'show' : null }, { replace: false }),
		symlog: ({ id, spec }) => spec.y ? actions.change(id, { y: 'sym' }) : logY('sym'),
		pick,
		filter,
		isHidden: (id) => Boolean(valued) && !page.look.empty && !valued.has(id),
		menu: (panel) => actions.menuOf(panel),
		came: () => render(),
		shared: sharedRanges((name) => all().forEach((panel) => panel.sharedName === name && panel.redraw())),
		xOf: (of) => defined?.xOf(of, keys),
		named: (lines, pattern) => names ? names.named(lines, pattern) : (loadNames(), lines),
	};
	if (events) page.events = events(page, redraw);
	const layout = layoutKeeper(path, () => render());
	const place = [{ entity, project }, () => ({ keys, kinds })]; /* for panelOffers */
	const actions = panelActions({ layout, page, place, keys: panelKeys, sections: () => sorted.filter(({ panels }) => panels.length) });
	const bar = panelBar({ bands, events: page.events, add: actions.add, legend: actions.askLegend, another: actions.pickKey,
		writers: () => page.runs.length === 1 ? page.runs[0].writers?.() : 0 });
	const sections = panelSections({ nodeOf, ...actions.ofSections, shown: dropOthers,
		showEmpty: (isOn) => setQuery({ empty: isOn ? 'show' : null }, { replace: false }) });
	const scroller = el('div', { class: 'scroll', 'data-scroll': 'charts' }, sections.node);
	const node = el('div', { class: 'charts' }, bar.node, scroller);
	const there = new ResizeObserver(() => {
		if (!node.isConnected) return; /* it is called before the node is connected, too */
		there.disconnect();
		showFull();
	});
	const near = new IntersectionObserver(seen, { root: scroller, rootMargin: '100% 0px' });
	const stops = [
		onQuery(changed),
		onTheme(),
		...keysOf(),
		layout.stop,
		sections.stop,
		() => near.disconnect(),
		() => there.disconnect(),
	];

	/* Only numbers can be an x axis. */
	const showBar = () => bar.update(page.look, keys.filter((key) => !kinds[key]), defined);

	async function loadNames() {
		const made = await import('./legend_names.js').catch(() => null);
		if (!made || names || isStopped) return;
		names = made.legendNames(page, redraw);
		redraw();
	}

	const facetted = (all) => facets ? facets.facetted(all, page) : all;

	function redraw() {
		for (const panel of all()) panel.redraw();
	}

	function logY(y) {
		setQuery({ log: logName({ ...page.look, y }) }, { replace: false });
	}

	function all() {
		return full?.panel() ? [...panels.values(), full.panel()] : [...panels.values()];
	}

	function seen(entries) {
		for (const { target, isIntersecting } of entries) {
			const panel = panels.get(target.dataset.panel);
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
		/* Acts on the panel that has the focus, otherwise on the one under the pointer. */
		const focused = (does) => () => {
			const node = document.activeElement?.closest?.('[data-panel]') ?? document.querySelector('[data-panel]:hover');
			const panel = panels.get(node?.dataset.panel);
			if (panel) does(panel);
		};
		return [
			onKey('z', words.keys.zoom, () => all().forEach((panel) => panel.zoomTo(null))),
			onKey('c', words.keys.clip, page.clip),
			onKey('l', words.keys.log, () => logY(page.look.y === 'linear' ? 'log' : 'linear')),
			onKey('+', words.keys.more, () => bar.smoothBy(1)),
			onKey('-', words.keys.less, () => bar.smoothBy(-1)),
			onKey(
				'f',
				words.keys.full,
				focused((panel) => page.full(panel.spec.id)),
			),
			onKey('m', words.keys.move, focused(actions.move)),
			onKey('p', words.keys.add, actions.add),
			onKey('Ctrl Z', words.keys.undo, layout.undo),
		];
	}

	/* ---- sections ---- */

	function made(spec) {
		const panel = makePanel(spec, page);
		panel.node.dataset.panel = spec.id;
		panel.node.append(corner());
		panels.set(spec.id, panel);
		near.observe(panel.node);
		return panel;
	}

	function nodeOf(spec) {
		const before = panels.get(spec.id);
		if (before && !isMadeFor(before, spec)) drop(spec.id, before);
		const panel = panels.get(spec.id) || made(spec);
		if (JSON.stringify(panel.spec) !== JSON.stringify(spec)) panel.become(spec);
		setSize(panel.node, spec);
		return panel.node;
	}

	function dropOthers(shown) {
		const kept = new Set(shown.map((spec) => spec.id));
		for (const [id, panel] of panels) if (!kept.has(id)) drop(id, panel);
	}

	/* A search finds those, too, that have no panel by themselves. */
	function panelKeys() {
		return defined && !page.look.search ? defined.shown(keys, layout.layout()) : keys;
	}

	const arrange = (more) => arranged(layout.layout(), panelKeys(), { search: page.look.search, kinds, ...more });

	/* Draws the panels. If the panel with the focus was replaced, the new one gets the focus. */
	function render() {
		const focused = document.activeElement?.dataset.panel;
		sorted = arrange({ isHidden: page.isHidden });
		list = facetted(sorted);
		sections.update(list, { without: keys.length ? words.noMatch : words.noKeys,
			bare: page.look.empty && valued && !page.look.search ? panelKeys().filter((key) => !valued.has(key)).length : 0 });
		if (focused !== undefined && document.activeElement?.dataset.panel !== focused) 
			panels.get(focused)?.node.focus({ preventScroll: true });
		showBar();
		full?.update();
	}

	function drop(id, panel) {
		near.unobserve(panel.node);
		panel.stop();
		panels.delete(id);
		page.shared.leave(id);
	}

	/* ---- what changes ---- */

	function changed(now) {
		const before = page.look;
		page.look = lookOf(now);
		const { look } = page;
		if (look.search !== before.search || look.empty !== before.empty) render();
		else showBar();
		if (look.panel !== before.panel) showFull();
		if (isAskedAnew(look, before)) for (const panel of all()) panel.ask();
		else if (String(look.zoom) !== String(before.zoom)) for (const panel of all()) panel.zoomed();
		else for (const panel of all()) panel.redraw();
	}

	function makeFull({ panelFull }) {
		const made = panelFull(page, {
			specs: () => facetted(arrange()).flatMap((section) => section.panels), place, shown: (id) => setQuery({ panel: id }),
			change: actions.change, closed: () => setQuery({ panel: null }, { replace: false }),
		});
		node.append(made.node);
		return made;
	}

	function showFull() {
		if (!node.isConnected) return; /* it is shown when the page stands */
		const { panel } = page.look;
		const part = panel === null ? null : tools.there(showFull);
		if (part) full ||= makeFull(part);
		if (panel === null || (full && !full.show(panel))) full?.close();
	}

	/* Other keys, or definitions of them, by which panels may lie along another x. */
	function know(next) {
		const before = new Map(all().map((panel) => [panel, panel.look.x]));
		({ keys, kinds, defined } = { keys, kinds, defined, ...next });
		render();
		for (const [panel, x] of before) {
			if (panel.look.x === x) continue;
			panel.ownZoom = null;
			panel.ask();
		}
	}

	function update(next) {
		const isOther = ['runs', 'groups',
			'scope'].some((name) => next[name] && JSON.stringify(next[name]) !== JSON.stringify(page[name]));
		if (next.runs) page.runs = next.runs;
		if (next.groups) page.groups = next.groups;
		if (next.scope) page.scope = next.scope;
		const isOtherValued = next.valued !== undefined
			&& JSON.stringify(next.valued) !== JSON.stringify(valued && [...valued]);
		if (next.valued !== undefined) valued = next.valued && new Set(next.valued);
		if (next.defined || (next.keys && String(next.keys) !== String(keys))) know(next);
		else if (isOtherValued) render();
		if (isOther && namesOf(facetted(sorted)) !== namesOf(list)) render();
		if (page.look.panel !== null && !full?.panel()) showFull();
		if (isOther) for (const panel of all()) panel.ask();
	}

	/* Rows of a run came; from: the least step of them, where it is known. */
	function rowsCame(run, from) {
		if (!page.groups.length && !page.runs.some(({ id }) => id === run)) return;
		page.cache.age(run);
		page.events?.rowsCame();
		names?.soon();
		for (const panel of all()) panel.rowsCame(run, from);
	}

	function stop() {
		isStopped = true;
		names?.stop();
		for (const one of stops) one();
		for (const [id, panel] of panels) drop(id, panel);
		full?.close();
	}

	const baseOf = (id) => panels.get(id)?.id ?? id;
	panelDrag(sections.node, {
		scroller,
		move: (id, to) => actions.moveTo(baseOf(id), { ...to, before: baseOf(to.before) }),
		resize: (id, part) => actions.change(baseOf(id), part),
	});
	render();
	there.observe(node);
	return { node, update, redraw, showsMarks: showBar, rowsCame, fieldsChanged: () => names?.soon(), age: page.cache.age, stop };
}

const namesOf = (sections) => JSON.stringify(sections.map(({ panels }) => panels.map(({ id }) => id)));
