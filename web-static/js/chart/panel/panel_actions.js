/*
 * Actions on the panels of a page; each is a change of the layout that can be undone. Their code is loaded at the first
 * action (layout_actions.js).
 */

import { text } from '../../text/chart.js';
import { later } from '../../ui/later.js';
import { foldSection, isPinned } from './layout.js';

const words = text.panels;
const tools = later(() => import('./layout_actions.js'));

/* layout: the keeper; place: what panelOffers takes; keys(), sections(): what there is now. */
export function panelActions(of) {
	const { layout, page } = of;
	const asks = (name) => (...what) => tools('act', name, of, ...what);
	const move = asks('moveByKeys');
	const does = (name) => (...what) => tools.each(({ act }) => act(name, of, ...what));

	const [remove, pin, change, members] = ['remove', 'pin', 'change', 'members'].map(does);

	function membersItem({ id, spec, page: { groups } }) {
		if (spec.kind !== 'line' || !groups.length) return [];
		const { show, hide } = text.groupMembers;
		const onpick = () => members(id, !spec.members);
		return [{ label: spec.members ? hide : show, name: 'group', onpick }];
	}

	return {
		move, change,
		add: asks('add'),
		askLegend: asks('askLegend'),
		pickKey: asks('pickKey'),
		moveTo: does('moveTo'),
		menuOf: (panel) => [
			...membersItem(panel),
			{ label: words.editPanel, onpick: () => page.full(panel.spec.id) },
			{ label: isPinned(layout.layout(), panel.id) ? words.unpin : words.pin, name: 'pin', onpick: () => pin(panel) },
			{
				label: words.moveByKeys,
				key: 'm',
				onpick: () => {
					panel.node.focus();
					move(panel);
				},
			},
			{ label: words.remove, isDanger: true, onpick: () => remove(panel) },
		],
		ofSections: {
			rename: asks('rename'),
			share: does('share'),
			fold: (name, isOpen) => layout.set(foldSection(layout.layout(), name, isOpen)),
			move: does('move'),
		},
	};
}
