/* Until when what is deleted now can be restored, which the server says with the project. */

import { apiPath } from '../address.js';
import { ask } from '../api.js';
import { serverNow } from '../base/clock.js';
import { el } from '../base/dom.js';
import { localMoment } from '../base/moments.js';
import { text } from '../text/projects.js';

const words = text.restorable;

/* project: as the server shows it, or nothing where it could not be read; place: whose settings restore it. */
export function restorable(project, place) {
	const seconds = project?.grace_s;
	if (seconds === undefined) return words.some(place);
	return seconds ? words.until(place, localMoment(serverNow() + seconds * 1000).split(' ')[0]) : words.never;
}

/* Whether there is anything to undo. */
export const isRestorable = (project) => project?.grace_s !== 0;

/* A line that says it as soon as the project was read, and a promise of whether there will be anything to undo. */
export function restorableLine({ entity, project }) {
	const line = el('p', {}, restorable(null, project));
	const read = ask('GET', apiPath(entity, project)).then(({ status, body }) => status === 200 ? body : null);
	read.then((shown) => line.textContent = restorable(shown, project));
	return { line, canUndo: read.then(isRestorable) };
}
