/*
 * The small part of markdown that notes are written in, as plain objects: headings, paragraphs, lists, quotes, code,
 * rules; strong, emphasis, code and links within. There is no raw HTML: a `<` is a `<`.
 */

/* Bounds the length of each match, so that no text takes long to parse. */
const INLINE = new RegExp([
	'`([^`]{1,2000})`',
	'\\*\\*(.{1,2000}?)\\*\\*',
	'__(.{1,2000}?)__',
	'\\*([^*\\s][^*]{0,2000})\\*',
	'\\b_([^_\\s][^_]{0,2000})_\\b',
	'\\[([^\\[\\]]{1,1000})\\]\\(([^()\\s]{1,2000})\\)',
	'(https?:\\/\\/[^\\s<>]{0,2000}[^\\s<>.,;:!?)])',
].join('|'));
const DEPTH = 8;

/* Only http and https are links; all else is the text that it is. */
function isLink(target) {
	return /^https?:\/\//i.test(target);
}

function found([, code, strong, strong2, em, em2, name, target, bare], depth) {
	if (code !== undefined) return { kind: 'code', text: code };
	if (strong || strong2) return { kind: 'strong', parts: inline(strong || strong2, depth + 1) };
	if (em || em2) return { kind: 'em', parts: inline(em || em2, depth + 1) };
	if (bare) return { kind: 'link', target: bare, parts: [bare] };
	return isLink(target) ? { kind: 'link', target, parts: [name] } : null;
}

export function inline(words, depth = 0) {
	const parts = [];
	let rest = words;
	while (rest && depth < DEPTH) {
		const match = INLINE.exec(rest);
		if (!match) break;
		if (match.index) parts.push(rest.slice(0, match.index));
		parts.push(found(match, depth) || match[0]);
		rest = rest.slice(match.index + match[0].length);
	}
	if (rest) parts.push(rest);
	return parts;
}

/* Each kind of block: what its first line looks like, and what it makes of the lines from there on. */
const BLOCKS = [
	[/^(```|~~~)/, fence],
	[/^#{1,6} /, heading],
	[/^ {0,3}([-*_])( *\1){2,} *$/, () => ({ block: { kind: 'rule' }, used: 1 })],
	[/^> ?/, quote],
	[/^ *[-*+] +/, (lines, at) => list(lines, at, { mark: /^ *[-*+] +/, kind: 'list' })],
	[/^ *\d{1,9}[.)] +/, (lines, at) => list(lines, at, { mark: /^ *\d{1,9}[.)] +/, kind: 'numbers' })],
];

/* How many lines from there on pass. */
function run(lines, at, test) {
	let end = at;
	while (end < lines.length && test(lines[end])) end++;
	return end - at;
}

function fence(lines, at) {
	const mark = lines[at].slice(0, 3);
	const inner = run(lines, at + 1, (line) => !line.startsWith(mark));
	return { block: { kind: 'pre', text: lines.slice(at + 1, at + 1 + inner).join('\n') }, used: inner + 2 };
}

function heading(lines, at) {
	const [, marks, words] = /^(#{1,6}) +(.*)$/.exec(lines[at]) || [null, '#', lines[at]];
	return { block: { kind: 'heading', level: marks.length, parts: inline(words) }, used: 1 };
}

function quote(lines, at) {
	const used = run(lines, at, (line) => line.startsWith('>'));
	const words = lines.slice(at, at + used).map((line) => line.replace(/^> ?/, '')).join('\n');
	return { block: { kind: 'quote', parts: inline(words) }, used };
}

function list(lines, at, { mark, kind }) {
	const used = run(lines, at, (line) => mark.test(line) || /^ {2,}\S/.test(line));
	const items = [];
	for (const line of lines.slice(at, at + used)) {
		if (mark.test(line)) items.push(line.replace(mark, ''));
		else items[items.length - 1] += `\n${line.trim()}`;
	}
	return { block: { kind, items: items.map((item) => inline(item)) }, used };
}

function paragraph(lines, at) {
	const isText = (line) => line.trim() && !BLOCKS.some(([test]) => test.test(line));
	const used = 1 + run(lines, at + 1, isText);
	return { block: { kind: 'paragraph', parts: inline(lines.slice(at, at + used).join('\n')) }, used };
}

export function markdown(source) {
	const lines = source.split(/\r\n|\r|\n/);
	const blocks = [];
	for (let at = 0; at < lines.length;) {
		if (!lines[at].trim()) {
			at++;
			continue;
		}
		const [, make] = BLOCKS.find(([test]) => test.test(lines[at])) || [null, paragraph];
		const { block, used } = make(lines, at);
		blocks.push(block);
		at += used;
	}
	return blocks;
}
