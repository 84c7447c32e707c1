/*
 * The filter as one line of text: keys and values are suggested while it is typed, and what the server does not understand
 * is underlined. An unfinished word would find nothing: it is sent after Enter or a longer pause. A combobox: arrows
 * choose, Enter or Tab takes, Esc closes the suggestions and then leaves the field.
 */

import { asWritten, el, replace } from '../base/dom.js';
import { keyText, spotAt, valueText, withOtherKey, withoutColon } from '../base/filter_text.js';
import { text } from '../text/list.js';
import { button } from '../ui/controls.js';
import { icon } from '../ui/icons.js';
import { isBegun, matching } from './model/known_keys.js';

const words = text.workspace;
const MOST = 12;
const PAUSE_MS = 250;
const BEGUN_MS = 1500; /* a pause after a word that the suggestions go on with */

function option(suggestion, at, take) {
	return el('div', { role: 'option', id: `filter-option-${at}`, 'aria-selected': 'false', onpointerdown: (event) => {
		event.preventDefault();
		take(suggestion);
	} }, suggestion.label);
}

/*
 * {node, set(text), setFault(fault)}; `known` of known_keys.js; onchange(text) when typing pauses, ontype() at once,
 * onleave() when Esc leaves the field; label, hint: what it is called, and an example.
 */
