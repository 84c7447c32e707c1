/*
 * The tools above the list: the number of runs, the number drawn, the filter, and buttons for groups, sort and columns.
 */

import { hrefOf } from '../address.js';
import { el, replace } from '../base/dom.js';
import { countOf } from '../base/filter_text.js';
import { queryText } from '../router.js';
import { text } from '../text/list.js';
import { button, menu } from '../ui/controls.js';
import { icon } from '../ui/icons.js';
import { later } from '../ui/later.js';
import { columnName } from './model/names.js';
import { tintKey } from './tint_key.js';

const words = text.workspace;
const edit = later(() => import('./list_edits.js'));

/* list: {view(), query(), set(changes, options), columns(), known, total(), drawn(), tint(), isBeside} */
export function listTools({ address, isTable, filter, views, list }) {
	const counted = el('span', { class: 'count' });
	const chip = menu(el('button',
		{ type: 'button', class: 'chip line drawn-rule', title: words.drawnLabel }), ruleItems);
	const news = el('button', { type: 'button', class: 'chip news', hidden: true, onclick: list.reload });
	const wider = el('a',
		{ class: 'ibtn', 'aria-label': isTable ? words.narrow : words.expand, title: isTable ? words.narrow : words.expand },
		icon('expand'));
	const filterButton = button('', { onclick: () => edit('editFilter', list) });
	const groupButton = button('', { onclick: () => edit('editGroup', list) });
	const sortButton = button('', { onclick: () => edit('editSort', list) });
	const tint = tintKey(list);
	const columnButton = button('', { onclick: () => edit('editColumns', list) });

	function ruleItems() {
		const { show, on, off, out, group } = list.view();
		const isByHand = [on, off, out].some((ids) => ids.length);
		const rules = words.rules.map(([rule, label]) => ({ label, isChecked: rule === show,
			onpick: () => list.set({ show: rule }) }));
		return [...rules, null,
			{ label: words.tint.choose, onpick: () => edit('editTint', list), why: group.length ? words.tint.ofGroups : '' },
			{ label: words.handChoices, onpick: () => list.set({ on: [], off: [], out: [] }),
			why: isByHand ? '' : words.handChoices }];
	}

	function face(node, name, label, on) {
		node.className = `btn small ${on ? 'on' : ''}`.trim();
		replace(node, icon(name), el('span', { class: 'clip', title: label }, label));
	}

	function update() {
		const view = list.view();
		const total = list.total();
		const filters = countOf(view.filter);
		const first = view.sort[0];
		counted.textContent = total === null ? '' : total.toLocaleString('en-US');
		const limited = view.show === 'all' && total > 1000 ? words.drawnOf(1000, total) : words.drawn(list.drawn());
		replace(chip, icon('eye'), limited, icon('down'));
		chip.setAttribute('aria-label', words.drawnName(limited));
		wider.href = hrefOf(address.entity, address.project, ...isTable ? [] : ['table']) + queryText(list.query());
		face(filterButton, 'filter', words.filter(filters), filters);
		face(groupButton, 'group', words.group(view.group.map(columnName)), view.group.length);
		face(sortButton, 'sort',
			`${columnName(first.key)} ${first.down ? '↓' : '↑'}${view.sort.length > 1 ? ` +${view.sort.length - 1}` : ''}`,
			false);
		face(columnButton, 'columns', words.columns(list.columns().length), false);
		tint.update();
	}

	function tellNew(count) {
		news.hidden = count <= 0;
		news.textContent = words.newRuns(count);
	}

	return {
		nodes: [
			el('div', { class: 'runs-top' }, el(list.isBeside ? 'h2' : 'h1', {}, words.head, ' ', counted), chip, news,
				el('span', { class: 'grow' }), views.node, wider),
			el('div', { class: 'runs-tools' }, filter.node,
				el('div', { class: 'runs-buttons' }, filterButton, groupButton, sortButton, columnButton,
					button(words.csvShort,
						{ name: 'download', look: 'small', 'aria-label': words.csv, title: words.csv, onclick: () => list.saveCsv() })),
				tint.node),
		],
		update, tellNew,
	};
}
