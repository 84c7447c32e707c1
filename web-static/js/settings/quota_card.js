/* The storage that the runs of a user or team use, and its quota; admins of the server set it. */

import { ask } from '../api.js';
import { el, replace } from '../base/dom.js';
import { bytes } from '../base/format.js';
import { text as common } from '../text/common.js';
import { text } from '../text/settings.js';
import { form, formField, refusal } from '../ui/form.js';
import { factList, select, settingsCard } from './settings.js';

const words = text.quota;
const GIB = 2 ** 30;

export function storageFacts(entity) {
	return [
		[words.stored(entity.name), bytes(entity.bytes)],
		[words.deleted, entity.deleted_bytes > 0 && bytes(entity.deleted_bytes)],
		[words.limit(entity.name), entity.limit_bytes === null ? words.noLimit : bytes(entity.limit_bytes)],
	];
}

function kindOf(quota) {
	return quota === null ? 'standard' : quota === 0 ? 'none' : 'own';
}

/* Returns the bytes of a size typed in GiB; null if it is invalid, as is 0: null and 0 have meanings of their own. */
export function sizeOf(typed) {
	const count = Math.round(Number(typed) * GIB);
	return count > 0 && Number.isSafeInteger(count) ? count : null;
}

export function gibFieldOf(label, quota, more) {
	const value = quota ? quota / GIB : '';
	return formField('quota_bytes', label,
		el('input', { id: 'quota-size', inputmode: 'decimal', autocomplete: 'off', value }), more);
}

function quotaForm(path, quota, draw) {
	const kind = formField('kind', words.kind, select('quota-kind', words.kinds, kindOf(quota)));
	const size = gibFieldOf(words.size, quota, { wrong: words.sizeWrong });
	const isOwn = () => kind.control.value === 'own';

	function showSize() {
		size.node.hidden = !isOwn();
	}

	function send() {
		const count = isOwn() ? sizeOf(size.control.value) : kind.control.value === 'none' ? 0 : null;
		if (isOwn() && count === null) return refusal(size.name);
		return ask('PATCH', path, { quota_bytes: count });
	}

	kind.control.addEventListener('change', showSize);
	showSize();
	return form({ id: 'quota-form', go: common.form.save, fields: [kind, size],
		body: el('div', { class: 'row' }, kind.node, size.node), send, ondone: draw });
}

export function quotaCard({ path, entity, canChange }) {
	const facts = el('div');

	function draw(now) {
		replace(facts, factList(storageFacts(now)));
	}

	draw(entity);
	return settingsCard(words.title, facts, el('p', { class: 'hint' }, words.how),
		canChange ? quotaForm(path, entity.quota_bytes, draw) : el('p', { class: 'soft' }, words.onlyAdmins));
}
