/* Which page an address means, and back. The prefix is where this page's files came from. */

import { root } from './api.js';

/* Pages below a project; the last two are names of other trackers that users may still type. */
const KINDS = { table: 'table', compare: 'compare', settings: 'settings', workspace: 'workspace', charts: 'workspace' };

function words(path) {
	const below = path.startsWith(root.pathname) ? path.slice(root.pathname.length) : '';
	try {
		return below.split('/').filter(Boolean).map(decodeURIComponent);
	} catch {
		return null; /* a bad escape is no address */
	}
}

/* Which tabs there are the page of the run knows. */
function inRun(entity, project, [run, tab = 'overview', more]) {
	return { page: run && more === undefined ? 'run' : 'none', entity, project, run, tab };
}

/* Artifacts by type, as the wandb SDK prints them. */
function inArtifacts(entity, project, [type, collection, version, tab = 'overview', more]) {
	return { page: more ? 'none' : 'artifacts', entity, project, type, collection, version, tab };
}

function inSweeps(entity, project, [sweep, tab = 'overview', more]) {
	return { page: more ? 'none' : 'sweeps', entity, project, sweep, tab };
}

function inProject(entity, project, [kind = 'workspace', ...rest]) {
	if (kind === 'runs') return inRun(entity, project, rest);
	if (kind === 'artifacts') return inArtifacts(entity, project, rest);
	if (kind === 'sweeps') return inSweeps(entity, project, rest);
	if (kind === 'groups' && rest.length === 1) return { page: 'workspace', entity, project, group: rest[0] };
	const isPage = !rest.length && Object.hasOwn(KINDS, kind);
	return { page: isPage ? KINDS[kind] : 'none', entity, project };
}

/*
 * {page, entity, project, run, tab}; page: projects, workspace, run, keys, none, and the words after a project:
 * table, compare, sweeps, artifacts, settings. Whether there is such a page the frame knows.
 */
export function addressOf(path) {
	const [entity, project, ...rest] = words(path) || ['none', 'none', 'none'];
	if (entity === 'login' && project === 'link') return { page: 'link' };
	if (entity === 'authorize' || entity === 'login') return { page: 'keys' };
	if (entity === 'settings' || entity === 'admin') return { page: [entity, project || 'profile', ...rest].join('-') };
	if (!project) return { page: 'projects', entity };
	if (project === 'settings') return { page: ['entity-settings', ...(rest.length ? rest : ['members'])].join('-'),
		entity };
	return inProject(entity, project, rest);
}

export function hrefOf(...segments) {
	return new URL(segments.map(encodeURIComponent).join('/'), root).href;
}

export function apiPath(entity, project, run) {
	const path = `projects/${encodeURIComponent(entity)}/${encodeURIComponent(project)}`;
	return run === undefined ? path : `${path}/runs/${encodeURIComponent(run)}`;
}
