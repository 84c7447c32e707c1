/* One item over the page, with the names of its boxes and masks, and ways to the others: of its run, and of the other runs. */

import { el, replace, setText } from '../../base/dom.js';
import { count } from '../../base/format.js';
import { layerLegend } from '../../tables/cell_dialog.js';
import { versionFiles } from '../../tables/version_files.js';
import { text } from '../../text/media.js';
import { button } from '../../ui/controls.js';
import { dialog } from '../../ui/dialog.js';
import { readMaskNames } from './history.js';
import { downloadLink, hrefIn, mediaItem } from './item.js';
import { namesOfItems } from './run_tile.js';
import { itemsOf } from './values.js';

const words = text.media;

/* Keys of these are their own. */
const OWN_KEYS = 'input, audio, video, iframe, pre';

/* shown: [{run, entry}]; run, at: the id of the run, and which of its items. */
export function showLarge({ key, project, shown, run: id, at }) {
	const runs = shown.filter(({ entry }) => entry).map(({ run, entry }) => ({ run, entry, items: itemsOf(entry.value) })).filter(({ items }) => items.length);
	const all = runs.flatMap(({ items }, run) => items.map((_, item) => ({ run, item })));
	const said = el('p', { class: 'media-said', role: 'status' });
	const place = el('div', { class: 'media-large' });
	const links = el('span', {});
	let now = null; /* {run, item}: places */
	let item = null;

	const placeOfItem = () => all.findIndex((one) => one.run === now.run && one.item === now.item);
	const move = (steps) => go(all[placeOfItem() + steps]);

	function moveRun(steps) {
		const run = now.run + steps;
		if (runs[run]) go({ run, item: Math.min(now.item, runs[run].items.length - 1) });
	}

	const tools = { before: button(words.before, { onclick: () => move(-1) }), next: button(words.next, { onclick: () => move(1) }),
		runBefore: button(words.runBefore, { onclick: () => moveRun(-1) }), runNext: button(words.runNext, { onclick: () => moveRun(1) }) };

	async function legend(drawn, run, node) {
		const path = `${project}/runs/${encodeURIComponent(run.id)}`;
		const named = drawn.layer.kind === 'mask' ? (await readMaskNames(path, key))[drawn.layer.name] : null;
		node.append(layerLegend({ ...drawn, labels: { ...named, ...drawn.labels } }, null));
	}

	/* A button that leads nowhere keeps the focus. */
	function showTools() {
		const index = placeOfItem();
		const ends = { before: index === 0, next: index === all.length - 1, runBefore: now.run === 0, runNext: now.run === runs.length - 1 };
		for (const [name, isEnd] of Object.entries(ends)) tools[name].setAttribute('aria-disabled', String(isEnd));
		tools.before.hidden = tools.next.hidden = runs.every(({ items }) => items.length === 1);
		tools.runBefore.hidden = tools.runNext.hidden = runs.length < 2;
	}

	function go(next) {
		if (!next || !runs[next.run]) return;
		item?.hide();
		now = next;
		const { run, entry, items } = runs[now.run];
		const path = `${project}/runs/${encodeURIComponent(run.id)}`;
		const one = items[now.item];
		const name = namesOfItems(items, run.name)[now.item];
		const legends = el('div', { class: 'image-legends' });
		item = mediaItem(one, { project, run: path }, { name, isLarge: true, ondrawn: (drawn) => legend(drawn, run, legends) });
		replace(place, item.node, legends);
		setText(said, `${name}, ${words.atStep(count(entry.step))}`);
		const href = one.path ? hrefIn(versionFiles(path), one.path) : null;
		replace(links, href && downloadLink(one, href));
		showTools();
		item.show();
	}

	function onkeydown(event) {
		if (event.altKey || event.ctrlKey || event.metaKey || event.target.closest(OWN_KEYS)) return;
		const does = { ArrowLeft: () => move(-1), ArrowRight: () => move(1), ArrowUp: () => moveRun(-1), ArrowDown: () => moveRun(1) }[event.key];
		if (!does) return;
		event.preventDefault();
		does();
	}

	const card = dialog(key, [said, place, el('p', { class: 'sr' }, words.largeHow)], { look: 'wide media-dialog', onclose: () => item?.hide(),
		actions: [Object.values(tools), el('span', { class: 'grow' }), links] });
	card.node.addEventListener('keydown', onkeydown);
	go({ run: runs.findIndex(({ run }) => run.id === id), item: at });
}
