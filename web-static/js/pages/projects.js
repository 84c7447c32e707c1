/* The projects that one may see, all or of one user or team; the last one first. */

import { hrefOf } from '../address.js';
import { askAll } from '../api.js';
import { el } from '../dom.js';
import { bytes } from '../format.js';
import { roleIn } from '../parts/settings.js';
import { ago } from '../parts/times.js';
import { text } from '../text.js';

const words = text.projects;

function row(project) {
	return el('tr', {},
		el('th', { scope: 'row' }, el('a', { href: hrefOf(project.entity, project.name) }, `${project.entity}/${project.name}`)),
		el('td', { class: 'soft' }, project.description),
		el('td', {}, project.visibility),
		el('td', { class: 'number' }, bytes(project.bytes)),
		el('td', {}, ago(project.created_at)));
}

export async function projectsPage({ entity }) {
	const [answer, role] = await Promise.all([
		askAll(entity ? `projects/${encodeURIComponent(entity)}` : 'projects'), entity && roleIn(entity)]);
	if (answer.status !== 200) return { answer };
	const items = answer.body.items.sort((a, b) => b.created_at.localeCompare(a.created_at));
	return {
		node: el('div', { class: 'page', 'data-scroll': 'page' },
			el('div', { class: 'page-head' }, el('h1', {}, entity || words.head, ' ', el('span', { class: 'muted' }, items.length)),
				role && el('a', { class: 'btn', href: hrefOf(entity, 'settings', 'members') }, text.settings.open)),
			items.length ? el('div', { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': words.head },
				el('table', { class: 'list' },
					el('thead', {}, el('tr', {}, words.columns.map((name) => el('th', { scope: 'col' }, name)))),
					el('tbody', {}, items.map(row))))
				: el('p', { class: 'soft' }, words.none)),
		title: entity || words.head,
	};
}
