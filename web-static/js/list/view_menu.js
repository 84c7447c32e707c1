/* Saved views: which one is seen, whether it was changed since, and what saves it. Nothing is saved unasked. */

import { apiPath } from '../address.js';
import { ask as askServer } from '../api.js';
import { el, field, replace } from '../base/dom.js';
import { localMoment } from '../base/moments.js';
import { queryOf } from '../base/query_text.js';
import { text as common } from '../text/common.js';
import { text } from '../text/list.js';
import { menu, toast } from '../ui/controls.js';
import { icon } from '../ui/icons.js';
import { later } from '../ui/later.js';
import { knownState, valueOfView, wholeState } from './model/layout_value.js';
import { inAddress } from './model/list_place.js';
import { changesTo, isEdited, setDefault, stateOf } from './model/saved_view.js';

const words = text.workspace.saved;
const GIVEN = { id: 'default', hidden: 'job_type:worker' }; /* what comes with each project, and what it leaves out */
const dialogs = later(() => import('../ui/form_dialog.js'));
const conflictDialog = later(() => import('./view_conflict.js'));
const copies = later(() => import('./view_copy.js'));

const namesOf = (list) => JSON.stringify(list.map(({ id, name }) => [id, name]));

/* {node, start, stop}; `canSave`: whether a user is signed in; `place`: holds the query of the view. */
export function viewMenu({ entity, project, canSave, place = inAddress }) {
	const { query, setQuery, onQuery } = place;
	const projectPath = apiPath(entity, project);
	const path = `${projectPath}/views`;
	const button = menu(el('button', { type: 'button', class: 'btn plain views' }), items, list);
	let views = [];
	let turn = 0; /* of readings of them */
	let open = null;
	let isStopped = false;

	const isBare = () => !Object.keys(stateOf(query())).length;
	const isChanged = () => open && isEdited(knownState(stateOf(query())), open.state);
	const seen = () => query().get('view');
	const pathOf = (view) => `${path}/${encodeURIComponent(view.id)}`;
	const stateNow = () => wholeState(projectPath, stateOf(query()));
	const changesOf = (view) => changesTo(query(), { ...view.state, layout: valueOfView(view) }, view.id);

	function show(view) {
		if (isStopped) return;
		open = view;
		setQuery(changesOf(view), { replace: false });
		draw();
	}

	async function read(id) {
		const answer = await askServer('GET', pathOf({ id }));
		if (answer.status === 200) return { ...answer.body, etag: answer.etag };
		toast(common.fault.of(answer));
		return null;
	}

	async function pick(id) {
		const view = await read(id);
		if (view && !isStopped) show(view);
	}

	/* Whether there are others than were known. What cannot be read leaves those, and so does an answer older than another. */
	async function list() {
		const mine = ++turn;
		const answer = await askServer('GET', path);
		if (answer.status !== 200 || mine !== turn) return false;
		const before = namesOf(views);
		views = answer.body.items;
		return namesOf(views) !== before;
	}

	/* Opens the saved view; changes made while it was being saved are edits of it. */
	function taken(view) {
		if (!isEdited(knownState(stateOf(query())), view.state)) return show(view);
		open = view;
		setQuery({ view: view.id }, { replace: false });
		return draw();
	}

	/* from: the view that was open then. Who picked another meanwhile stays there. Why it was not kept, or ''. */
	async function keep(method, at, body, { from, match, onconflict }) {
		const answer = await askServer(method, at, body, { match });
		if (answer.status === 412) return onconflict();
		if (answer.status >= 300 || !answer.body) return common.fault.of(answer);
		await list();
		if (isStopped) return '';
		if (seen() === from) taken({ ...answer.body, etag: answer.etag });
		toast(words.kept(answer.body.name));
		return '';
	}

	/* Asks what to do if another user saved the view since it was opened: nothing is overwritten without consent. */
	async function conflict(over, state, from) {
		const theirs = await read(over.id);
		if (theirs && !isStopped) conflictDialog('askConflict', theirs,
			{ saveAs: () => saveAs(() => state), load: () => show(theirs), overwrite: () => send(theirs, state, from) });
		return '';
	}

	async function send(over, state, from) {
		const fault = await keep('PATCH', pathOf(over), { state: patchOf(over.state, state) },
			{ from, match: over.etag, onconflict: () => conflict(over, state, from) });
		if (fault) toast(fault);
	}

	async function save(over) {
		const from = seen();
		return send(over, await stateNow(), from);
	}

	function saveAs(state = stateNow) {
		const name = el('input', { id: 'view-name', maxlength: 128, autocomplete: 'off', required: true });
		const kind = el('select', { id: 'view-kind' }, words.kinds.map(([value, label]) => el('option', { value }, label)));
		dialogs('formDialog', words.saveAs, [field(words.name, name), field(words.who, kind)],
			{ canSend: () => name.value.trim() !== '',
			async onsend() {
				const from = seen();
				return keep('POST', path, { kind: kind.value, name: name.value.trim(), state: await state() }, { from });
			} });
	}

	function copyTo() {
		copies('askCopyView', { entity, project },
			{ name: open?.name ?? '', state: stateNow });
	}

	/* Closes the removed view, unless the user has opened another one since. */
	async function gone(view) {
		toast(words.removed(view.name));
		if (isStopped) return;
		if (seen() === view.id) {
			open = null;
			setQuery({ view: null });
			draw();
		}
		await list();
	}

	/* Asks before it removes a view; if another user saved the view since it was read, says so first. */
	function remove(view) {
		let known = view;

		async function onsend() {
			const answer = await askServer('DELETE', pathOf(view), undefined, { match: known.etag });
			if (answer.status === 412) {
				known = await read(view.id) || known;
				return words.changedBy(known.changed_by, localMoment(known.changed_at));
			}
			if (answer.status >= 300 || answer.status === 0) return common.fault.of(answer);
			gone(view);
			return '';
		}

		const why = view.kind === 'project' ? words.removeOfAll : words.removeOwn;
		dialogs('formDialog', words.removeHead(view.name), el('p', {}, why), { go: words.removeGo, look: 'danger', onsend });
	}

	function items() {
		const edited = Boolean(isChanged());
		const isOwn = Boolean(open) && ['mine', 'project'].includes(open.kind);
		return [
			...views.map((view) => ({ label: view.name, isChecked: open?.id === view.id, onpick: () => pick(view.id) })),
			...(canSave ? [views.length > 0 && null,
				isOwn && edited && { label: words.save, onpick: () => save(open) },
				{ label: words.saveAs, onpick: () => saveAs() },
				{ label: words.copy, onpick: copyTo },
				edited && { label: words.reset, onpick: () => show(open) },
				isOwn && { label: words.remove, isDanger: true, onpick: () => remove(open) }].filter((item) => item !== false) : []),
		];
	}

	/* A merge patch: what is in it no more is taken away. */
	function patchOf(before, now) {
		return { ...Object.fromEntries(Object.keys(before).filter((name) => !(name in now)).map((name) => [name, null])),
			...now };
	}

	function draw() {
		replace(button, el('b', { class: 'clip' }, open ? open.name : words.none),
			isChanged() && el('span', { class: 'count' }, words.edited),
			icon('down'));
		button.setAttribute('aria-label', words.label);
	}

	/* The default that was set; else the one that comes with a project, where it makes a difference. */
	async function first() {
		const ofProject = setDefault(views);
		if (ofProject) return ofProject.id;
		const { status, body } = await askServer('GET', `${projectPath}/runs?${queryOf({ filter: GIVEN.hidden, limit: 1 })}`);
		return status === 200 && body.items.length ? GIVEN.id : null;
	}

	const stopQuery = onQuery(async () => {
		const id = query().get('view');
		if (!id) open = null;
		else if (open?.id !== id) {
			const view = await read(id);
			if (query().get('view') !== id) return;
			open = view;
		}
		draw();
	});

	draw();
	return {
		node: button,
		stop() {
			isStopped = true;
			stopQuery();
		},
		/* An address with nothing but a view stands for what is in it, and one with nothing for the project's default. */
		async start() {
			await list();
			if (isStopped) return;
			const wasBare = isBare();
			const named = seen();
			const id = named || (wasBare && await first());
			const view = id ? await read(id) : null;
			if (isStopped || open || (!named && !isBare())) return; /* the user has opened another view */
			open = view;
			if (open && wasBare && isBare()) setQuery(changesOf(open));
			draw();
		},
	};
}
