/* One run of a panel: its name, and the media of its value at the step that is shown. */

import { arrange, el, refill, replace } from '../../base/dom.js';
import { count } from '../../base/format.js';
import { strokeOf } from '../../ui/run_swatch.js';
import { text } from '../../text/media.js';
import { readMaskNames } from './history.js';
import { kindName, mediaItem } from './item.js';
import { itemsOf, sizeOf } from './values.js';

const words = text.media;

const texts = new WeakMap(); /* of entries */

function textOf(entry) {
	if (!texts.has(entry)) texts.set(entry, JSON.stringify([entry.row, entry.step, entry.value]));
	return texts.get(entry);
}

/* How each of the items is called; runName: where several runs are shown. */
export function namesOfItems(items, runName) {
	return items.map((item, at) => {
		const own = item.caption || (items.length > 1 ? words.nth(kindName(item), count(at + 1), count(items.length)) : kindName(item));
		return runName ? `${own}, ${runName}` : own;
	});
}

/*
 * layers: as of layers.js; open(run, at): the item at this place; watch(node, {show, hide}), unwatch(node): when it comes near the screen.
 * Gives {node, show({run, entry, isAlone, saysStep}), stop}; entry: as of values.js, null where there is none, undefined while it is not
 * known.
 */
export function runTile({ key, project, layers, open, watch, unwatch }) {
	const head = el('p', { class: 'media-name' });
	const place = el('div', { class: 'media-items' });
	const more = el('p', { class: 'muted', hidden: true });
	const node = el('section', { class: 'media-run' }, head, place, more);
	let shown = null; /* as text */
	let items = []; /* nodes of them */
	let drawn = []; /* layers */

	function leave() {
		for (const item of items) {
			unwatch(item.node);
			item.hide();
		}
		drawn.forEach(layers.drop);
		[items, drawn] = [[], []];
	}

	async function ondrawn(one, path, mine) {
		drawn.push(one);
		const named = one.layer.kind === 'mask' ? (await readMaskNames(path, key))[one.layer.name] : null;
		if (items === mine) layers.add(one, { ...named, ...one.labels });
	}

	function fill(run, entry, isAlone) {
		const found = itemsOf(entry.value);
		const names = namesOfItems(found, isAlone ? '' : run.name);
		const path = `${project}/runs/${encodeURIComponent(run.id)}`;
		const mine = items = [];
		found.forEach((item, at) => mine.push(mediaItem(item, { project, run: path }, { name: names[at], onopen: () => open(run, at),
			ondrawn: (one) => ondrawn(one, path, mine) })));
		arrange(place, mine.map((item) => item.node));
		for (const item of mine) watch(item.node, item);
		node.classList.toggle('many', found.length > 1);
		const all = sizeOf(entry.value);
		more.hidden = found.length > 0 && all === found.length;
		replace(more, found.length ? words.firstItems(count(found.length), count(all)) : words.noItems);
	}

	function empty(entry) {
		more.hidden = true;
		node.classList.remove('many');
		replace(place, el('p', { class: 'muted' }, entry === null ? words.notYet : words.loading));
	}

	function show({ run, entry, isAlone, saysStep }) {
		node.setAttribute('aria-label', run.name);
		refill(head, !isAlone && [strokeOf(run), el('span', { class: 'clip' }, run.name)],
			entry && saysStep && el('span', { class: 'muted' }, words.atStep(count(entry.step))));
		head.hidden = !head.childNodes.length;
		const now = JSON.stringify([run.name, isAlone, entry ? textOf(entry) : String(entry)]);
		if (now === shown) return;
		shown = now;
		leave();
		if (entry) fill(run, entry, isAlone);
		else empty(entry);
	}

	return { node, show, stop: leave };
}
