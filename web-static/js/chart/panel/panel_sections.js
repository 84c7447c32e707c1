/* The sections of panels as elements: what is open, how many are shown of a long one, and the menu of each. */

import { arrange, el, renew } from '../../base/dom.js';
import { count } from '../../base/format.js';
import { visible } from '../../base/visible.js';
import { placeOf } from '../../router.js';
import { text } from '../../text/chart.js';
import { iconButton, menu } from '../../ui/controls.js';
import { icon } from '../../ui/icons.js';
import { pressGuard } from '../../ui/press_guard.js';
import { kindOf } from './kinds.js';
import { PROGRESS } from './key_rank.js';
import { PINNED } from './layout.js';
import { setFill } from './panel_drag.js';
import { rowWidths } from './panel_rows.js';
import { FIRST_SHOWN, MORE_SHOWN } from './sections.js';

const words = text.panels;
const FIRST = 12; /* panels and heads that the first frame makes: they fill most screens */
const SLICE = 6; /* that each frame after it makes, which draws panels, too */

const TITLES = { [PINNED]: words.pinned, [PROGRESS]: words.progress, '': text.charts.noPrefix };

export const titleOf = ({ name, title }) => title || (Object.hasOwn(TITLES, name) ? TITLES[name] : name);

/*
 * nodeOf(spec); fold(name, isOpen), rename(section), share(name, isOn), move(name, by); shown(specs): those that have
 * elements, or will have them in a few frames; showEmpty(isOn): with the panels that have no values. Gives {node,
 * update(sections, {without, bare}), stop}.
 */
