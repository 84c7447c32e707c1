/* The bar above the lines: search with its hits, streams, times, wrapping, downloads, and the way to the end. */

import { root } from '../api.js';
import { el, refill } from '../base/dom.js';
import { count } from '../base/format.js';
import { setQuery } from '../router.js';
import { text as common } from '../text/common.js';
import { text } from '../text/logs.js';
import { field, iconButton, menu, toggle } from '../ui/controls.js';
import { icon } from '../ui/icons.js';
import { segmented, setSegment } from '../ui/segmented.js';
import { goToNumber } from './log_jump.js';
import { parse, written } from './log_search.js';

const words = text.logs;
const TYPING_MS = 300;
const STORED = 'cairn-logs';
const AROUND = ['0', '2', '5'];

function remembered() {
	try {
		return JSON.parse(localStorage.getItem(STORED)) || {};
	} catch {
		return {};
	}
}

function remember(changes) {
	try {
		localStorage.setItem(STORED, JSON.stringify({ ...remembered(), ...changes }));
	} catch { /* storage is switched off */ }
}

function downloads(logs) {
	const address = (format, scope) => new URL(`api/v1/${logs.path}/console?${new URLSearchParams({ format,
		...(scope.writers && { writers: scope.writers }), ...(scope.stream && { stream: scope.stream }) })}`, root).href;
	const save = (format, scope) => {
		const link = el('a',
			{ href: address(format, scope), download: `${logs.address.run}.${format === 'text' ? 'txt' : 'ndjson'}` });
		document.body.append(link);
		link.click();
		link.remove();
	};
	const item = (label, format, scope, why) => ({ label, why, onpick: () => save(format, scope) });
	const { scope } = logs;
	const why = scope.isNone ? words.noneShown : undefined;
	return [item(words.viewAsText, 'text', scope, why), item(words.viewAsNdjson, 'ndjson', scope, why), null,
		item(words.allAsText, 'text', {}), item(words.allAsNdjson, 'ndjson', {})];
}

/* The whole of it: the fault of an expression is at its end. */
function faultText({ fault }) {
	return fault ? fault.body?.detail || common.fault.of(fault) : '';
}

function hitsText({ search, hits }) {
	if (!search || search.fault) return '';
	const hit = hits.at();
	const all = `${count(search.hits.length)}${search.isDone ? '' : '+'}`;
	const given = search.givenUp ? ` ${words.givenUp(count(search.givenUp))}` : '';
	return `${hit >= 0 ? words.hitOf(count(hit + 1), all) : words.hits(all)}${given}`;
}

/* logs: the page, see pages/run_logs.js. */
export function logBar(logs) {
	const kept = remembered();
	const search = field('search', words.find, { look: 'log-query', oninput: type, onkeydown: press });
	const input = search.querySelector('input');
	const regex = el('button',
		{ type: 'button', class: 'chip', 'aria-label': words.regex, title: words.regex, 'aria-pressed': 'false',
		onclick: flipRegex }, '.*');
	const hits = el('span', { class: 'count', role: 'status' });
	const more = el('button', { type: 'button', class: 'btn small', hidden: true, onclick: () => logs.search?.resume() });
	const around = segmented(words.around, AROUND, '0', (value) => logs.finding.setOnly(logs.only, Number(value)));
	const only = toggle(words.only, false, (on) => {
		around.hidden = !on;
		logs.finding.setOnly(on);
	});
	const stream = segmented(words.stream, words.streams, '', (value) => setQuery({ stream: value || null }));
	const order = segmented(words.order, words.orders, 'time',
		(value) => setQuery({ order: value === 'time' ? null : value, at: null }));
	const time = segmented(words.time, words.times, kept.time || 'clock', (value) => {
		remember({ time: value });
		logs.look.time = value;
		logs.list.redraw();
	});
	const wrap = iconButton('wrap', words.wrap, { 'aria-pressed': String(Boolean(kept.wrap)), onclick: flipWrap });
	const end = el('button', { type: 'button', class: 'btn follow', title: words.endHint, onclick: () => logs.letGo() });
	const fault = el('p', { class: 'fault', id: 'log-fault', role: 'alert' });
	const node = el('div', { class: 'chart-bar', role: 'toolbar', 'aria-label': words.bar }, search, only, around, more,
		stream, order, time, el('span', { class: 'gap' }),
		wrap, menu(iconButton('download', words.download), () => downloads(logs)), end);
	let timer = 0;
	let isRegex = false;

	search.append(regex, hits);
	input.setAttribute('aria-describedby', fault.id);
	around.hidden = true;
	logs.only = false;
	logs.around = 0;
	logs.look.time = kept.time || 'clock';

	function find() {
		clearTimeout(timer);
		if (/^:\d*$/.test(input.value)) return;
		setQuery({ find: written(input.value, isRegex) || null });
	}

	function type() {
		logs.hits.leave();
		clearTimeout(timer);
		timer = setTimeout(find, TYPING_MS);
	}

	/* Goes to a hit of the text in the field, even if the text was typed just now. */
	function findNow(step) {
		const wanted = written(input.value, isRegex);
		if (logs.find !== wanted) find();
		if (logs.find === wanted) logs.hits.go(step);
	}

	function press(event) {
		if (event.key === 'Escape') {
			input.value = '';
			find();
			logs.list.node.focus();
		}
		if (event.key !== 'Enter') return;
		event.preventDefault();
		if (/^:\d+$/.test(input.value)) goToNumber(logs, Number(input.value.slice(1)));
		else findNow(event.shiftKey ? -1 : 1);
	}

	function setRegex(on) {
		isRegex = on;
		regex.setAttribute('aria-pressed', String(on));
	}

	function flipRegex() {
		setRegex(!isRegex);
		find();
	}

	function setWrap(on) {
		wrap.setAttribute('aria-pressed', String(on));
		logs.list?.node.classList.toggle('wrapped', on);
	}

	function flipWrap() {
		const on = wrap.getAttribute('aria-pressed') !== 'true';
		remember({ wrap: on });
		setWrap(on);
	}

	return {
		node,
		fault,
		focus: () => input.focus(),
		stop: () => clearTimeout(timer),
		choose(params) {
			const wanted = parse(params.get('find') || '');
			if (document.activeElement !== input) input.value = wanted.text;
			if (params.get('find')) setRegex(wanted.isRegex);
			setSegment(stream, params.get('stream') || '');
			setSegment(order, logs.order.name);
			setWrap(wrap.getAttribute('aria-pressed') === 'true');
		},
		tell() {
			order.hidden = logs.scope.one !== null;
			hits.textContent = hitsText(logs);
			hits.title = hits.textContent;
			refill(fault, [faultText(logs.search ?? {})].filter(Boolean));
			input.setAttribute('aria-invalid', String(Boolean(logs.search?.fault)));
			more.hidden = !logs.search?.isWaiting;
			more.textContent = logs.search ? words.goOn(count(logs.search.looked)) : '';
			end.hidden = logs.isFollowing;
			end.replaceChildren(icon('follow'), logs.newer ? words.newer(count(logs.newer)) : words.toEnd);
		},
	};
}
