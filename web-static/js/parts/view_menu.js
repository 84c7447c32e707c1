/* Saved views: which one is seen, whether it was changed since, and what saves it. Nothing is saved unasked. */

import { apiPath } from '../address.js';
import { ask as askServer } from '../api.js';
import { el, field, replace } from '../dom.js';
import { icon } from '../icons.js';
import { onQuery, query, setQuery } from '../router.js';
import { changesTo, isEdited, stateOf } from '../runs/saved_view.js';
import { text } from '../text.js';
import { menu, toast } from './controls.js';
import { ask } from './run_dialogs.js';

const words = text.workspace.saved;

/* {node, start, stop}; `canSave`: whether somebody is signed in. */
export function viewMenu({ entity, project, canSave }) {
	const path = `${apiPath(entity, project)}/views`;
	const button = menu(el('button', { type: 'button', class: 'btn plain views' }), items);
	let views = [];
	let open = null;

	function show(view) {
		open = view;
		setQuery(changesTo(query(), view.state, view.id), { replace: false });
		draw();
	}

	async function read(id) {
		const answer = await askServer('GET', `${path}/${encodeURIComponent(id)}`);
		if (answer.status === 200) return answer.body;
		toast(text.fault.of(answer));
		return null;
	}

	async function pick(id) {
		const view = await read(id);
		if (view) show(view);
	}

	async function list() {
		const answer = await askServer('GET', path);
		views = answer.status === 200 ? answer.body.items : [];
	}

	/* What was saved is what is open. */
	async function keep(method, at, body) {
		const answer = await askServer(method, at, body);
		if (answer.status >= 300 || !answer.body) return toast(text.fault.of(answer));
		await list();
		show({ ...answer.body, state: stateOf(query()) });
		return toast(words.kept(answer.body.name));
	}

	function saveAs() {
		const name = el('input', { id: 'view-name', maxlength: 128, autocomplete: 'off', required: true });
		const kind = el('select', { id: 'view-kind' }, words.kinds.map(([value, label]) => el('option', { value }, label)));
		ask(words.saveAs, [field(words.name, name), field(words.who, kind)], { canSend: () => name.value.trim() !== '',
			onsend: () => keep('POST', path, { kind: kind.value, name: name.value.trim(), state: stateOf(query()) }) });
	}

	async function remove() {
		const answer = await askServer('DELETE', `${path}/${encodeURIComponent(open.id)}`);
		if (answer.status >= 300 || answer.status === 0) return toast(text.fault.of(answer));
		toast(words.removed(open.name));
		open = null;
		setQuery({ view: null });
		await list();
		return draw();
	}

	function items() {
		const edited = open && isEdited(query(), open.state);
		const isOwn = open && ['mine', 'project'].includes(open.kind);
		return [
			...views.map((view) => ({ label: view.name, isChecked: open?.id === view.id, onpick: () => pick(view.id) })),
			...(canSave ? [null,
				isOwn && edited && { label: words.save, onpick: () => keep('PATCH', `${path}/${encodeURIComponent(open.id)}`, { state: stateToPatch() }) },
				{ label: words.saveAs, onpick: saveAs },
				edited && { label: words.reset, onpick: () => show(open) },
				isOwn && { label: words.remove, isDanger: true, onpick: remove }].filter((item) => item !== false) : []),
		];
	}

	/* A merge patch: what is in it no more is taken away. */
	function stateToPatch() {
		const now = stateOf(query());
		return { ...Object.fromEntries(Object.keys(open.state).filter((name) => !(name in now)).map((name) => [name, null])), ...now };
	}

	function draw() {
		replace(button, el('b', { class: 'clip' }, open ? open.name : words.none), open && isEdited(query(), open.state) && el('span', { class: 'count' }, words.edited),
			icon('down'));
		button.setAttribute('aria-label', words.label);
	}

	const stop = onQuery(async () => {
		const id = query().get('view');
		if (!id) open = null;
		else if (open?.id !== id) open = await read(id);
		draw();
	});

	draw();
	return {
		node: button, stop,
		/* An address with nothing but a view stands for what is in it. */
		async start() {
			const id = query().get('view');
			await list();
			open = id ? await read(id) : null;
			if (open && !Object.keys(stateOf(query())).length) setQuery(changesTo(query(), open.state, id));
			draw();
		},
	};
}
