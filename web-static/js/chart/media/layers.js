/* Switches of the boxes and masks of all images of a panel: one for each layer, and one for each of its classes. */

import { el, setText } from '../../base/dom.js';
import { count } from '../../base/format.js';
import { classSwitch, layerSwitch } from '../../tables/layer_switches.js';
import { text as tablesText } from '../../text/tables.js';
import { text } from '../../text/media.js';

const words = text.media;
const CLASSES_MOST = 60; /* of a layer that have a switch */

/* The classes of a layer that was drawn. */
const idsOf = ({ boxes, classes }) => boxes ? [...new Set(boxes.map(({ id }) => id))] : classes;

class Layer {
	constructor(layer) {
		this.isOff = false;
		this.hidden = new Set(); /* classes */
		this.known = new Set();
		this.drawn = new Set();
		this.list = el('ul', {});
		this.more = el('p', { class: 'muted', hidden: true });
		this.node = el('section', { class: 'image-legend' }, layerSwitch(layer, { onchange: (isOn) => this.turn(isOn) }), this.list, this.more);
	}

	turn(isOn) {
		this.isOff = !isOn;
		for (const { node } of this.drawn) node.toggleAttribute('hidden', this.isOff);
	}

	turnClass(id, isOn) {
		if (isOn) this.hidden.delete(id);
		else this.hidden.add(id);
		for (const one of this.drawn) one.show((other) => !this.hidden.has(other));
	}

	add(drawn, labels) {
		this.drawn.add(drawn);
		drawn.node.toggleAttribute('hidden', this.isOff);
		if (this.hidden.size) drawn.show((id) => !this.hidden.has(id));
		for (const id of idsOf(drawn)) this.name(id, labels[id]);
	}

	name(id, name) {
		if (this.known.has(id)) return;
		this.known.add(id);
		const left = this.known.size - CLASSES_MOST;
		this.more.hidden = left <= 0;
		setText(this.more, words.moreClasses(count(left)));
		if (left > 0) return;
		const item = el('li', { 'data-id': id }, classSwitch(id, name ?? (id === null ? words.noClass : tablesText.tables.classOf(id)), { onchange: (isOn) => this.turnClass(id, isOn) }));
		this.list.insertBefore(item, [...this.list.children].find((one) => Number(one.dataset.id) > id) ?? null);
	}
}

/* {node, add(drawn, labels): a layer of an image was drawn, as of image_figure.js, drop(drawn): it is shown no more} */
export function mediaLayers() {
	const layers = new Map();
	const place = el('div', { class: 'media-legends' });
	const node = el('details', { class: 'media-layers', hidden: true }, el('summary', {}, words.layers), place);
	const keyOf = ({ layer }) => `${layer.kind} ${layer.name}`;

	function add(drawn, labels) {
		const key = keyOf(drawn);
		if (!layers.has(key)) {
			layers.set(key, new Layer(drawn.layer));
			place.append(layers.get(key).node);
			node.hidden = false;
		}
		layers.get(key).add(drawn, labels);
	}

	return { node, add, drop: (drawn) => layers.get(keyOf(drawn)).drawn.delete(drawn) };
}
