/* A field for a config, with the numbers of its lines. The server checks it while it is typed; a fault leads to its line. */

import { apiPath } from '../address.js';
import { ask } from '../api.js';
import { el, refill, replace } from '../base/dom.js';
import { text as common } from '../text/common.js';
import { text } from '../text/sweeps.js';
import { levelsOf, spanOfLine } from './config_text.js';

const words = text.sweep;
const QUIET_MS = 250;

/* {node, value(), check(): a promise of whether it is valid, focus(), stop()}. onchecked(isValid) is called after each check. */
export function configEditor({ entity, project }, value, { id, onchecked = () => {} }) {
	const path = `${apiPath(entity, project)}/sweeps?dry_run=true`;
	const area = el('textarea', { id, class: 'mono', rows: 16, wrap: 'off', spellcheck: 'false', autocapitalize: 'off', autocomplete: 'off',
		'aria-label': words.editor, 'aria-describedby': `${id}-said`, oninput: typed, onscroll: follow });
	const gutter = el('pre', { class: 'editor-lines', 'aria-hidden': 'true' });
	const said = el('p', { class: 'soft', id: `${id}-said`, role: 'status' });
	const list = el('ul', { class: 'editor-faults', 'aria-label': words.faults });
	let timer = 0;
	let turn = 0;
	let faults = [];

	function follow() {
		gutter.scrollTop = area.scrollTop;
	}

	function number() {
		const levels = levelsOf(faults);
		const lines = area.value.split('\n').length;
		refill(gutter, Array.from({ length: lines }, (_, at) => el('span', { class: levels.get(at + 1) }, `${at + 1}\n`)));
		follow();
	}

	function goTo(line) {
		const [from, to] = spanOfLine(area.value, line);
		area.focus();
		area.setSelectionRange(from, to);
		area.scrollTop = Math.max(0, (line - 4) * parseFloat(getComputedStyle(area).lineHeight));
	}

	function faultNode({ level, line, column, path: key, text: told }) {
		const where = line ? el('button', { type: 'button', class: 'link', onclick: () => goTo(line) }, words.faultAt(line, column)) : null;
		return el('li', { class: level }, el('b', {}, words.levels[level]), ' ', where, where && ' ', key && !told.includes(key) && [el('code', {}, key), ' '], told);
	}

	function show(found, told) {
		faults = found;
		const isValid = !found.some(({ level }) => level === 'error');
		number();
		replace(said, told);
		refill(list, found.map(faultNode));
		list.hidden = !found.length;
		area.setAttribute('aria-invalid', String(!isValid));
	}

	/* Without an answer nothing is known: the server checks again when it is sent. */
	async function check() {
		const mine = ++turn;
		clearTimeout(timer);
		if (!area.value.trim()) {
			show([], words.empty);
			onchecked(false);
			return false;
		}
		const answer = await ask('POST', path, { config: area.value });
		if (mine !== turn) return false;
		if (answer.status !== 200) {
			show([], common.fault.of(answer));
			onchecked(answer.status === 0);
			return answer.status === 0;
		}
		const { is_valid: isValid, faults: found, count, parameters } = answer.body;
		show(found, isValid ? words.valid(count, parameters.length) : words.invalid(found.filter(({ level }) => level === 'error').length));
		onchecked(isValid);
		return isValid;
	}

	function typed() {
		turn++;
		number();
		clearTimeout(timer);
		timer = setTimeout(check, QUIET_MS);
	}

	area.value = value;
	number();
	return {
		node: el('div', { class: 'config-editor' }, el('div', { class: 'editor-field' }, gutter, area), said, list),
		value: () => area.value,
		check,
		focus: () => area.focus(),
		stop() {
			turn++;
			clearTimeout(timer);
		},
	};
}
