/*
 * The graph of runs and versions: links at their places, above the edges between them. Arrows walk it; the edges of the node
 * that is pointed at, or has the focus, are marked.
 */

import { hrefOf } from '../address.js';
import { el, svg } from '../base/dom.js';
import { bytes } from '../base/format.js';
import { nameOf as nameOfRun } from '../base/slot.js';
import { stateWord } from '../text/common.js';
import { text } from '../text/artifacts.js';
import { hasIcon, icon } from '../ui/icons.js';
import { layout, neighbourOf, NODE } from './lineage_layout.js';
import { hrefOfVersion, nameOf } from './places.js';

const words = text.artifact.lineage;
const MARGIN = 16;
const BOX = 'M8 2 13.5 5v6L8 14l-5.5-3V5zM2.5 5 8 8l5.5-3M8 8v6';

const boxIcon = () => svg('svg', { class: 'icon', viewBox: '0 0 16 16', fill: 'none', stroke: 'currentColor', 'stroke-width': 1.4,
	'stroke-linejoin': 'round', 'aria-hidden': 'true' }, svg('path', { d: BOX }));

function pathOf({ points }) {
	const [[x, y], ...rest] = points.map(([left, top]) => [left + MARGIN, top + MARGIN]);
	let [lastX, lastY] = [x, y];
	return rest.reduce((path, [nextX, nextY]) => {
		const half = (nextX - lastX) / 2;
		const curve = nextY === lastY ? `L${nextX} ${nextY}` : `C${lastX + half} ${lastY} ${nextX - half} ${nextY} ${nextX} ${nextY}`;
		[lastX, lastY] = [nextX, nextY];
		return path + curve;
	}, `M${x} ${y}`);
}

const elsewhere = (one, place) => one.entity === place.entity && one.project === place.project ? '' : `${one.entity}/${one.project}/`;

/* {kind, name, more, href, mark, look} of a node; a version that was deleted has no page. */
function told(one, place) {
	if (one.collection === undefined) {
		return { kind: words.run, name: elsewhere(one, place) + nameOfRun(one), more: [stateWord(one.state), one.job_type].filter(Boolean).join(', '),
			href: hrefOf(one.entity, one.project, 'runs', one.id), mark: icon(hasIcon(one.state) ? one.state : 'missing'), look: `run state ${one.state}` };
	}
	const isDeleted = one.state === 'deleted';
	return { kind: words.version, name: elsewhere(one, place) + nameOf(one), href: isDeleted ? null : hrefOfVersion(one),
		more: [one.type, isDeleted ? words.deleted : bytes(one.bytes), ...one.aliases].join(', '), mark: boxIcon(), look: isDeleted ? 'version gone' : 'version' };
}

function nodeOf(one, place, { x, y }, isRoot) {
	const { kind, name, more, href, mark, look } = told(one, place);
	return el('a', { href, class: `lineage-node ${look}${isRoot ? ' root' : ''}`, tabindex: isRoot ? 0 : -1, 'data-node': one.node,
		'aria-current': isRoot ? 'true' : null, 'aria-label': `${kind} ${name}, ${more}`, title: `${name}\n${more}`,
		style: { left: `${x + MARGIN}px`, top: `${y + MARGIN}px`, width: `${NODE.width}px`, height: `${NODE.height}px` } },
	mark, el('span', { class: 'grow' }, el('bdi', { class: 'clip name' }, name), el('span', { class: 'clip more' }, more)));
}

/* {node, zoom(factor), showRoot(), fit()}; place: {entity, project} of the page. fit() returns the factor at which all of it is seen. */
export function lineageView(graph, place) {
	const placed = layout(graph);
	const [width, height] = [placed.width + 2 * MARGIN, placed.height + 2 * MARGIN];
	const known = new Map([...graph.runs, ...graph.versions].map((one) => [one.node, one]));
	const drawn = new Map(placed.nodes.map((at) => [at.id, nodeOf(known.get(at.id), place, at, at.id === graph.root)]));
	const paths = new Map(placed.edges.map((edge) => [edge, pathOf(edge)]));
	const marked = svg('path', { class: 'marked' });
	const sheet = el('div', { class: 'lineage-sheet', style: { width: `${width}px`, height: `${height}px` } },
		svg('svg', { class: 'lineage-edges', width, height, 'aria-hidden': 'true' }, svg('path', { d: [...paths.values()].join('') }), marked),
		el('ul', { 'aria-label': words.graph }, [...drawn.values()].map((one) => el('li', {}, one))));
	const scroller = el('div', { class: 'lineage', 'data-scroll': 'lineage' }, sheet);
	let current = graph.root;

	function mark(id) {
		const edges = placed.edges.filter(({ from, to }) => from === id || to === id);
		marked.setAttribute('d', edges.map((edge) => paths.get(edge)).join(''));
	}

	function makeCurrent(id) {
		drawn.get(current)?.setAttribute('tabindex', '-1');
		current = id;
		drawn.get(id).setAttribute('tabindex', '0');
		mark(id);
	}

	function focus(id) {
		makeCurrent(id);
		drawn.get(id).focus({ preventScroll: true });
		drawn.get(id).scrollIntoView({ block: 'nearest', inline: 'nearest' });
	}

	const idOf = ({ target }) => target.closest('[data-node]')?.dataset.node;

	sheet.addEventListener('keydown', (event) => {
		if (event.ctrlKey || event.metaKey || event.altKey || !idOf(event)) return;
		const to = event.key === 'Home' ? graph.root : event.key.startsWith('Arrow') ? neighbourOf(placed, current, event.key) : undefined;
		if (to === undefined) return;
		event.preventDefault();
		if (to !== null) focus(to);
	});
	sheet.addEventListener('focusin', (event) => idOf(event) && makeCurrent(idOf(event)));
	sheet.addEventListener('pointerover', (event) => mark(idOf(event) ?? current));
	sheet.addEventListener('pointerleave', () => mark(current));
	mark(current);

	return {
		node: scroller,
		zoom(factor) {
			sheet.style.setProperty('zoom', String(factor));
		},
		/* Scrolls the version to the middle. */
		showRoot() {
			drawn.get(graph.root)?.scrollIntoView({ block: 'center', inline: 'center' });
		},
		fit: () => Math.min(1, scroller.clientWidth / width, scroller.clientHeight / height),
	};
}
