/* What one can do to the panels of a page; each is a change of the layout, which is undone. */

import { toast } from '../parts/controls.js';
import { later } from '../parts/later.js';
import { setQuery } from '../router.js';
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
	shareSection,
} from './layout.js';
import { titleOf } from './panel_sections.js';

const words = text.panels;
const tools = later(() => import('./late_tools.js'));

/* layout: the keeper; place: what panelOffers takes; keys(), sections(): what there is now. */
export function panelActions({ layout, page, place, keys, sections }) {
	const now = () => layout.layout();
	const move = (panel) => tools('moveByKeys', panel, { layout, sections, keys });

	function add() {
		tools('askPanels', { place, removed: now().removed.length, restore: () => layout.set(restorePanels(now())),
			add(specs) {
				const { layout: next, ids } = addPanels(now(), specs, keys());
				layout.set(next);
				document.querySelector(`[data-panel="${CSS.escape(ids[0])}"]`)?.focus();
				if (specs.every((spec) => !spec.keys.length)) page.full(ids[0]);
			} });
	}

	function askLegend() {
		tools('askLegend', { pattern: page.look.legend, place, isOfPage: true,
			onset: (pattern) => setQuery({ legend: pattern || null }, { replace: false }) });
	}

	function remove(panel) {
		layout.set(removePanel(now(), panel.id));
		toast(words.removed(panel.name), { label: words.undo, onpick: layout.undo });
	}

	function membersItem({ id, spec, page: { groups } }) {
		if (spec.kind !== 'line' || !groups.length) return [];
		const { show, hide } = text.groupMembers;
		const onpick = () => layout.set(changePanel(now(), id, { members: spec.members ? undefined : true }));
		return [{ label: spec.members ? hide : show, name: 'group', onpick }];
	}

	function rename(section) {
		tools('askSectionName', titleOf(section), (name) => layout.set(renameSection(now(), section.name, name)));
	}

	return {
		add, move, askLegend,
		moveTo: (id, place) => layout.set(movePanel(now(), keys(), id, place)),
		change: (id, part) => layout.set(changePanel(now(), id, part), `${id} ${Object.keys(part)}`),
		menuOf: (panel) => [
			...membersItem(panel),
			{ label: words.editPanel, onpick: () => page.full(panel.spec.id) },
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
			share: (name, isOn) => layout.set(shareSection(now(), name, isOn)),
			fold: (name, isOpen) => layout.set(foldSection(now(), name, isOpen)),
			move: (name, by) => layout.set(moveSection(now(), keys(), name, by)),
		},
	};
}
