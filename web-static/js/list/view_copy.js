/*
 * How one looks at this project goes to another one as a view. A name that is taken there is replaced only when one
 * says so.
 */

import { apiPath, hrefOf } from '../address.js';
import { ask as askServer } from '../api.js';
import { el, field, replace } from '../base/dom.js';
import { projectPicker } from '../projects/project_picker.js';
import { text as common } from '../text/common.js';
import { text } from '../text/list.js';
import { toast } from '../ui/controls.js';
import { formDialog } from '../ui/form_dialog.js';
import { elsewhere } from './model/saved_view.js';

const words = text.workspace.saved;

/* {view} that would be replaced, with its tag; {} where none is called so; {fault}. */
async function namesake(path, name, kind) {
	const views = await askServer('GET', path);
	if (views.status !== 200) return { fault: views };
	const same = views.body.items.find((view) => view.name === name && view.kind === kind);
	if (!same) return {};
	const answer = await askServer('GET', `${path}/${encodeURIComponent(same.id)}`);
	return answer.status === 200 ? { view: { ...answer.body, etag: answer.etag } } : { fault: answer };
}

function save(path, view, { name, kind, state }) {
	return view ? askServer('PUT', `${path}/${encodeURIComponent(view.id)}`, { name, state }, { match: view.etag })
		: askServer('POST', path, { name, kind, state });
}

function told({ entity, project, view }) {
	const href = `${hrefOf(entity, project)}?view=${encodeURIComponent(view.id)}`;
	return [el('a', { href }, el('bdi', {}, view.name)), words.copiedTo(`${entity}/${project}`)];
}

/* from: {entity, project}; state(): a promise of what is copied. */
export function askCopyView(from, { name: given, state }) {
	const name = el('input',
		{ id: 'view-name', maxlength: 128, autocomplete: 'off', required: true, value: given, oninput: forget });
	const kind = el('select', { id: 'view-kind', onchange: forget },
		words.kinds.map(([value, label]) => el('option', { value }, label)));
	const consent = el('input', { type: 'checkbox', id: 'view-replace' });
	const taken = el('label', { class: 'row', hidden: true });
	let card = null;
	let asked = null; /* the view that one was asked about */
	const picker = projectPicker({
		isFit: ({ entity, name: project }) => entity !== from.entity || project !== from.project,
		onchange() {
			forget();
			card?.node.querySelector('form').dispatchEvent(new Event('input'));
		},
	});

	function forget() {
		asked = null;
		consent.checked = false;
		taken.hidden = true;
	}

	/* Asks for consent to replace a view. Consent holds only for that view in that version. */
	function askAbout(view, { entity, name: project }) {
		if (asked && consent.checked && asked.id === view.id && asked.etag === view.etag) return '';
		forget();
		asked = view;
		replace(taken, consent, words.replace(view.name));
		taken.hidden = false;
		return words.taken(view.name, `${entity}/${project}`);
	}

	async function send() {
		const to = picker.picked();
		const path = `${apiPath(to.entity, to.name)}/views`;
		const what = { name: name.value.trim(), kind: kind.value, state: elsewhere(await state()) };
		const { view, fault } = await namesake(path, what.name, what.kind);
		if (fault) return common.fault.of(fault);
		const why = view ? askAbout(view, to) : '';
		if (why) return why;
		const answer = await save(path, view, what);
		if (answer.status >= 300 || !answer.body) return common.fault.of(answer);
		toast(told({ entity: to.entity, project: to.name, view: answer.body }));
		return '';
	}

	card = formDialog(words.copyHead,
		[picker.node, field(words.name, name), field(words.who, kind), taken, el('p', { class: 'soft' }, words.copyHow)],
		{ go: words.copyGo, onsend: send, canSend: () => Boolean(picker.picked()) && name.value.trim() !== '' });
	picker.start();
}
