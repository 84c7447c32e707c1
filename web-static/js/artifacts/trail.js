/* The links above the name of a collection or a version: to all artifacts, those of its type, its collection. */

import { hrefOf } from '../address.js';
import { el } from '../base/dom.js';
import { text } from '../text/artifacts.js';
import { hrefOfCollection } from './places.js';

const words = text.artifacts;

export function trail(place) {
	const { entity, project, type, collection, version } = place;
	const steps = [
		[words.head, hrefOf(entity, project, 'artifacts')],
		type && [type, hrefOf(entity, project, 'artifacts', type)],
		version && [collection, hrefOfCollection(place)],
	].filter(Boolean);
	return el('nav', { class: 'artifact-trail', 'aria-label': words.trail }, steps.map(([name, href], at) =>
		[at > 0 && el('span', { class: 'slash', 'aria-hidden': 'true' }, '/'), el('a', { href }, el('bdi', { class: 'clip' }, name))]));
}
