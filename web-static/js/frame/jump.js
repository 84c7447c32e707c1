/* The box that finds projects, runs, metrics, labels, pages and things to do (Ctrl K). */

import { el, replace } from '../base/dom.js';
import { go } from '../router.js';
import { text } from '../text/frame.js';
import { field } from '../ui/controls.js';
import { dialog } from '../ui/dialog.js';
import { best, namedFirst } from '../ui/fuzzy.js';
import { icon } from '../ui/icons.js';
import { pressGuard } from '../ui/press_guard.js';
import { ownPlaces } from './jump_places.js';
import { foundRuns, knownKeys, knownLabels, knownProjects } from './jump_sources.js';

const words = text.jump;
const WAIT_MS = 120;
const SHOWN = 8;

function option(item, index, isChosen) {
	return el('div', { role: 'option', id: `jump-${index}`, 'aria-selected': String(isChosen) },
		icon(item.name), el('span', { class: 'grow clip' }, item.label), el('span', { class: 'kind' }, item.kind));
}

/* of: what ownPlaces takes. */
export function openJump(of) {
	const { address } = of;
	const own = ownPlaces(of); /* [{kind, label, name (of an icon), href or onpick}] */
	const list = el('div', { class: 'jump-list', role: 'listbox', id: 'jump-list', 'aria-label': words.found });
	const input = field('search', words.label, { look: 'grow', role: 'combobox', 'aria-expanded': 'true',
		'aria-controls': 'jump-list', 'aria-autocomplete': 'list', oninput: () => later(), onkeydown: press });
	const box = dialog(words.head, [input, list], { isTitled: false, onclose: () => stop() });
	let items = [];
	let chosen = 0;
	let timer = 0;
	let isBehind = false; /* what is shown was found by the text before */
	let isWaitedFor = false;
	let search = new AbortController();

	const isPressed = pressGuard(list, draw);

	/* Draws nothing while an option is being clicked, so that it is not replaced. */
	function draw() {
		if (isPressed()) return;
		replace(list, items.length ? items.map((item, at) => option(item, at, at === chosen))
			: el('p', { class: 'muted' }, words.none));
		const drawn = items;
		[...list.querySelectorAll('[role=option]')].forEach((node, at) =>
			node.addEventListener('click', () => pick(drawn[at])));
		input.control.setAttribute('aria-activedescendant', items.length ? `jump-${chosen}` : '');
		list.querySelector('[aria-selected=true]')?.scrollIntoView({ block: 'nearest' });
	}

	function pick(item) {
		if (!item) return;
		box.close();
		if (item.href) go(item.href);
		else item.onpick();
	}

	/* If the user types on and presses Enter, the choice is made from the results for the whole text. */
	function take() {
		if (!isBehind) return pick(items[chosen]);
		isWaitedFor = true;
		return timer ? find() : null;
	}

	function press(event) {
		const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
		if (event.key === 'Enter') take();
		else if (event.key === 'Escape') box.close();
		else if (!step || !items.length) return;
		else chosen = (chosen + step + items.length) % items.length;
		event.preventDefault();
		if (step) draw();
	}

	async function find() {
		clearTimeout(timer);
		timer = 0;
		const typed = input.control.value.trim();
		search.abort();
		search = new AbortController();
		const { signal } = search;
		const [runs, ...known] = await Promise.all([foundRuns(address, typed, signal), knownLabels(address, typed),
			knownKeys(address, typed), knownProjects()]);
		if (signal.aborted) return;
		items = namedFirst(typed, [...best(typed, own, SHOWN), ...runs, ...known.flatMap((some) => best(typed, some, SHOWN))]);
		chosen = 0;
		isBehind = false;
		draw();
		if (isWaitedFor) pick(items[chosen]);
		isWaitedFor = false;
	}

	function later() {
		isBehind = true;
		isWaitedFor = false;
		clearTimeout(timer);
		timer = setTimeout(find, WAIT_MS);
	}

	function stop() {
		clearTimeout(timer);
		search.abort();
	}

	input.control.focus();
	find();
}