export function panelSections({ nodeOf, fold, rename, share, move, shown: tell, showEmpty }) {
	const node = el('div', { class: 'sections' });
	const made = new Map(); /* by name: {node, head, panels, more, essence} */
	const lengths = new Map();
	const isPressed = pressGuard(node, () => isHeld && draw());
	let list = [];
	let empty = '';
	let foot = null; /* about panels without values */
	let isHeld = false;
	let frame = 0;

	const lengthOf = (name) => lengths.get(name) || FIRST_SHOWN;
	const shownOf = ({ name, panels, isOpen }) => isOpen ? panels.slice(0, lengthOf(name)) : [];

	function moreOf({ name, panels }) {
		const next = Math.min(MORE_SHOWN, panels.length - lengthOf(name));
		if (next <= 0) return null;
		return el('button', { class: 'btn more', type: 'button', onclick: () => {
			lengths.set(name, lengthOf(name) + MORE_SHOWN);
			draw();
		} }, text.charts.more(next));
	}

	function menuOf(section) {
		const why = section.name === PINNED ? words.staysFirst : undefined;
		return menu(iconButton('more', words.sectionMenu(titleOf(section)), { class: 'ibtn small' }), () => [
			{ label: words.rename, onpick: () => rename(section) },
			{ label: section.sameY ? words.ownY : words.sameY, onpick: () => share(section.name, !section.sameY) },
			{ label: words.up, why, onpick: () => move(section.name, -1) },
			{ label: words.down, why, onpick: () => move(section.name, 1) }]);
	}

	function headOf(section) {
		const { name, panels, isOpen } = section;
		const button = el('button', { class: 'fold', type: 'button', 'data-fold': name, 'aria-expanded': String(isOpen),
			onclick: () => fold(name, !isOpen) }, icon(isOpen ? 'down' : 'right'), titleOf(section));
		return el('header', {}, el('h2', {}, button), el('span', { class: 'count' }, words.count(count(panels.length))),
			section.hidden > 0 && el('button', { class: 'link', type: 'button', title: words.hiddenHow(section.hidden),
				onclick: () => showEmpty(true) }, words.hidden(count(section.hidden))),
			!isOpen && el('span', { class: 'count' }, text.charts.closed), el('span', { class: 'grow' }), menuOf(section));
	}

	/* Replaces a head only if its content changed; a head whose menu is open is replaced after the menu closes. */
	function drawHead(one, section) {
		const essence = JSON.stringify([titleOf(section), section.isOpen, section.sameY, section.panels.length, section.hidden]);
		if (one.essence === essence) return;
		const next = headOf(section);
		one.head = one.head ? renew(one.head, next) : next;
		if (one.head === next) one.essence = essence;
		one.node.setAttribute('aria-label', visible(titleOf(section)));
	}

	function drawMore(one, section) {
		const next = section.isOpen ? moreOf(section) : null;
		one.more = one.more && next ? renew(one.more, next) : next;
	}

	/* Panels without a width of their own fill their rows. */
	function nodesOf(specs) {
		const widths = rowWidths(specs.map((spec) => Boolean(kindOf(spec).isWide) && spec.w === undefined));
		return specs.map((spec, at) => {
			const panel = nodeOf(spec);
			setFill(panel, widths[at]);
			return panel;
		});
	}

	function footOf(hidden, bare) {
		const button = (word, isOn) => el('button', { class: 'link', type: 'button', onclick: () => showEmpty(isOn) }, word);
		if (hidden) return el('p', { class: 'bare-panels' }, words.hiddenFoot(hidden), ' ', button(words.showHidden, true));
		return bare ? el('p', { class: 'bare-panels' }, words.bareFoot(bare), ' ', button(words.hide, false)) : null;
	}

	function sectionNode(section) {
		const { name, isOpen } = section;
		if (!made.has(name)) {
			made.set(name, { node: el('section', { class: 'section', 'data-section': name }),
				panels: el('div', { class: 'panels' }) });
		}
		const one = made.get(name);
		drawHead(one, section);
		drawMore(one, section);
		arrange(one.panels, nodesOf(shownOf(section)));
		return arrange(one.node, [one.head, isOpen && one.panels, one.more].filter(Boolean));
	}

	/*
	 * Returns the sections that exist, and as many of the others as a frame has room for: all of them if the user comes
	 * back to a place among them.
	 */
	function ready() {
		let room = placeOf('charts') ? Infinity : made.size ? SLICE : FIRST;
		return list.filter((section) => {
			if (made.has(section.name)) return true;
			if (room <= 0) return false;
			room -= 1 + shownOf(section).length;
			return true;
		});
	}

	function forgetOthers() {
		const names = new Set(list.map(({ name }) => name));
		for (const name of made.keys()) if (!names.has(name)) made.delete(name);
	}

	/* Adds further sections in the next frames, behind the existing ones, which are not updated again. */
	function drawRest() {
		isHeld = isPressed();
		if (isHeld) return;
		const standing = made.size;
		const sections = ready();
		const isBehind = sections.slice(0, standing).every(({ name }) => made.has(name));
		if (!isBehind) return draw();
		const next = sections.slice(standing).map(sectionNode);
		if (foot) foot.before(...next);
		else node.append(...next);
		frame = sections.length < list.length ? requestAnimationFrame(drawRest) : 0;
	}

	/* Puts the elements in order. The element with the focus keeps it. */
	function draw() {
		isHeld = isPressed();
		if (isHeld) return; /* a panel that is dragged, or a button, would be taken away from under the pointer */
		const focused = document.activeElement;
		const within = node.contains(focused);
		const name = within && focused.closest('[data-section]')?.dataset.section;
		cancelAnimationFrame(frame);
		forgetOthers();
		const sections = ready();
		frame = sections.length < list.length ? requestAnimationFrame(drawRest) : 0;
		arrange(node, [...list.length ? sections.map(sectionNode) : [el('p', { class: 'empty' }, empty)], foot].filter(Boolean));
		if (within && focused.isConnected) focused.focus({ preventScroll: true });
		else if (name !== undefined && within) node.querySelector(`[data-fold="${CSS.escape(name)}"]`)?.focus();
		tell(list.flatMap(shownOf));
	}

	node.addEventListener('menu-closed', () => setTimeout(draw));

	return {
		node,
		/* without: the text if there are no panels; bare: number of panels that are shown without values. */
		update(sections, { without, bare }) {
			list = sections.filter(({ panels }) => panels.length);
			const hidden = sections.reduce((sum, section) => sum + (section.hidden ?? 0), 0);
			const next = footOf(hidden, bare);
			foot = foot && next ? renew(foot, next) : next;
			empty = hidden ? text.charts.nothing : without;
			draw();
		},
		stop() {
			list = [];
			cancelAnimationFrame(frame);
		},
	};
}
