/* The versions of all collections of a project that a filter finds, the newest first. */

import { apiPath } from '../address.js';
import { pagesOf } from '../artifacts/pages.js';
import { versionTable } from '../artifacts/version_table.js';
import { el, refill } from '../base/dom.js';
import { narrowed, termText } from '../base/filter_text.js';
import { queryOf } from '../base/query_text.js';
import { query, setQuery } from '../router.js';
import { text } from '../text/artifacts.js';
import { button } from '../ui/controls.js';
import { faultWords } from '../ui/fault_words.js';
import { filterField } from './filter_field.js';
import { filterFault } from './model/filter_parts.js';
import { isOfFilter } from './model/refused.js';

const words = text.artifacts;
const KEYS = ['collection', 'type', 'alias', 'tag', 'metadata.', 'version', 'digest', 'run', 'user', 'description', 'bytes', 'files', 'created_at'];
const TEXTS = { collection: ({ collection }) => [collection], name: ({ collection }) => [collection], type: ({ type }) => [type],
	alias: ({ aliases }) => aliases, tag: ({ tags }) => tags, version: ({ version }) => [version], digest: ({ digest }) => [digest],
	user: ({ user }) => [user], run: ({ run }) => [run?.id] };
const DOCUMENT = 'metadata.';

const isScalar = (value) => value === null || typeof value !== 'object';

/* The dotted names of what metadata has. */
function namesIn(value, prefix = DOCUMENT) {
	return Object.entries(value ?? {}).flatMap(([name, inner]) => isScalar(inner) || Array.isArray(inner) ? [prefix + name] : namesIn(inner, `${prefix}${name}.`));
}

function valueAt(metadata, key) {
	return key.slice(DOCUMENT.length).split('.').reduce((value, name) => isScalar(value) ? undefined : value[name], metadata);
}

/* As known_keys.js, of the versions that were seen and the types of the project. */
function knownOf(seen, types) {
	const names = () => new Set([...seen.values()].flatMap(({ metadata }) => namesIn(metadata)));
	const ofVersions = (key) => [...seen.values()].flatMap((version) => key.startsWith(DOCUMENT)
		? [valueAt(version.metadata, key)] : TEXTS[key]?.(version) ?? []);
	return {
		keys: () => [...KEYS.filter((key) => key !== DOCUMENT), ...names()],
		values: async (key) => [...new Set([...key === 'type' ? types() : [], ...ofVersions(key)])]
			.filter((value) => value !== undefined && isScalar(value)),
		find: async () => false,
	};
}

/* types(): names. {tools, node, update, begin, stop}: as of the list of collections. */
export function versionSearch({ entity, project, type }, { types }) {
	const seen = new Map();
	const known = knownOf(seen, types);
	const typed = () => query().get('q')?.trim() ?? '';
	const ofType = type ? [{ text: termText('type', ':', type), json: { type } }] : [];
	const filterNow = () => narrowed(typed(), ofType);
	const path = () => `${apiPath(entity, project)}/artifact-versions${filterNow() && `?${queryOf({ filter: filterNow() })}`}`;
	const fault = el('p', { class: 'fault', role: 'alert' });
	const sayFault = faultWords(() => list.again());
	const list = pagesOf(path, { changed: draw, fault: sayOf });
	const field = filterField({ value: typed(), known, label: words.filter, hint: words.filterHint,
		onchange: (next) => next === typed() || setQuery({ q: next || null }) });
	const table = versionTable(null);
	const more = button(words.more, { onclick: () => list.more() });
	const none = el('p', { class: 'soft', role: 'status' });
	let asked = path();

	/* Places are those of the whole filter; the typed text may begin after a bracket. */
	function sayOf(answer) {
		const isTyped = isOfFilter(answer);
		refill(fault, sayFault(isTyped ? null : answer));
		if (!isTyped) return void (answer || field.set(typed()));
		const before = filterNow().indexOf(typed());
		const said = filterFault(answer.body, known.keys(), filterNow());
		field.setFault({ ...said, at: said.at === undefined ? undefined : Math.max(0, said.at - before) });
	}

	function draw() {
		const { items, cursor } = list.list;
		for (const version of items) seen.set(version.id, version);
		more.hidden = !cursor;
		table.node.hidden = !items.length;
		none.hidden = items.length > 0;
		none.textContent = typed() ? words.noVersion : words.noVersions;
		table.show(items);
	}

	function update() {
		if (path() === asked) return;
		asked = path();
		list.restart();
	}

	more.hidden = table.node.hidden = none.hidden = true;
	return {
		tools: field.node,
		node: el('div', { class: 'artifacts-body' }, fault, table.node, none, more),
		update,
		begin: list.again,
		stop() {
			field.stop();
			list.stop();
		},
	};
}
