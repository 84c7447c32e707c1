/* Projects that were deleted and can still be restored. */

import { apiPath, hrefOf } from '../address.js';
import { ask } from '../api.js';
import { el, replace } from '../base/dom.js';
import { bytes } from '../base/format.js';
import { localMoment } from '../base/moments.js';
import { go } from '../router.js';
import { text as common } from '../text/common.js';
import { text } from '../text/settings.js';
import { button, toast } from '../ui/controls.js';
import { isDone } from '../ui/form.js';
import { listTable, settingsCard } from './settings.js';

const words = text.deletedProjects;
const SHOWN = 1000;

export async function restoreProject(entity, name) {
	const answer = await ask('POST', `${apiPath(entity, name)}/restore`);
	if (isDone(answer)) go(hrefOf(entity, name));
	else toast(common.fault.of(answer));
}

function row({ entity, name, bytes: size, deleted }) {
	const again = button(words.restore, { look: 'small', 'aria-label': words.restoreOf(name),
		onclick: () => restoreProject(entity, name) });
	return el('tr', {},
		el('th', { scope: 'row', title: name }, name),
		el('td', {}, bytes(size)),
		el('td', {}, el('time', { datetime: deleted.purge_at }, localMoment(deleted.purge_at))),
		el('td', {}, again));
}

function shown(answer) {
	if (!isDone(answer)) return el('p', { class: 'fault' }, common.fault.of(answer));
	const { items } = answer.body;
	return items.length ? listTable(words.columns, items.map(row)) : el('p', { class: 'soft' }, words.none);
}

export function deletedProjects(entity) {
	const list = el('div', { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': words.title });
	ask('GET', `projects/${encodeURIComponent(entity)}?deleted=true&limit=${SHOWN}`)
		.then((answer) => replace(list, shown(answer)));
	return settingsCard(words.title, list);
}
