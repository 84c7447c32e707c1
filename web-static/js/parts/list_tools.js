/* What stands above the list: how many runs, how many are drawn, the filter, and what groups, sorts and shows columns. */

import { hrefOf } from '../address.js';
import { el, replace } from '../dom.js';
import { icon } from '../icons.js';
import { columnName } from '../runs/columns.js';
import { countOf, rowsOf, textOf } from '../runs/filter_rows.js';
import { both } from '../runs/filter_text.js';
import { SORTS_MOST } from '../runs/run_view.js';
import { queryText } from '../router.js';
import { text } from '../text.js';
import { pickColumns } from './column_picker.js';
import { button, menu } from './controls.js';
import { filterRows, groupRows, keyList, rowEditor, sortRows } from './key_rows.js';
import { ask } from './run_dialogs.js';

const words = text.workspace;
const WITH_DATA = 'rows>0';
const NO_WORKERS = 'job_type!=worker';

function editRows(title, editor, keys, hint, take, more) {
	const rows = rowEditor(editor);
	const card = ask(title, [hint && el('p', { class: 'soft' }, hint), rows.node, keyList(keys), more], { go: words.apply, wide: true, onsend: () => take(rows.rows()) });
	return card;
}

function keysOf(rows) {
	return rows.map(({ key }) => key).filter(Boolean);
}

/* list: {view(), set(changes, options), columns(), known, total(), drawn()} */
export function listTools({ address, isTable, filter, views, list }) {
	const counted = el('span', { class: 'count' });
	const chip = menu(el('button', { type: 'button', class: 'chip line', 'aria-label': words.drawnLabel, title: words.drawnLabel }), ruleItems);
	const news = el('button', { type: 'button', class: 'chip news', hidden: true, onclick: list.reload });
	const wider = el('a', { class: 'ibtn', 'aria-label': isTable ? words.narrow : words.expand, title: isTable ? words.narrow : words.expand }, icon('expand'));
	const filterButton = button('', { onclick: editFilter });
	const groupButton = button('', { onclick: editGroup });
	const sortButton = button('', { onclick: editSort });
	const columnButton = button('', { onclick: editColumns });

	function ruleItems() {
		const { show, on, off } = list.view();
		const rules = words.rules.map(([rule, label]) => ({ label, isChecked: rule === show, onpick: () => list.set({ show: rule }) }));
		return [...rules, null, { label: words.handChoices, onpick: () => list.set({ on: [], off: [] }), why: on.length || off.length ? '' : words.handChoices }];
	}

	function editFilter() {
		const add = (term, label) => button(label, { look: 'small', onclick: () => {
			card.close();
			list.set({ filter: both(list.view().filter, term) });
		} });
		const card = editRows(words.filterHead, filterRows(rowsOf(list.view().filter)), list.known.keys(), '', (rows) => list.set({ filter: textOf(rows) }),
			el('div', { class: 'row' }, add(WITH_DATA, words.onlyWithData), add(NO_WORKERS, words.withoutWorkers)));
	}

	function editGroup() {
		editRows(words.groupHead, groupRows(list.view().group), list.known.keys(), words.groupHint, (rows) => list.set({ group: keysOf(rows) }));
	}

	function editSort() {
		editRows(words.sortHead, sortRows(list.view().sort, SORTS_MOST), list.known.keys(), words.sortHint, (rows) => {
			const sort = rows.filter(({ key }) => key);
			list.set({ sort: sort.length ? sort : [{ key: 'created_at', down: true }] });
		});
	}

	function editColumns() {
		pickColumns({ columns: list.columns(), keys: list.known.keys(), onchange: (columns) => list.set({ columns }) });
	}

	function face(node, name, label, on) {
		node.className = `btn small ${on ? 'on' : ''}`.trim();
		replace(node, icon(name), label);
	}

	function update() {
		const view = list.view();
		const total = list.total();
		const filters = countOf(view.filter);
		const first = view.sort[0];
		counted.textContent = total === null ? '' : total.toLocaleString('en-US');
		const limited = view.show === 'all' && total > 1000 ? words.drawnOf(1000, total) : words.drawn(list.drawn());
		replace(chip, icon('eye'), limited, icon('down'));
		wider.href = hrefOf(address.entity, address.project, ...isTable ? [] : ['table']) + queryText(new URLSearchParams(location.search));
		face(filterButton, 'filter', words.filter(filters), filters);
		face(groupButton, 'group', words.group(view.group.map(columnName)), view.group.length);
		face(sortButton, 'sort', `${columnName(first.key)} ${first.down ? '↓' : '↑'}${view.sort.length > 1 ? ` +${view.sort.length - 1}` : ''}`, false);
		face(columnButton, 'columns', words.columns(list.columns().length), false);
	}

	function tellNew(count) {
		news.hidden = count <= 0;
		news.textContent = words.newRuns(count);
	}

	return {
		nodes: [
			el('div', { class: 'runs-top' }, el('h1', {}, words.head, ' ', counted), chip, news, el('span', { class: 'grow' }), views.node, wider),
			el('div', { class: 'runs-tools' }, filter.node,
				el('div', { class: 'runs-buttons' }, filterButton, groupButton, sortButton, columnButton,
					button(words.csvShort, { name: 'download', look: 'small', 'aria-label': words.csv, title: words.csv, onclick: () => list.saveCsv() }))),
		],
		update, tellNew,
	};
}
