/* What one can do to the panels of a page; each is a change of the layout, which is undone. */

import { el, field } from '../dom.js';
import { toast } from '../parts/controls.js';
import { ask } from '../parts/run_dialogs.js';
import { text } from '../text.js';
import {
	addPanels,
	changePanel,
	foldSection,
	isPinned,
	movePanel,
	moveSection,
	pinPanel,
	removePanel,
	renameSection,
	restorePanels,
} from './layout.js';
import { askPanels } from './panel_add.js';
import { panelMoving } from './panel_moving.js';
import { titleOf } from './panel_sections.js';

const words = text.panels;

/* layout: the keeper; offers: panel_offers.js; keys(), sections(): what there is now. */
export function panelActions({ layout, page, offers, keys, sections }) {
	const now = () => layout.layout();
	const move = panelMoving({ layout, sections, keys });

	function add() {
		askPanels({ offers, removed: now().removed.length, restore: () => layout.set(restorePanels(now())),
			add(specs) {
				const { layout: next, ids } = addPanels(now(), specs, keys());
				layout.set(next);
				document.querySelector(`[data-panel="${CSS.escape(ids[0])}"]`)?.focus();
				if (specs.every((spec) => !spec.keys.length)) page.full(ids[0]);
			} });
	}

	function remove(panel) {
		layout.set(removePanel(now(), panel.id));
		toast(words.removed(panel.name), { label: words.undo, onpick: layout.undo });
	}

	function rename(section) {
		const title = el('input', {
			id: 'section-title',
			value: titleOf(section),
			maxlength: 128,
			autocomplete: 'off',
		});
		ask(words.renameHead, field(words.sectionTitle, title), {
			onsend: () => layout.set(renameSection(now(), section.name, title.value.trim())),
		});
		title.select();
	}

	return {
		add, move,
		moveTo: (id, place) => layout.set(movePanel(now(), keys(), id, place)),
		change: (id, part) => layout.set(changePanel(now(), id, part), `${id} ${Object.keys(part)}`),
		menuOf: (panel) => [
			{ label: words.editPanel, onpick: () => page.full(panel.id) },
			{
				label: isPinned(now(), panel.id) ? words.unpin : words.pin,
				name: 'pin',
				onpick: () => layout.set(pinPanel(now(), keys(), panel.id)),
			},
			{
				label: words.moveByKeys,
				key: 'm',
				onpick: () => {
					panel.node.focus();
					move(panel);
				},
			},
			{ label: words.remove, isDanger: true, onpick: () => remove(panel) },
		],
		ofSections: {
			rename,
			fold: (name, isOpen) => layout.set(foldSection(now(), name, isOpen)),
			move: (name, by) => layout.set(moveSection(now(), keys(), name, by)),
		},
	};
}
