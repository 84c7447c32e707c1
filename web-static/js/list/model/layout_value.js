/*
 * The layout of panels in an address: its text, or if that is too long "@ID" of the view that has it. An unsaved layout
 * is a draft, which the server keeps for a while.
 */

import { ask } from '../../api.js';

const LONGEST = 1500; /* as the address has it, where 2,000 signs are room enough for all */
const WITHOUT_DRAFT = 6000; /* of who may make none */
const QUIET_MS = 500;
const ELSEWHERE = /^@(~?[a-z0-9-]{1,40})$/;

const texts = new Map();

const lengthOf = (text) => encodeURIComponent(text).length;

/* undefined while it is not known what lies elsewhere. */
export function textOf(value) {
	return ELSEWHERE.test(value || '') ? texts.get(value) : value || '';
}

/* {text} that a view of a project has, or {fault}. */
export async function readText(path, value) {
	const [, id] = ELSEWHERE.exec(value);
	const answer = await ask('GET', `${path}/views/${encodeURIComponent(id)}`);
	if (answer.status !== 200) return { fault: answer };
	texts.set(value, String(answer.body.state.layout ?? ''));
	return { text: texts.get(value) };
}

/* Returns the value in the address for the layout of a view. */
export function valueOfView({ id, state }) {
	const text = String(state.layout ?? '');
	if (lengthOf(text) <= LONGEST) return text;
	texts.set(`@${id}`, text);
	return `@${id}`;
}

async function draftOf(path, text) {
	const answer = await ask('POST', `${path}/views`, { kind: 'draft', state: { layout: text } });
	return answer.status === 201 ? answer.body : null;
}

/*
 * Returns the value in the address for a layout, or null. A draft is created only after a moment without changes, so
 * not for each key the user types: the server keeps the last 200 of each user.
 */
export async function valueOf(path, text, isLast = () => true) {
	if (lengthOf(text) <= LONGEST) return text;
	await new Promise((resolve) => setTimeout(resolve, QUIET_MS));
	if (!isLast()) return null;
	const draft = await draftOf(path, text);
	if (draft) return valueOfView({ id: draft.id, state: { layout: text } });
	return lengthOf(text) <= WITHOUT_DRAFT ? text : null;
}

/* The state of a view with its layout itself; as far as that is known. */
export function knownState(state) {
	return state.layout === undefined ? state : { ...state, layout: textOf(state.layout) ?? state.layout };
}

export async function wholeState(path, state) {
	if (state.layout !== undefined && textOf(state.layout) === undefined) await readText(path, state.layout);
	return knownState(state);
}
