/* Until when what is deleted now can be restored, which the server says with the project. */

import { apiPath } from '../address.js';
import { ask } from '../api.js';
import { serverNow } from '../clock.js';
import { el } from '../dom.js';
import { duration } from '../format.js';
import { localMoment } from '../moments.js';
import { text } from '../text.js';

const words = text.restorable;

/* project: as the server shows it, or nothing where it could not be read; place: whose settings restore it. */
export function restorable(project, place) {
	const seconds = project?.grace_s;
	if (seconds === undefined) return words.some(place);
	return seconds ? words.until(place, localMoment(serverNow() + seconds * 1000), duration(seconds)) : words.never;
}

/* A line that says it as soon as the project was read. */
export function restorableLine({ entity, project }) {
	const line = el('p', {}, restorable(null, project));
	ask('GET', apiPath(entity, project)).then(({ status, body }) => {
		if (status === 200) line.textContent = restorable(body, project);
	});
	return line;
}
