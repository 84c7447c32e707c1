/* Dialogs that change a version or a collection. */

import { ask } from '../api.js';
import { el, field } from '../base/dom.js';
import { text as common } from '../text/common.js';
import { text } from '../text/artifacts.js';
import { formDialog } from '../ui/form_dialog.js';
import { isDone } from '../ui/form.js';
import { changesOf, daysOf, linesOf, mergedChanges, secondsOf } from './edits.js';
import { nameOf } from './places.js';

const words = text.artifact.editing;

function area(id, value, rows, maxlength) {
	const node = el('textarea', { id, rows, maxlength });
	node.value = value;
	return node;
}

const number = (id, value) => el('input', { id, inputmode: 'decimal', autocomplete: 'off', value });

function hinted(label, control, hint) {
	control.setAttribute('aria-describedby', `${control.id}-hint`);
	const node = field(label, control);
	node.append(el('p', { class: 'hint', id: `${control.id}-hint` }, hint));
	return node;
}

/* The fields that versions and collections have; before: one of them. */
function commonFields(before, ttlHow) {
	return {
		tags: area('artifact-tags', before.tags.join('\n'), 3),
		about: area('artifact-about', before.description ?? '', 6, 65536),
		ttl: number('artifact-ttl', daysOf(before.ttl_s)),
		ttlHow,
	};
}

function nodesOf({ tags, about, ttl, ttlHow }) {
	return [field(words.tags, tags), field(words.about, about), hinted(words.ttl, ttl, ttlHow)];
}

function wantedOf({ tags, about, ttl }, before) {
	return { tags: linesOf(tags.value), description: about.value || null,
		ttl_s: ttl.value === daysOf(before.ttl_s) ? before.ttl_s : secondsOf(ttl.value) };
}

/*
 * It is read again before it is changed, as others may have edited it. {fault: an answer that failed or {detail}, body: what the next change
 * is made to}: once others' edits are shown, a second Save replaces them.
 */
async function patch(path, before, wanted) {
	if (!Object.keys(changesOf(before, wanted)).length) return { fault: null, body: null };
	const now = await ask('GET', path);
	if (!isDone(now)) return { fault: now };
	const { changes, taken } = mergedChanges(before, wanted, now.body);
	if (taken.length) return { fault: { detail: words.taken(taken) }, body: { ...before, ...Object.fromEntries(taken.map((name) => [name, now.body[name]])) } };
	const answer = await ask('PATCH', path, changes);
	return { fault: isDone(answer) ? null : answer, body: isDone(answer) ? answer.body : null };
}

const whyOf = (fault) => fault.detail || common.fault.of(fault);

/* Aliases are set before others are removed; one that is gone already is removed. Returns the answer that failed, or null. */
async function setAliases(path, before, wanted) {
	const steps = [...wanted.filter((alias) => !before.includes(alias)).map((alias) => ['PUT', alias]),
		...before.filter((alias) => !wanted.includes(alias)).map((alias) => ['DELETE', alias])];
	for (const [method, alias] of steps) {
		const answer = await ask(method, `${path}/aliases/${encodeURIComponent(alias)}`);
		const isGone = method === 'DELETE' && answer.status === 404;
		if (!isDone(answer) && !isGone) return answer;
	}
	return null;
}

/* done() is called when something may have changed, also if a part of it failed. */
export function editVersion({ path, version, done }) {
	const own = version.aliases.filter((alias) => alias !== 'latest');
	const aliases = area('artifact-aliases', own.join('\n'), 3);
	const fields = commonFields(version, words.ttlHow);
	let before = version;
	let named = own;

	async function onsend() {
		const wanted = wantedOf(fields, before);
		if (Number.isNaN(wanted.ttl_s)) return words.ttlWrong(fields.ttl.value);
		const { fault, body } = await patch(path, before, wanted);
		if (body) before = body;
		if (body && !fault) fields.tags.value = body.tags.join('\n');
		const next = linesOf(aliases.value);
		const failed = fault || await setAliases(path, named, next);
		if (failed) {
			if (!fault) done();
			return whyOf(failed);
		}
		named = next;
		return '';
	}

	formDialog(words.version(nameOf(version)), [hinted(words.aliases, aliases, words.aliasesHow), nodesOf(fields)],
		{ wide: true, onsend, ondone: done });
}

export function editCollection({ path, collection, done }) {
	const name = el('input', { id: 'artifact-name', value: collection.name, maxlength: 128, autocomplete: 'off' });
	const keep = el('input', { id: 'artifact-keep', inputmode: 'numeric', autocomplete: 'off', value: collection.keep_last });
	const fields = commonFields(collection, words.ttlOfAllHow);
	let before = collection;

	async function onsend() {
		const wanted = { ...wantedOf(fields, before), name: name.value.trim(), keep_last: Number(keep.value.trim() || '0') };
		if (Number.isNaN(wanted.ttl_s)) return words.ttlWrong(fields.ttl.value);
		if (!Number.isInteger(wanted.keep_last) || wanted.keep_last < 0) return words.keepWrong(keep.value);
		const { fault, body } = await patch(path, before, { ...wanted, ttl_s: wanted.ttl_s ?? 0 });
		if (body) before = body;
		return fault ? whyOf(fault) : '';
	}

	formDialog(words.collection(collection.name),
		[field(words.name, name), nodesOf(fields), hinted(words.keep, keep, words.keepHow)],
		{ wide: true, onsend, ondone: () => done(before) });
}
