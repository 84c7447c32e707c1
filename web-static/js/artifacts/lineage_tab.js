/* The lineage of a version: the graph, and from how far away its nodes are (`depth` of the address). */

import { ask } from '../api.js';
import { el, refill, replace } from '../base/dom.js';
import { count } from '../base/format.js';
import { onQuery, query, setQuery } from '../router.js';
import { text } from '../text/artifacts.js';
import { button } from '../ui/controls.js';
import { faultWords } from '../ui/fault_words.js';
import { lineageView } from './lineage_view.js';

const words = text.artifact.lineage;
const NODES = 500;
const [DEPTH, DEPTH_MOST] = [4, 10];
const [ZOOM_LEAST, ZOOM_MOST, ZOOM_STEP] = [0.2, 1.5, 1.25];

function depthNow() {
	const depth = Number(query().get('depth'));
	return Number.isInteger(depth) && depth >= 1 && depth <= DEPTH_MOST ? depth : DEPTH;
}

function depthField() {
	const options = Array.from({ length: DEPTH_MOST }, (_, at) => el('option', { value: at + 1 }, words.steps(at + 1)));
	const node = el('select', { id: 'lineage-depth', onchange: () => setQuery({ depth: Number(node.value) === DEPTH ? null : node.value }, { replace: false }) }, options);
	return node;
}

export async function lineageTab(address, { path }) {
	const ends = new AbortController();
	const place = el('div', { class: 'lineage-place' });
	const told = el('span', { class: 'soft', role: 'status' });
	const fault = el('p', { class: 'fault', role: 'alert' });
	const sayFault = faultWords(() => read());
	const depth = depthField();
	let view = null;
	let zoom = 1;
	let asked = 0;

	function setZoom(next) {
		zoom = Math.min(ZOOM_MOST, Math.max(ZOOM_LEAST, next));
		view?.zoom(zoom);
	}

	function draw(graph) {
		view = lineageView(graph, address);
		replace(place, view.node);
		view.zoom(zoom);
		const none = !graph.edges.length && words.none;
		told.textContent = none || [words.shown(graph.runs.length, graph.versions.length), graph.truncated && words.truncated(count(NODES))].filter(Boolean).join(' ');
		view.showRoot();
	}

	async function read() {
		asked = depthNow();
		const mine = asked;
		depth.value = String(mine);
		const answer = await ask('GET', `${path}/lineage?${new URLSearchParams({ depth: mine, limit: NODES })}`, undefined, { signal: ends.signal });
		if (ends.signal.aborted || mine !== asked) return;
		refill(fault, sayFault(answer.status === 200 ? null : answer));
		if (answer.status === 200) draw(answer.body);
	}

	const stopQuery = onQuery(() => depthNow() !== asked && read());
	read();
	return {
		node: el('div', { class: 'lineage-page' },
			el('div', { class: 'chart-bar' }, el('label', { class: 'slider', for: 'lineage-depth' }, words.depth), depth,
				button('−', { look: 'small', 'aria-label': words.smaller, title: words.smaller, onclick: () => setZoom(zoom / ZOOM_STEP) }),
				button('+', { look: 'small', 'aria-label': words.larger, title: words.larger, onclick: () => setZoom(zoom * ZOOM_STEP) }),
				button(words.fit, { look: 'small', onclick: () => view && setZoom(view.fit()) }), told), fault, place),
		stop() {
			ends.abort();
			stopQuery();
		},
	};
}
