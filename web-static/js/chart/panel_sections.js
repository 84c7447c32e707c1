/* The sections of panels as elements: what is open, how many are shown of a long one, and the menu of each. */

import { el, replace } from '../dom.js';
import { count } from '../format.js';
import { icon } from '../icons.js';
import { iconButton, menu } from '../parts/controls.js';
import { pressGuard } from '../parts/press_guard.js';
import { text } from '../text.js';
import { PINNED } from './layout.js';
import { FIRST_SHOWN, MORE_SHOWN } from './sections.js';

const words = text.panels;

export const titleOf = ({ name, title }) => title || (name === PINNED ? words.pinned : name) || text.charts.noPrefix;

/*
 * nodeOf(spec); fold(name, isOpen), rename(section), move(name, by); shown(specs): those that have elements. Gives
 * {node, update(sections, without)}.
 */
export function panelSections({ nodeOf, fold, rename, move, shown: tell }) {
	const node = el('div', { class: 'sections' });
	const lengths = new Map();
	const isPressed = pressGuard(node, () => isHeld && draw());
	let list = [];
	let empty = '';
	let isHeld = false;

	function more({ name, panels }, shown) {
		const next = Math.min(MORE_SHOWN, panels.length - shown);
		if (next <= 0) return null;
		return el('button', { class: 'btn more', type: 'button', onclick: () => {
			lengths.set(name, shown + next);
			draw();
		} }, text.charts.more(next));
	}

	function menuOf(section) {
		const why = section.name === PINNED ? words.staysFirst : undefined;
		return menu(iconButton('more', words.sectionMenu(titleOf(section)), { class: 'ibtn small' }), () => [
			{ label: words.rename, onpick: () => rename(section) },
			{ label: words.up, why, onpick: () => move(section.name, -1) },
			{ label: words.down, why, onpick: () => move(section.name, 1) }]);
	}

	const shownOf = ({ name, panels, isOpen }) => isOpen ? panels.slice(0, lengths.get(name) || FIRST_SHOWN) : [];

	function sectionNode(section) {
		const { name, panels, isOpen } = section;
		const shown = shownOf(section);
		return el(
			'section',
			{ class: 'section', 'aria-label': titleOf(section), 'data-section': name },
			el(
				'header',
				{},
				el(
					'h2',
					{},
					el(
						'button',
						{
							class: 'fold',
							type: 'button',
							'data-fold': name,
							'aria-expanded': String(isOpen),
							onclick: () => fold(name, !isOpen),
						},
						icon(isOpen ? 'down' : 'right'),
						titleOf(section),
					),
				),
				el('span', { class: 'count' }, words.count(count(panels.length))),
				!isOpen && el('span', { class: 'count' }, text.charts.closed),
				el('span', { class: 'grow' }),
				menuOf(section),
			),
			isOpen && el('div', { class: 'panels' }, shown.map(nodeOf)),
			isOpen && more(section, shown.length),
		);
	}

	/* Elements are put in order anew, and what had the focus has it again. */
	function draw() {
		isHeld = isPressed();
		if (isHeld) return; /* a panel that is dragged, or a button, would be taken away from under the pointer */
		const focused = document.activeElement;
		const within = node.contains(focused);
		const name = within && focused.closest('[data-section]')?.dataset.section;
		replace(node, list.length ? list.map(sectionNode) : el('p', { class: 'empty' }, empty));
		if (within && focused.isConnected) focused.focus({ preventScroll: true });
		else if (name !== undefined && within) node.querySelector(`[data-fold="${CSS.escape(name)}"]`)?.focus();
		tell(list.flatMap(shownOf));
	}

	return {
		node,
		/* without: what is said when there is none. */
		update(sections, without) {
			list = sections;
			empty = without;
			draw();
		},
	};
}
