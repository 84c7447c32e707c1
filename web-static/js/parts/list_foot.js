/* Below the list: where one is in it, and what can be done with what is selected. */

import { el, replace } from '../dom.js';
import { text } from '../text.js';
import { button } from './controls.js';

const words = text.workspace;

export function listFoot({ list, selectedRuns, clear, actions }) {
	const place = el('span', { class: 'place' });
	const chosen = el('span', { class: 'chosen', role: 'group', 'aria-label': words.act.selected });

	function ids() {
		return selectedRuns().map(({ id }) => id);
	}

	function act(label, onclick, look = '') {
		return button(label, { look: `small plain ${look}`.trim(), onclick });
	}

	function hide() {
		const off = new Set(ids());
		list.set({ off: [...new Set([...list.view().off, ...off])], on: list.view().on.filter((id) => !off.has(id)) });
	}

	function placeWords({ from, to }, model) {
		if (model.view().group.length) return words.footGroups(model.groupCount(), model.total() ?? 0);
		return model.count() ? words.foot(from + 1, to, model.count()) : '';
	}

	return {
		node: el('footer', { class: 'runs-foot' }, place, el('span', { class: 'grow' }), chosen),
		update(seen, model) {
			if (!model.view()) return;
			const runs = selectedRuns();
			place.textContent = placeWords(seen, model);
			chosen.hidden = !runs.length;
			if (chosen.dataset.ids === ids().join()) return;
			chosen.dataset.ids = ids().join();
			replace(chosen, runs.length > 0 && [el('span', { role: 'status' }, words.selected(runs.length)),
				act(words.act.showOnly, () => list.set({ show: 'picked', on: ids(), off: [] })),
				ids().length > 1 && act(words.act.compare, list.compare), act(words.act.hide, hide), act(words.act.tags, () => actions.tag(selectedRuns())),
				act(text.moveRun.menu, () => actions.move(selectedRuns())),
				act(words.act.remove, () => actions.remove(selectedRuns()), 'danger'), act(words.act.none, clear)]);
		},
	};
}
