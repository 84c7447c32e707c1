/* The settings of a project. Admins of its entity change them; users who may see the project read them. */

import { apiPath, hrefOf } from '../address.js';
import { ask } from '../api.js';
import { el } from '../base/dom.js';
import { bytes } from '../base/format.js';
import { roleIn } from '../projects/role.js';
import { query } from '../router.js';
import { defaultViewCard } from '../settings/default_view.js';
import { deleteCard } from '../settings/delete_project.js';
import { deletedRuns } from '../settings/deleted_runs.js';
import { directionsCard } from '../settings/directions_card.js';
import { gibFieldOf, sizeOf, storageFacts } from '../settings/quota_card.js';
import { factList, select, settingsCard, settingsPage } from '../settings/settings.js';
import { storageUse } from '../settings/storage_use.js';
import { text as common } from '../text/common.js';
import { text } from '../text/project_settings.js';
import { form, formField, refusal } from '../ui/form.js';

const words = text.projectSettings;

function numberInput(id, value) {
	return el('input', { id, inputmode: 'numeric', autocomplete: 'off', value });
}

/* Nothing is null; what is no number goes as it is, for the server names the field. */
function numberOf({ control }) {
	const typed = control.value.trim();
	if (!typed) return null;
	return /^\d{1,15}$/.test(typed) ? Number(typed) : typed;
}

/* Only what was changed is sent: what another user has changed stays. */
function changesTo(now, wanted) {
	return Object.fromEntries(Object.entries(wanted).filter(([name, value]) => value !== now[name]));
}

/* model: {project, tag, owner, isRead, save(changes, match)}; `project` is what was saved last, of that tag. */
function generalCard(model) {
	const { project, isRead } = model;
	const about = el('textarea', { id: 'description', rows: 3, maxlength: 16384 }, project.description);
	const description = formField('description', words.description, about);
	const visibility = formField('visibility', words.visibility,
		select('visibility', words.visibilities(project.entity), project.visibility));
	const crash = formField('crash_after_s', words.crash, numberInput('crash-after', project.crash_after_s),
		{ hint: words.crashHow, wrong: words.crashWrong });
	const fields = [description, visibility, crash];
	return settingsCard(words.general, form({
		id: 'project-form', go: common.form.save, isRead, fields, body: fields.map(({ node }) => node),
		send: () => model.save(changesTo(model.project,
			{ description: about.value, visibility: visibility.control.value, crash_after_s: numberOf(crash) })),
		ondone(saved) {
			crash.control.value = saved.crash_after_s;
		},
	}));
}

function retentionCard(model) {
	const { project: { retention }, isRead } = model;
	const fields = words.ends.map(([name, label]) => formField(`retention.${name}`, label,
		numberInput(`keep-${name}`, retention[name]), { wrong: words.daysWrong }));
	const wanted = () => Object.fromEntries(words.ends.map(([name], at) => [name, numberOf(fields[at])]));
	return settingsCard(words.retention, el('p', { class: 'hint' }, words.retentionHow), form({
		id: 'retention-form', go: common.form.save, isRead, fields,
		body: el('div', { class: 'row numbers' }, fields.map(({ node }) => node)),
		send: () => model.save({ retention: changesTo(model.project.retention, wanted()) }),
	}));
}

function quotaForm(model) {
	const { project: { entity, quota_bytes: quota }, isRead } = model;
	const size = gibFieldOf(words.quota, quota, { hint: words.quotaHow(entity), wrong: words.quotaWrong });
	const isTyped = () => size.control.value.trim() !== '';
	return form({ id: 'quota-form', go: common.form.save, isRead, fields: [size], body: size.node,
		send() {
			const count = sizeOf(size.control.value);
			return isTyped() && count === null ? refusal(size.name) : model.save({ quota_bytes: count });
		} });
}

/* Opened from elsewhere (?show=storage), what uses the storage is read at once, and the card is scrolled to. */
function storageCard(model) {
	const { project, owner } = model;
	const use = storageUse({ place: { entity: project.entity, project: project.name }, mayWrite: mayRestore(owner) });
	const card = settingsCard(words.storage, factList([
		[words.stored, project.bytes !== null && bytes(project.bytes)],
		[words.deleted, project.deleted_bytes > 0 && bytes(project.deleted_bytes)],
		...(owner ? storageFacts(owner) : []),
	]), use.node, quotaForm(model), owner && el('p', {},
		el('a', { href: hrefOf(owner.name, 'settings', 'members') }, words.toEntity(owner.name))));
	if (query().get('show') === 'storage') {
		const scroll = () => card.isConnected && card.scrollIntoView();
		requestAnimationFrame(scroll);
		use.read().then(scroll);
	}
	return card;
}

/* Returns the entity as its members may see it, with the user's role; null for other users. */
async function ownerFor(entity) {
	const answer = await roleIn(entity) && await ask('GET', `entities/${encodeURIComponent(entity)}`);
	return answer?.status === 200 ? answer.body : null;
}

/* Returns whether the user may write runs. */
const mayRestore = (owner) => owner?.role === 'member' || owner?.role === 'admin';

function modelOf(path, { body: project, etag: tag }, owner, header) {
	const showPrivacy = () => header.setPrivate(model.project.visibility === 'private');
	const model = {
		project, tag, owner, isRead: owner?.role !== 'admin',
		async save(changes, match) {
			const answer = await ask('PATCH', path, changes, { match });
			if (answer.status !== 200) return answer;
			model.project = answer.body;
			model.tag = answer.etag;
			showPrivacy();
			return answer;
		},
	};
	showPrivacy();
	return model;
}

export async function projectSettingsPage({ entity, project: name }, { user, header }) {
	const path = apiPath(entity, name);
	const [project, views, owner] = await Promise.all([ask('GET', path), ask('GET', `${path}/views`),
		user && ownerFor(entity)]);
	const failed = [project, views].find(({ status }) => status !== 200);
	if (failed) return { answer: failed };
	const model = modelOf(path, project, owner, header);
	return {
		node: settingsPage(el('h1', {}, words.head(name)),
			model.isRead && el('p', { class: 'soft' }, words.onlyAdmins(entity, user)),
			generalCard(model), defaultViewCard({ path, views: views.body.items, isRead: model.isRead }),
			directionsCard(model), retentionCard(model), storageCard(model), mayRestore(owner) && deletedRuns(path),
			!model.isRead && deleteCard(model.project)),
		title: words.head(name),
	};
}
