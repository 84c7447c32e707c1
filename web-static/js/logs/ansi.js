/*
 * Renders a line as a terminal does: carriage returns, backspaces and cursor moves redraw it in place, colours become
 * classes of the theme, and everything else that is meant for a terminal is dropped. Pure: pieces of text with a look.
 */

const HUES = ['red', 'yellow', 'green', 'cyan', 'blue', 'magenta'];
const SIXTEEN = ['', 'red', 'green', 'yellow', 'blue', 'magenta', 'cyan', ''];
const CUBE = [0, 95, 135, 175, 215, 255];
const COLUMNS_MAX = 65536;

/* CSI, OSC up to BEL or ST, other escapes; then single control characters. */
const TOKENS = /\u001b\[([0-9:-?]*)([ -/]*[@-~])|\u001b\][^\u0007\u001b]*(?:\u0007|\u001b\\|$)|\u001b[ -/]*[0-~]?|[\u0000-\u0008\u000b-\u001f\u007f]/g;

/* Any colour as the nearest of the theme's: those keep their contrast. */
function nameOfColour(r, g, b) {
	const most = Math.max(r, g, b);
	const chroma = most - Math.min(r, g, b);
	if (chroma < 48) return most > 60 && most < 200 ? 'grey' : '';
	const turn = most === r ? (g - b) / chroma : most === g ? 2 + (b - r) / chroma : 4 + (r - g) / chroma;
	return HUES[Math.round(turn + 6) % 6];
}

function nameOfNumber(n) {
	if (n < 8) return SIXTEEN[n];
	if (n < 16) return SIXTEEN[n - 8] || (n === 8 ? 'grey' : '');
	if (n >= 232) return n < 252 ? 'grey' : '';
	const at = n - 16;
	return nameOfColour(CUBE[Math.floor(at / 36)], CUBE[Math.floor(at / 6) % 6], CUBE[at % 6]);
}

/* 38;5;n and 38;2;r;g;b; gives back how many codes it took. */
function longColour(codes, at, look) {
	const isNumber = codes[at + 1] === 5;
	const name = isNumber
		? nameOfNumber(codes[at + 2] || 0) : nameOfColour(...codes.slice(at + 2, at + 5).map((n) => n || 0));
	if (codes[at] === 38) look.colour = name;
	return isNumber ? 2 : 4;
}

function takeCode(code, look) {
	if (code === 0) Object.assign(look, { colour: '', bold: false, underline: false });
	else if (code === 1) look.bold = true;
	else if (code === 2) look.colour ||= 'grey';
	else if (code === 4) look.underline = true;
	else if (code === 22) look.bold = false;
	else if (code === 24) look.underline = false;
	else if (code >= 30 && code <= 37) look.colour = SIXTEEN[code - 30];
	else if (code === 39) look.colour = '';
	else if (code >= 90 && code <= 97) look.colour = SIXTEEN[code - 90] || (code === 90 ? 'grey' : '');
}

function takeCodes(text, look) {
	const codes = text.split(/[;:]/).map(Number);
	for (let at = 0; at < codes.length; at++) {
		if ((codes[at] === 38 || codes[at] === 48) && (codes[at + 1] === 5 || codes[at + 1] === 2)) at += longColour(codes,
			at, look);
		else takeCode(codes[at], look);
	}
}

function classOf(look) {
	return [look.colour && `ansi-${look.colour}`, look.bold && 'ansi-bold',
		look.underline && 'ansi-underline'].filter(Boolean).join(' ');
}

/* A row of cells and a cursor; a character is what people see as one. */
class Row {
	constructor() {
		this.cells = [];
		this.at = 0;
	}

	put(text, look) {
		for (const letter of text) {
			while (this.cells.length < this.at) this.cells.push([' ', '']);
			this.cells[this.at++] = [letter, look];
		}
	}

	move(to) {
		this.at = Math.min(Math.max(0, to), COLUMNS_MAX);
	}

	erase(kind) {
		if (kind === 0) this.cells.length = Math.min(this.cells.length, this.at);
		else for (let i = 0; i < (kind === 1
			? Math.min(this.at + 1, this.cells.length) : this.cells.length); i++) this.cells[i] = [' ', ''];
	}

	pieces() {
		const made = [];
		for (const [letter, look] of this.cells) {
			if (made.length && made.at(-1).look === look) made.at(-1).text += letter;
			else made.push({ text: letter, look });
		}
		return made;
	}
}

function moveRow(row, final, number) {
	const steps = number || 1;
	if (final === 'K') row.erase(number || 0);
	else if (final === 'C') row.move(row.at + steps);
	else if (final === 'D') row.move(row.at - steps);
	else if (final === 'G') row.move(steps - 1);
}

/* In place: only lines that go back need cells. */
function redrawn(text) {
	const row = new Row();
	const look = { colour: '', bold: false, underline: false };
	let from = 0;
	for (const token of text.matchAll(TOKENS)) {
		row.put(text.slice(from, token.index), classOf(look));
		from = token.index + token[0].length;
		if (token[2] === 'm') takeCodes(token[1], look);
		else if (token[2]) moveRow(row, token[2], parseInt(token[1], 10));
		else if (token[0] === '\r') row.move(0);
		else if (token[0] === '\b') row.move(row.at - 1);
	}
	row.put(text.slice(from), classOf(look));
	return row.pieces();
}

function straight(text) {
	const made = [];
	const look = { colour: '', bold: false, underline: false };
	let from = 0;

	function add(piece) {
		const name = classOf(look);
		if (!piece) return;
		if (made.length && made.at(-1).look === name) made.at(-1).text += piece;
		else made.push({ text: piece, look: name });
	}

	for (const token of text.matchAll(TOKENS)) {
		add(text.slice(from, token.index));
		from = token.index + token[0].length;
		if (token[2] === 'm') takeCodes(token[1], look);
	}
	add(text.slice(from));
	return made;
}

/* [{text, look}], look being classes of css/logs.css. */
export function pieces(text) {
	const line = text.replace(/\r+$/, '');
	return /[\r\b]|\u001b\[[0-9]*[CDGK]/.test(line) ? redrawn(line) : straight(line);
}

export function plain(text) {
	return pieces(text).map((piece) => piece.text).join('');
}
