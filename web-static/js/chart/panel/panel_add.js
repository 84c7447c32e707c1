/* Panels added: of which kind, of which keys, one each or all in one. */

import { el } from '../../base/dom.js';
import { text as chartText } from '../../text/chart.js';
import { text } from '../../text/panels.js';
import { button } from '../../ui/controls.js';
import { dialog } from '../../ui/dialog.js';
import { keyPicker } from '../../ui/key_picker.js';
import { segmented } from '../../ui/segmented.js';
import { KINDS } from './kinds.js';
import { panelOffers } from './panel_offers.js';

const words = text.panels;
const ADDED_MOST = 50; /* at a time */

/* place: what panelOffers takes; removed: how many were taken away. add(specs), restore(). */
export function askPanels({ place, removed, add, restore }) {
	const offers = panelOffers(...place);
	let how = 'each';
	const kind = el(
		'select',
		{ id: 'panel-kind', onchange: begin },
		Object.keys(KINDS).map((name) => el('option', { value: name }, chartText.panels.kinds[name])),
	);
	const ways = segmented(words.how, words.ways, how, (picked) => {
		how = picked;
		change();
	});
	const picker = keyPicker({ most: ADDED_MOST, onchange: change });
	const go = button('', { look: 'primary', onclick: send });
	const back = removed > 0 && button(words.bringBack(removed), { onclick: () => {
		card.close();
		restore();
	} });
	const picks = () => KINDS[kind.value].needs !== null;
	const isEach = () => KINDS[kind.value].least < 2 && (how === 'each' || KINDS[kind.value].most < 2);

	function specs() {
		const said = kind.value === 'line' ? {} : { kind: kind.value };
		const picked = picker.picked();
		if (!picks()) return [{ ...said, keys: [] }];
		return isEach() ? picked.map((key) => ({ ...said, keys: [key] })) : [{ ...said, keys: picked }];
	}

	/* Offers the keys that suit the chosen kind. */
	async function begin() {
		const { needs } = KINDS[kind.value];
		picker.setKeys([]);
		change();
		const keys = await offers.list(needs);
		if (KINDS[kind.value].needs === needs) picker.setKeys(keys);
		change();
	}

	function change() {
		const { least, most } = KINDS[kind.value];
		const picked = picks() ? picker.picked().length : 1;
		const isTooMany = picks() && !isEach() && picked > most;
		const isEnough = picked >= (picks() && !isEach() ? least : 1);
		ways.hidden = least > 1 || most < 2;
		picker.node.hidden = !picks();
		go.disabled = !isEnough || isTooMany;
		if (isTooMany) go.textContent = words.atMost(most);
		else go.textContent = isEnough ? words.add(isEach() ? picked : 1) : words.pickFirst(Math.max(1, least));
	}

	function send() {
		card.close();
		add(specs());
	}

	const card = dialog(
		words.addHead,
		[el('div', { class: 'labelled' }, el('label', { for: 'panel-kind' }, words.kind), kind), picker.node, ways],
		{ actions: [back, el('span', { class: 'grow' }), go], look: 'wide' },
	);
	picker.input.addEventListener('keydown', (event) => {
		if (event.key === 'Enter' && !go.disabled) send();
	});
	begin();
	picker.input.focus();
}
