/*
 * Addresses that grew too long: the server stores their parameters as a draft of a view, and "view=~ID" names it.
 * Later changes are further parameters; one with an empty value is removed from those of the draft.
 */

import { addressOf, apiPath } from './address.js';
import { ask, hasSession } from './api.js';

const ID = /^~[a-z0-9]{1,40}$/;

const states = new Map(); /* by their path; null: it is kept no more */
const paths = new Map(); /* of what was made here, by what it says */

function viewsPath() {
	const { entity, project } = addressOf(location.pathname);
	return project ? `${apiPath(entity, project)}/views` : null;
}

function draftPath(params) {
	const id = params.get('view') || '';
	return ID.test(id) && viewsPath() ? `${viewsPath()}/${id}` : null;
}

const stateOfAddress = () => states.get(draftPath(new URLSearchParams(location.search)));

/* Merges the parameters of an address with those of its draft. */
export function withDraft(params) {
	const path = draftPath(params);
	if (!path) return params;
	const whole = new URLSearchParams(states.get(path) || {});
	params.delete('view');
	for (const [name, value] of params) {
		if (value === '') whole.delete(name);
		else whole.set(name, value);
	}
	return whole;
}

/* The same as changes of the draft that the address has; null where that cannot say it. */
export function onDraft(params) {
	const state = stateOfAddress();
	if (!state || (params.get('view') ?? '') !== (state.view ?? '')) return null;
	const changes = new URLSearchParams({ view: new URLSearchParams(location.search).get('view') });
	for (const name of new Set([...Object.keys(state), ...params.keys()])) {
		const value = params.get(name) ?? '';
		if (value !== (state[name] ?? '')) changes.set(name, value);
	}
	return changes;
}

export function isDraftKnown() {
	const path = draftPath(new URLSearchParams(location.search));
	return !path || states.has(path);
}

/* The answer that failed, or null. */
export async function readDraft() {
	const path = draftPath(new URLSearchParams(location.search));
	if (!path || states.get(path)) return null;
	const answer = await ask('GET', path);
	if (answer.status === 404) states.set(path, null);
	if (answer.status !== 200) return answer;
	const texts = Object.entries(answer.body.state).filter(([, value]) => typeof value === 'string');
	states.set(path, Object.fromEntries(texts));
	return null;
}

async function made(path, state) {
	const answer = await ask('POST', path, { kind: 'draft', state });
	if (answer.status !== 201) return null;
	states.set(`${path}/${answer.body.id}`, state);
	return answer.body.id;
}

/* The id of a draft that says it all; null where nobody keeps one. */
export async function draftOf(params) {
	const path = viewsPath();
	if (!path || !hasSession()) return null;
	const state = Object.fromEntries(params);
	const said = JSON.stringify([path, state]);
	if (!paths.has(said)) paths.set(said, await made(path, state));
	const id = paths.get(said);
	if (!id) paths.delete(said);
	return id;
}
