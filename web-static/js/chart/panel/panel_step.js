/* A panel one step further: another place or another size. Pure. */

import { heldHeight, heldWidth, PINNED } from './layout.js';
import { changePanel, movePanel } from './layout_changes.js';

const HEIGHT = 40;

/* Returns the place of a panel: {section, ids, at} among the sections that are arranged. */
export function placeOf(sections, id) {
	const section = sections.findIndex(({ panels }) => panels.some((spec) => spec.id === id));
	const ids = (sections[section]?.panels || []).map((spec) => spec.id);
	return { section, ids, at: ids.indexOf(id) };
}

/* One place along: left and right in the section and over its ends, up and down to the section before and after. */
export function stepped(layout, keys, sections, id, [along, down]) {
	const { section, ids, at } = placeOf(sections, id);
	const next = at + along;
	if (section < 0) return layout;
	if (!down && next >= 0 && next < ids.length) {
		return movePanel(layout, keys, id, {
			section: sections[section].name,
			before: along < 0 ? ids[next] : (ids[next + 1] ?? null),
		});
	}
	const other = sections[section + (down || along)];
	if (!other)
		return section === 0 && (down || along) < 0 && sections[0].name !== PINNED
			? movePanel(layout, keys, id, { section: PINNED })
			: layout;
	return movePanel(layout, keys, id, {
		section: other.name,
		before: along > 0 ? (other.panels[0]?.id ?? null) : null,
	});
}

/* size: {w, h} as it is seen. */
export function sized(layout, id, { w, h }, [along, down]) {
	return changePanel(layout, id, along ? { w: heldWidth(w + along) } : { h: heldHeight(h + down * HEIGHT) });
}
