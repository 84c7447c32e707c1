/* One panel over the whole page: the next and the one before it, what can be said of it, the picture, the numbers. */

import { el, replace } from '../../base/dom.js';
import { text } from '../../text/chart.js';
import { text as panelsText } from '../../text/panels.js';
import { button, iconButton, menu } from '../../ui/controls.js';
import { saveAs as saveRuns } from '../kinds/run_plot_export.js';
import { isMadeFor, kindOf, makePanel } from './kinds.js';
import { panelEdit } from './panel_edit.js';
import { saveAs as saveLines } from './panel_export.js';

const words = text.charts;
const own = panelsText.full;
const SAVES = { lines: saveLines, runs: saveRuns };

const save = (name, panel) => SAVES[kindOf(panel.spec).saves.by](name, panel);

/*
 * specs(): in their order; place: what panelOffers takes; shown(id), change(id, part of a spec), closed(): when it is.
 * Gives {node, show(id), update, panel, close}.
 */
export function panelFull(page, { specs, place: offered, shown, change, closed }) {
	let panel = null;
	const place = el('div', { class: 'full-place' });
	const edit = panelEdit({ place: offered, change: (part) => change(panel.id, part) });
	const saves = Object.entries(own.saves).map(([name, word]) => ({
		name,
		node: button(word, { name: 'download', onclick: () => panel?.plot && save(name, panel) }),
	}));
	const moreSaves = menu(iconButton('more', own.saveMore), () => kindOf(panel.spec).saves.more.map((name) => ({
		label: own.savesMore[name],
		why: name === 'light' && document.documentElement.dataset.theme === 'light' ? own.isLight : undefined,
		onpick: () => panel?.plot && save(name, panel),
	})));
	const bar = el(
		'div',
		{ class: 'chart-bar', role: 'toolbar', 'aria-label': words.full },
		button(own.before, { onclick: () => move(-1) }),
		button(own.next, { onclick: () => move(1) }),
		el('span', { class: 'gap' }),
		saves.map(({ node }) => node),
		moreSaves,
		iconButton('close', words.close, { onclick: () => dialog.close() }),
	);
	const dialog = el(
		'dialog',
		{ class: 'full-dialog', 'aria-label': words.full, onclose: leave, onkeydown: press },
		bar,
		edit.node,
		place,
	);

	const specOf = (id) => specs().find((spec) => spec.id === id);

	function move(by) {
		const all = specs().map((spec) => spec.id);
		const next = all[all.indexOf(panel.spec.id) + by];
		if (next !== undefined) shown(next);
	}

	/* Left and right move the cursor in the panel; a table in it is scrolled. */
	function press({ key, target }) {
		const isFree = target === dialog || target === panel?.node;
		if (key === 'PageDown' || (key === 'ArrowDown' && isFree)) move(1);
		if (key === 'PageUp' || (key === 'ArrowUp' && isFree)) move(-1);
	}

	function leave() {
		panel?.stop();
		panel = null;
		closed();
	}

	function put(spec) {
		const hadFocus = place.contains(document.activeElement);
		panel?.stop();
		panel = makePanel(spec, page, { isFull: true });
		replace(place, panel.node);
		edit.show(spec);
		for (const { name, node } of saves) node.hidden = !kindOf(spec).saves?.names.includes(name);
		moreSaves.hidden = !kindOf(spec).saves?.more.length;
		panel.show();
		if (hadFocus) panel.node.focus();
	}

	return {
		node: dialog,
		panel: () => panel,
		/* False where there is no such panel. */
		show(id) {
			const spec = specOf(id);
			if (!spec) return false;
			if (panel?.spec.id === id) return true;
			if (!dialog.open) dialog.showModal();
			put(spec);
			panel.node.focus();
			return true;
		},
		/* Something was said of panels. */
		update() {
			const spec = panel && specOf(panel.spec.id);
			if (!spec) return;
			if (!isMadeFor(panel, spec)) return put(spec);
			edit.show(spec);
			if (JSON.stringify(spec) !== JSON.stringify(panel.spec)) panel.become(spec);
		},
		close: () => dialog.open && dialog.close(),
	};
}
