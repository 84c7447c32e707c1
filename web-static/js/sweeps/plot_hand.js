/* The hand of a plot of trials: arrows walk through its points, Enter or a click opens the run, what is marked is said below the plot. */

import { el, setText } from '../base/dom.js';
import { go } from '../router.js';

const STEPS = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -1, ArrowDown: 1, PageUp: -10, PageDown: 10 };

/*
 * figure: a node whose points have the data-run of their trial. items: [{id, words, href}] in the order of arrows. Gives the node that
 * holds it; `label` names it.
 */
export function plotHand(figure, items, { label, marked = null, onmark = () => {} }) {
	const told = el('p', { class: 'plot-told', 'aria-live': 'polite' });
	const node = el('div', { class: 'plot-hand', tabindex: 0, role: 'group', 'aria-label': label, 'data-key': `plot-${label}`, onkeydown: key, onclick: click,
		onpointermove: hover }, figure, told);
	let at = items.findIndex(({ id }) => String(id) === String(marked));

	const pointsOf = ({ id }) => figure.querySelectorAll(`[data-run="${CSS.escape(String(id))}"]`);

	function mark(next) {
		if (items[at]) pointsOf(items[at]).forEach((point) => point.classList.remove('marked'));
		at = next;
		const one = items[at];
		if (one) pointsOf(one).forEach((point) => point.classList.add('marked'));
		setText(told, one ? one.words : '');
		onmark(one ? one.id : null);
	}

	function key(event) {
		if (!items.length || event.ctrlKey || event.metaKey || event.altKey || event.target !== node) return;
		const last = items.length - 1;
		const next = { Home: 0, End: last }[event.key] ?? (event.key in STEPS ? Math.max(0, Math.min(last, at + STEPS[event.key])) : null);
		if (next !== null) mark(next);
		else if (event.key === 'Enter' && items[at]?.href) go(items[at].href);
		else return;
		event.preventDefault();
	}

	const under = ({ target }) => items.findIndex(({ id }) => String(id) === target.closest?.('[data-run]')?.dataset.run);

	function click(event) {
		const found = items[under(event)];
		if (found?.href) go(found.href);
	}

	function hover(event) {
		const found = under(event);
		if (found >= 0 && found !== at) mark(found);
	}

	if (at >= 0) mark(at);
	return node;
}
