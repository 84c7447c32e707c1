/* Actions on the panels of a page, loaded at the first one (panel_actions.js); each changes the layout. */

import { el, field } from '../../base/dom.js';
import { setQuery } from '../../router.js';
import { text } from '../../text/panels.js';
import { formDialog } from '../../ui/form_dialog.js';
import { toast } from '../../ui/toast.js';
import {
	addPanels, changePanel, movePanel, moveSection, pinPanel, removePanel, renameSection, restorePanels,
	shareSection,
} from './layout_changes.js';
import { askLegend } from './legend_dialog.js';
import { pickKey } from './one_key.js';
import { askPanels } from './panel_add.js';
import { moveByKeys } from './panel_moving.js';
import { titleOf } from './panel_sections.js';

const words = text.panels;

function askSectionName(title, onname) {
	const input = el('input', { id: 'section-title', value: title, maxlength: 128, autocomplete: 'off' });
	formDialog(words.renameHead, field(words.sectionTitle, input), { onsend: () => onname(input.value.trim()) });
	input.select();
}

const ACTIONS = {
	add({ layout, page, place, keys }) {
		askPanels({ place, removed: layout.layout().removed.length,
			restore: () => layout.set(restorePanels(layout.layout())),
			add(specs) {
				const { layout: next, ids } = addPanels(layout.layout(), specs, keys());
				layout.set(next);
				document.querySelector(`[data-panel="${CSS.escape(ids[0])}"]`)?.focus();
				if (specs.every((spec) => !spec.keys.length)) page.full(ids[0]);
			} });
	},
	askLegend({ page, place }) {
		askLegend({ pattern: page.look.legend, place, isOfPage: true,
			onset: (pattern) => setQuery({ legend: pattern || null }, { replace: false }) });
	},
	pickKey: (of, keys, onpick) => pickKey(keys, onpick),
	rename({ layout }, section) {
		askSectionName(titleOf(section), (name) => layout.set(renameSection(layout.layout(), section.name, name)));
	},
	remove({ layout }, { id, name }) {
		layout.set(removePanel(layout.layout(), id));
		toast(words.removed(name), { label: words.undo, onpick: layout.undo, of: layout });
	},
	moveTo: ({ layout, keys }, id, place) => layout.set(movePanel(layout.layout(), keys(), id, place)),
	change: ({ layout }, id, part) => layout.set(changePanel(layout.layout(), id, part), `${id} ${Object.keys(part)}`),
	members: ({ layout }, id, on) => layout.set(changePanel(layout.layout(), id, { members: on || undefined })),
	moveByKeys: (of, panel) => moveByKeys(panel, of),
	pin: ({ layout, keys }, { id }) => layout.set(pinPanel(layout.layout(), keys(), id)),
	share: ({ layout }, name, isOn) => layout.set(shareSection(layout.layout(), name, isOn)),
	move: ({ layout, keys, page }, name, by) => layout.set(moveSection(layout.layout(), keys(), name, by, page.isHidden)),
};

/* of: what panelActions was given. What comes when its page was left is not done on the next. */
export const act = (name, of, ...what) => of.layout.isStopped() ? undefined : ACTIONS[name](of, ...what);
