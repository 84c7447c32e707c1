/* A file as lines with their numbers; of a long one more is read on demand. */

import { el, replace } from '../base/dom.js';
import { bytes, count } from '../base/format.js';
import { text } from '../text/files.js';
import { button } from '../ui/controls.js';
import { virtualList } from '../ui/virtual_list.js';
import { PART_BYTES, TEXT_BYTES } from './kind.js';
import { lineReader } from './line_reader.js';
import { partFault } from './part_fault.js';

const words = text.files;
const ROW_PX = 19;
const ROWS = 160; /* in the document */
const LINES = 1000000; /* a list of more is higher than browsers can scroll */
const LETTERS = 10000; /* shown of a line */

function shownLine(line) {
	if (line.length <= LETTERS) return line;
	return [line.slice(0, LETTERS), el('span', { class: 'muted' }, words.longLine(count(line.length - LETTERS)))];
}

export function textView(parts) {
	const { lines, push } = lineReader();
	const scroller = el('div', { class: 'scroll file-text', tabindex: 0, role: 'region', 'aria-label': words.text });
	const foot = el('footer', { class: 'file-foot', hidden: true });
	const list = virtualList({ scroller, rowHeight: () => ROW_PX, draw, most: ROWS });
	let isStopped = false;

	function draw(index) {
		return el('div', { class: 'file-line' }, el('span', { class: 'number', 'aria-hidden': 'true' }, index + 1),
			el('bdi', {}, shownLine(lines[index])));
	}

	function showFoot() {
		const isFull = parts.read + PART_BYTES > TEXT_BYTES || lines.length >= LINES;
		foot.hidden = parts.isAll;
		replace(foot, words.firstPart(bytes(parts.read), bytes(parts.bytes)),
			isFull ? el('span', {}, words.enough(bytes(TEXT_BYTES)))
			: button(words.readOn, { look: 'small', onclick: readOn }));
	}

	async function readOn() {
		const part = await parts.next();
		if (isStopped) return;
		if (part.text === undefined) return void replace(foot, partFault(part, readOn));
		push(part.text);
		const shown = lines.length > 1 && lines.at(-1) === '' ? lines.length - 1 : lines.length;
		scroller.style.setProperty('--digits', String(String(shown).length));
		list.setCount(Math.min(shown, LINES));
		showFoot();
	}

	async function start() {
		foot.hidden = false;
		replace(foot, words.loading);
		await readOn();
	}

	list.node.removeAttribute('role');
	scroller.append(list.node);
	start();
	return {
		node: el('div', { class: 'file-view' }, scroller, foot),
		stop() {
			isStopped = true;
			list.stop();
		},
	};
}
