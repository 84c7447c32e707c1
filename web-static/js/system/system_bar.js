/* The bar above system metrics: what it changes is in the address, which it shows. */

import { el, replace } from '../base/dom.js';
import { setQuery } from '../router.js';
import { text } from '../text/system.js';
import { field, iconButton } from '../ui/controls.js';
import { segmented, setSegment } from '../ui/segmented.js';

const words = text.system;
const OFFERED = 500;
const FIELDS = [['panels', words.search], ['label', words.labels], ['device', words.devices]];

function fieldOf([name, label], offered) {
	const id = `system-${name}`;
	const node = field('search', label, { list: id, oninput: () => setQuery({ [name]: input.value || null }) });
	const input = node.querySelector('input');
	const list = el('datalist', { id });
	const offer = () => replace(list, offered().slice(0, OFFERED).map((value) => el('option', { value })));
	input.addEventListener('focus', offer);
	return { name, input, node: el('span', { class: 'system-field' }, node, list) };
}

/* offered: by name of a field, what there is; hasSteps(): whether the run has any. {node, update(look), showSteps, mark(name, isWrong)} */
export function systemBar(look, offered, hasSteps) {
	const put = (changes) => setQuery(changes, { replace: false });
	const by = segmented(words.by, words.bys, look.by, (value) => put({ by: value === 'metric' ? null : value }));
	const x = segmented(words.x, words.xNames, look.xName,
		(value) => put({ x: value === 'wall' ? null : value, zoom: null }));
	const fields = FIELDS.map((one) => fieldOf(one, offered[one[0]]));
	const reset = iconButton('search', words.resetZoom, { onclick: () => setQuery({ zoom: null }) });

	/* Disables steps if the run has none, unless they are already chosen: the page then says why nothing is shown. */
	function showSteps() {
		const steps = x.querySelector('[data-value="step"]');
		steps.disabled = !hasSteps() && steps.getAttribute('aria-pressed') !== 'true';
		steps.title = steps.disabled ? words.noSteps : '';
	}

	function update(next) {
		setSegment(by, next.by);
		setSegment(x, next.xName);
		for (const { name, input } of fields) if (document.activeElement !== input) input.value = next.fields[name];
		reset.hidden = !next.zoom;
		showSteps();
	}

	function mark(name, isWrong) {
		fields.find((one) => one.name === name).input.setAttribute('aria-invalid', String(isWrong));
	}

	update(look);
	const node = el('div', { class: 'chart-bar', role: 'toolbar', 'aria-label': words.bar }, by,
		fields.map((one) => one.node), x, reset);
	return { node, update, showSteps, mark };
}
