/* Changes to the layout of panels (layout.js). Pure; each returns another layout. */

import { PINNED, arranged, checkedSpec, isOwn, withSection } from './layout.js';
import { sectionOf } from './key_rank.js';

function without(layout, id) {
	const sections = Object.fromEntries(Object.entries(layout.sections).map(([name, section]) => [name,
		section.panels?.includes(id) ? { ...section, panels: section.panels.filter((one) => one !== id) } : section]));
	return { ...layout, sections };
}

function freeId(layout, keys) {
	for (let n = 1; ; n++) if (!Object.hasOwn(layout.panels, `:${n}`) && !keys.includes(`:${n}`)) return `:${n}`;
}

/* At the end of the first section. A panel of one key that was taken away is back instead. {layout, ids} */
export function addPanels(layout, specs, keys) {
	const ids = [];
	let next = layout;
	for (const spec of specs) {
		const [key] = spec.keys;
		const isBack =
			(spec.kind || 'line') === 'line' &&
			spec.keys.length === 1 &&
			next.removed.includes(key) &&
			keys.includes(key);
		const id = isBack ? key : freeId(next, keys);
		if (isBack) next = { ...next, removed: next.removed.filter((one) => one !== key) };
		else next = { ...next, panels: { ...next.panels, [id]: spec } };
		next = withSection(next, PINNED, {
			panels: [...(next.sections[PINNED]?.panels || []).filter((one) => one !== id), id],
		});
		ids.push(id);
	}
	return { layout: next, ids };
}

/* undefined takes a word away; what an automatic panel is anyway is not written. */
export function changePanel(layout, id, change) {
	const spec = checkedSpec({ ...layout.panels[id], ...change });
	if (!isOwn(id) && spec.keys?.length === 1 && spec.keys[0] === id) delete spec.keys;
	if (isOwn(id) && spec.kind === 'line') delete spec.kind;
	if (spec.title === '') delete spec.title;
	return { ...layout, panels: { ...layout.panels, [id]: spec } };
}

export function removePanel(layout, id) {
	const panels = Object.fromEntries(Object.entries(layout.panels).filter(([one]) => one !== id));
	const next = { ...without(layout, id), panels };
	return isOwn(id) ? next : { ...next, removed: [...next.removed, id] };
}

/* The panels taken away are back. */
export const restorePanels = (layout) => ({ ...layout, removed: [] });

/* Puts a panel into a section, before the panel `before`, or at its end. */
export function movePanel(layout, keys, id, { section, before = null }) {
	if (before === id) return layout;
	const next = without(layout, id);
	const there = (arranged(next, keys).find(({ name }) => name === section)?.panels || [])
		.map((spec) => spec.id)
		.filter((one) => one !== id);
	const at = before === null || !there.includes(before) ? there.length : there.indexOf(before);
	const listed = next.sections[section]?.panels || [];
	const kept = there.slice(0, Math.max(at, listed.filter((one) => there.includes(one)).length));
	return withSection(next, section, { panels: [...kept.slice(0, at), id, ...kept.slice(at)] });
}

/* To the first section, or back to where its key belongs; one that was added has no such place and goes to the end. */
export function pinPanel(layout, keys, id) {
	const isPinned = layout.sections[PINNED]?.panels?.includes(id);
	if (!isPinned) return movePanel(layout, keys, id, { section: PINNED });
	return isOwn(id)
		? movePanel(layout, keys, id, { section: sectionOf(layout.panels[id].keys?.[0] || '') })
		: without(layout, id);
}

export const renameSection = (layout, name, title) => withSection(layout, name, { title: title || undefined });

/* Panels of lines of a section have one y axis, or each its own. */
export const shareSection = (layout, name, on) => withSection(layout, name, { sameY: on || undefined });

/* One place up (-1) or down (1) among the sections that have panels; isHidden: as of arranged(). */
export function moveSection(layout, keys, name, by, isHidden) {
	const names = arranged(layout, keys, { isHidden }).filter(({ panels }) => panels.length).map((section) => section.name);
	const at = names.indexOf(name);
	const to = at + by;
	if (name === PINNED || at < 0 || to < 0 || to >= names.length || names[to] === PINNED) return layout;
	names.splice(at, 1);
	names.splice(to, 0, name);
	return { ...layout, order: names.slice(0, Math.max(at, to) + 1).filter((one) => one !== PINNED) };
}