export function filterField({ value, known, onchange, ontype = () => {}, onleave = () => {}, label = words.filterLabel, hint = words.filterHint }) {
	const input = el('input',
		{ type: 'search', value, spellcheck: 'false', autocomplete: 'off', maxlength: 4096, role: 'combobox',
		'aria-expanded': 'false',
		'aria-controls': 'filter-options', 'aria-autocomplete': 'list', 'aria-describedby': 'filter-fault',
			placeholder: hint });
	const mirror = el('span', { class: 'mirror', 'aria-hidden': 'true' });
	const options = el('div',
		{ class: 'options', id: 'filter-options', role: 'listbox', 'aria-label': words.suggestions, hidden: true });
	const fault = el('p', { class: 'filter-fault', id: 'filter-fault', role: 'alert' });
	let sent = value;
	let suggestions = [];
	let around = null; /* {spot, known: a promise of the words there} of what was typed last */
	let chosen = -1;
	let timer = 0;
	let turn = 0;

	function send() {
		clearTimeout(timer);
		timer = 0;
		sent = input.value.trim();
		onchange(sent);
	}

	async function settle() {
		const mine = timer = setTimeout(send, BEGUN_MS - PAUSE_MS);
		if (!isBegun(input.value, around.spot, await around.known) && mine === timer) send();
	}

	function close() {
		turn++;
		hide();
	}

	function hide() {
		chosen = -1;
		options.hidden = true;
		input.setAttribute('aria-expanded', 'false');
		input.removeAttribute('aria-activedescendant');
	}

	function choose(at) {
		chosen = at;
		[...options.children].forEach((node, place) => node.setAttribute('aria-selected', String(place === at)));
		options.children[at]?.scrollIntoView({ block: 'nearest' });
		input.setAttribute('aria-activedescendant', `filter-option-${at}`);
	}

	function take({ text: written, from, to, isKey }) {
		input.value = input.value.slice(0, from) + written + input.value.slice(to);
		input.setSelectionRange(from + written.length, from + written.length);
		ontype();
		close();
		if (isKey) suggest();
		else send();
	}

	async function wordsAt({ part, key }) {
		return part === 'key' ? known.keys() : (await known.values(key)).map((one) => one === null ? 'null' : one);
	}

	function suggestionOf(word, { part, to }) {
		if (part === 'key') return { label: word, text: `${keyText(word)}${input.value[to] === ':' ? '' : ':'}`, isKey: true };
		return { label: String(word), text: word === 'null' ? 'null' : valueText(word), isKey: false };
	}

	/* Keys that are known at once, and others when they are found, unless somebody is choosing by then. */
	async function suggest() {
		const mine = ++turn;
		const spot = spotAt(input.value, input.selectionStart);
		await offer(spot, mine);
		if (spot.part === 'key' && await known.find(spot.typed) && chosen < 0) await offer(spot, mine);
	}

	async function offer(spot, mine) {
		around = { spot, known: wordsAt(spot) };
		const found = matching(await around.known, spot.typed, MOST).map((word) => suggestionOf(word, spot));
		if (mine !== turn || document.activeElement !== input) return;
		suggestions = found.map((one) => ({ ...one, from: spot.from, to: spot.to }))
			.filter((one) => one.text !== input.value.slice(spot.from, spot.to));
		if (!suggestions.length) return hide();
		replace(options, suggestions.map((one, at) => option(one, at, take)));
		chosen = -1;
		options.hidden = false;
		input.setAttribute('aria-expanded', 'true');
	}

	function press(event) {
		const isOpen = !options.hidden;
		if (isOpen && (event.key === 'ArrowDown' || event.key === 'ArrowUp')) {
			event.preventDefault();
			choose((chosen + (event.key === 'ArrowDown' ? 1 : chosen < 0 ? 0 : -1) + suggestions.length) % suggestions.length);
		} else if ((event.key === 'Enter' || event.key === 'Tab') && isOpen && chosen >= 0) {
			event.preventDefault();
			take(suggestions[chosen]);
		} else if (event.key === 'Enter') {
			close();
			send();
		} else if (event.key === 'Escape') {
			event.preventDefault(); /* a search field would be emptied */
			event.stopPropagation();
			close();
			if (!isOpen) leave();
		}
	}

	function leave() {
		input.blur();
		onleave();
	}

	/* Puts the meant key into the place of the unknown one. */
	function correct(key, meant) {
		input.value = withOtherKey(input.value, key, meant);
		clearFault();
		send();
		input.focus();
	}

	function clearFault() {
		replace(fault);
		replace(mirror);
		input.removeAttribute('aria-invalid');
	}

	function mend() {
		const caret = input.selectionStart;
		const mended = withoutColon(input.value, caret);
		if (mended === null) return;
		input.value = mended;
		input.setSelectionRange(caret - 1, caret - 1);
	}

	input.addEventListener('input', () => {
		mend();
		ontype();
		clearFault();
		clearTimeout(timer);
		timer = setTimeout(settle, PAUSE_MS);
		suggest();
	});
	input.addEventListener('keydown', press);
	input.addEventListener('blur', close);
	input.addEventListener('scroll', () => mirror.style.setProperty('transform', `translateX(${-input.scrollLeft}px)`));

	return {
		node: el('div', { class: 'query-box' },
			el('label', { class: 'field query' }, icon('search'), el('span', { class: 'sr' }, label),
				el('span', { class: 'query-line' }, mirror, input), el('kbd', { 'aria-hidden': 'true' }, '/')),
			options, fault),
		/* Whether this is what stands there; such a field has no line breaks. */
		has: (written) => input.value.trim() === written.replace(/[\r\n]/g, '').trim(),
		stop() {
			clearTimeout(timer);
			timer = 0;
		},
		/* Sets the text only if it is a new one: an answer to an older filter does not replace what is being typed. */
		set(next) {
			if (next !== sent) input.value = sent = next;
			clearFault();
		},
		/* As of filterFault(); without a place the whole text is underlined. */
		setFault({ words: said, at, length, key, meant }) {
			const whole = input.value;
			const from = at === undefined ? 0 : Math.min(at, Math.max(0, whole.length - 1));
			const to = at === undefined ? whole.length : from + Math.max(1, length || 1);
			input.setAttribute('aria-invalid', 'true');
			replace(fault, said, meant && [' ', button(words.meant(meant), { look: 'small', onclick: () => correct(key, meant) })]);
			replace(mirror, asWritten(whole.slice(0, from)), el('u', {}, asWritten(whole.slice(from, to))), asWritten(whole.slice(to)));
		},
	};
}
