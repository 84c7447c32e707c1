/* Saved views: which one is seen, whether it was changed since, and what saves it. Nothing is saved unasked. */

import { apiPath } from '../address.js';
import { ask as askServer } from '../api.js';
import { el, field, replace } from '../dom.js';
import { icon } from '../icons.js';
import { knownState, valueOfView, wholeState } from '../runs/layout_value.js';
import { inAddress } from '../runs/list_place.js';
import { changesTo, isEdited, setDefault, stateOf } from '../runs/saved_view.js';
import { text } from '../text.js';
import { menu, toast } from './controls.js';
import { later } from './later.js';

const words = text.workspace.saved;
const dialogs = later(() => import('./late_dialogs.js'));

const namesOf = (list) => JSON.stringify(list.map(({ id, name }) => [id, name]));

/* {node, start, stop}; `canSave`: whether somebody is signed in; `place`: where what is seen is said. */
export function viewMenu({ entity, project, canSave, place = inAddress }) {
	const { query, setQuery, onQuery } = place;
	const projectPath = apiPath(entity, project);
	const path = `${projectPath}/views`;
	const button = menu(el('button', { type: 'button', class: 'btn plain views' }), items, list);
	let views = [];
	let turn = 0; /* of readings of them */
	let open = null;
	let isStopped = false;

	const isChanged = () => open && isEdited(knownState(stateOf(query())), open.state);
	const changesOf = (view) => changesTo(query(), { ...view.state, layout: valueOfView(view) }, view.id);

	function show(view) {
		if (isStopped) return;
		open = view;
		setQuery(changesOf(view), { replace: false });
		draw();
	}

	async function read(id) {
		const answer = await askServer('GET', `${path}/${encodeURIComponent(id)}`);
		if (answer.status === 200) return { ...answer.body, etag: answer.etag };
		toast(text.fault.of(answer));
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

	/* What was saved is what is open. Why it was not, or ''. */
	async function keep(method, at, body, match) {
		const answer = await askServer(method, at, body, { match });
		if (answer.status === 412) return conflict();
		if (answer.status >= 300 || !answer.body) return text.fault.of(answer);
		await list();
		if (isStopped) return '';
		show({ ...answer.body, etag: answer.etag });
		toast(words.kept(answer.body.name));
		return '';
	}

	/* Somebody saved it since it was opened: nothing of theirs is overwritten unless one says so. */
	async function conflict() {
		const theirs = await read(open.id);
		if (theirs && !isStopped) dialogs('askConflict', theirs,
			{ saveAs, load: () => show(theirs), overwrite: () => save(theirs) });
		return '';
	}

	async function save(over) {
		const now = await wholeState(projectPath, stateOf(query()));
		const fault = await keep('PATCH', `${path}/${encodeURIComponent(over.id)}`, { state: patchOf(over.state, now) },
			over.etag);
		if (fault) toast(fault);
	}

	function saveAs() {
		const name = el('input', { id: 'view-name', maxlength: 128, autocomplete: 'off', required: true });
		const kind = el('select', { id: 'view-kind' }, words.kinds.map(([value, label]) => el('option', { value }, label)));
		dialogs('ask', words.saveAs, [field(words.name, name), field(words.who, kind)],
			{ canSend: () => name.value.trim() !== '',
			onsend: async () => keep('POST', path,
				{ kind: kind.value, name: name.value.trim(), state: await wholeState(projectPath, stateOf(query())) }) });
	}

	function copyTo() {
		dialogs('askCopyView', { entity, project },
			{ name: open?.name ?? '', state: () => wholeState(projectPath, stateOf(query())) });
	}

	async function remove() {
		const answer = await askServer('DELETE', `${path}/${encodeURIComponent(open.id)}`);
		if (answer.status >= 300 || answer.status === 0) return toast(text.fault.of(answer));
		toast(words.removed(open.name));
		if (isStopped) return null;
		open = null;
		setQuery({ view: null });
		await list();
		return draw();
	}

	function items() {
		const edited = Boolean(isChanged());
		const isOwn = Boolean(open) && ['mine', 'project'].includes(open.kind);
		return [
			...views.map((view) => ({ label: view.name, isChecked: open?.id === view.id, onpick: () => pick(view.id) })),
			...(canSave ? [views.length > 0 && null,
				isOwn && edited && { label: words.save, onpick: () => save(open) },
				{ label: words.saveAs, onpick: saveAs },
				{ label: words.copy, onpick: copyTo },
				edited && { label: words.reset, onpick: () => show(open) },
				isOwn && { label: words.remove, isDanger: true, onpick: remove }].filter((item) => item !== false) : []),
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
			const isBare = !Object.keys(stateOf(query())).length;
			const ofProject = isBare && setDefault(views)?.id;
			const id = query().get('view') || ofProject;
			const view = id ? await read(id) : null;
			if (isStopped || open) return; /* somebody was quicker */
			open = view;
			if (open && isBare && !Object.keys(stateOf(query())).length) setQuery(changesOf(open));
			draw();
		},
	};
}
