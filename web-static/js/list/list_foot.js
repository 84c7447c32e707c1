/* Below the list: where one is in it, and what can be done with what is selected: groups can be compared alone. */

import { el, replace } from '../base/dom.js';
import { text as common } from '../text/common.js';
import { text } from '../text/list.js';
import { button, iconButton, menu } from '../ui/controls.js';

const words = text.workspace;

export function listFoot({ list, selectedRuns, selectedGroups, clear, actions }) {
	const place = el('span', { class: 'place' });
	const chosen = el('span', { class: 'chosen', role: 'group', 'aria-label': words.act.selected });

	function ids() {
		return selectedRuns().map(({ id }) => id);
	}

	function act(label, onclick, look = '', why = '') {
		return button(label, { look: `small plain ${look}`.trim(), onclick, disabled: Boolean(why), title: why || null });
	}

	function hide() {
		const off = new Set(ids());
		list.set({ off: [...new Set([...list.view().off, ...off])], on: list.view().on.filter((id) => !off.has(id)) });
	}

	/* Returns a button with the action of the rows' eyes: hides runs, or takes them out of the numbers of groups. */
	function actOfEyes() {
		return list.view().group.length ? act(words.act.takeOutSome, () => list.count(ids(), false))
			: act(words.act.hideShort, hide);
	}

	function placeWords({ from, to }, model) {
		if (model.view().group.length) {
			const isBySize = model.groupCount() > 1 && model.areGroupsBySize();
			return words.footGroups(model.groupCount(), model.total() ?? 0) + (isBySize ? words.bySize : '');
		}
		const onTop = model.base().length; /* seen always, and counted as all others */
		const total = model.count() + onTop;
		return total ? words.foot(from ? from + onTop + 1 : 1, to + onTop, total) : '';
	}

	/* Returns the number of all runs if those that were read are selected, and there are more. */
	function more(count, model) {
		const total = model.total() ?? 0;
		return list.checked().all && !model.view().group.length && total > count ? total : 0;
	}

	function actsOfRuns() {
		const why = list.whyNot();
		return [act(words.act.showOnly, () => list.set({ show: 'picked', on: ids(), off: [] })),
			actOfEyes(),
			act(words.act.tags, () => actions.tag(selectedRuns()), '', why),
				act(words.act.remove, () => actions.remove(selectedRuns()), 'danger', why),
			menu(iconButton('more', words.act.more, { class: 'ibtn small' }), () => [
				{ label: words.act.group, why, onpick: () => actions.group(selectedRuns()) },
				{ label: words.csv, name: 'download', onpick: () => list.saveCsv(selectedRuns()) },
				{ label: common.runMenu.move, why, onpick: () => actions.move(selectedRuns()) },
			])];
	}

	return {
		node: el('footer', { class: 'runs-foot' }, place, el('span', { class: 'grow' }), chosen),
		update(seen, model) {
			if (!model.view()) return;
			const all = [...ids(), ...selectedGroups()];
			place.textContent = placeWords(seen, model) + (model.behind() ? words.footBehind(model.behind()) : '');
			chosen.hidden = !all.length;
			const whole = more(all.length, model);
			const essence = `${model.view().group.length > 0} ${whole} ${all.join()}`;
			if (chosen.dataset.essence === essence) return;
			chosen.dataset.essence = essence;
			replace(chosen, all.length > 0 && [el('span', { role: 'status' }, words.selected(all.length, whole)),
				all.length > 1 && act(words.act.compare, list.compare), selectedGroups().length === 0 && actsOfRuns(),
					button(words.act.none, { look: 'small plain', title: words.act.noneHow, onclick: clear })]);
		},
	};
}
