/* The projects that the user may see, all or of one user or team: the last active first, read again while they are seen. */

import { hrefOf } from '../address.js';
import { ask, askAll } from '../api.js';
import { el, replace } from '../base/dom.js';
import { makesFor, newProject } from '../projects/new_project.js';
import { byActivity, found, projectTable } from '../projects/project_table.js';
import { roleIn } from '../projects/role.js';
import { onQuery, query, setQuery } from '../router.js';
import { text as frameText } from '../text/frame.js';
import { text } from '../text/projects.js';
import { field } from '../ui/controls.js';
import { later } from '../ui/later.js';

const words = text.projects;
const REFRESH_MS = 10000;
const EMPTY_MS = 2000;
const ways = later(() => import('../projects/first_run.js'));

function read(entity) {
	return askAll(`projects${entity ? `/${encodeURIComponent(entity)}` : ''}?activity=true`);
}

/* {entities, chosen}: where the user may create projects, and where first; null if nowhere. */
async function readMakers(entity, user) {
	const answer = user ? await ask('GET', 'viewer') : null;
	if (answer?.status !== 200) return null;
	const entities = makesFor(answer.body);
	const chosen = entity || answer.body.default_entity;
	return entities.includes(chosen) ? { entities, chosen } : null;
}

function noProjects(makers) {
	const place = el('div');
	const shown = makers && { entity: makers.chosen, project: words.firstProject, head: el('h2', {}, words.first) };
	if (shown) ways.each(({ firstRun }) => place.append(firstRun(shown)));
	return [el('p', { class: 'soft' }, words.none), place];
}

export async function projectsPage({ entity }, { user }) {
	const [answer, makers, role] = await Promise.all([read(entity), readMakers(entity, user), entity && roleIn(entity)]);
	if (answer.status !== 200) return { answer };
	const count = el('span', { class: 'muted' });
	const search = field('search', words.search, { key: '/', value: query().get('q') || '',
		oninput: ({ target }) => setQuery({ q: target.value || null }) });
	const table = projectTable();
	const body = el('div', { class: 'projects-body' });
	let items = [];
	let shown = '';
	let timer = 0;

	/* One of three: the table, that nothing is found, that nothing is there. */
	function put(what, make) {
		if (shown !== what) replace(body, make());
		shown = what;
	}

	function draw() {
		const hits = found(items, query().get('q') || '');
		count.textContent = items.length;
		search.hidden = !items.length;
		if (!items.length) return put('none', () => noProjects(makers));
		if (!hits.length) return put('no-match', () => el('p', { class: 'soft', role: 'status' }, words.noMatch));
		put('table', () => table.node);
		return table.show(hits);
	}

	function take(next) {
		items = byActivity(next.body.items);
		draw();
	}

	async function refresh() {
		const next = document.hidden ? null : await read(entity);
		if (next?.status === 200) take(next);
		refreshLater();
	}

	function refreshLater() {
		if (timer !== null) timer = setTimeout(refresh, items.length ? REFRESH_MS : EMPTY_MS);
	}

	const stops = [onQuery(draw), () => {
		clearTimeout(timer);
		timer = null;
	}];
	take(answer);
	refreshLater();
	return {
		node: el('div', { class: 'page', 'data-scroll': 'page' },
			el('div', { class: 'page-head' }, el('h1', {}, entity || words.head, ' ', count),
				el('span', { class: 'row' }, search, makers && newProject(makers.entities, makers.chosen),
					role && el('a', { class: 'btn', href: hrefOf(entity, 'settings', 'members') }, frameText.settings.open))),
			body),
		title: entity || words.head,
		stop: () => stops.forEach((stop) => stop()),
	};
}
