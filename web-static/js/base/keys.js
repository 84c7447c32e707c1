/*
 * A registry of keyboard shortcuts, which the map (?) shows. Single keys are off while the user types and can be
 * switched off; chords with Ctrl are always on. 'g w' is one key after the other.
 */

const SEQUENCE_MS = 1500;
const STORED = 'cairn-single-keys';

const known = new Map();
let before = '';
let beforeAt = 0;

export function singleKeysAreOn() {
	try {
		return localStorage.getItem(STORED) !== 'off';
	} catch {
		return true;
	}
}

export function switchSingleKeys(on) {
	try {
		localStorage.setItem(STORED, on ? 'on' : 'off');
	} catch { /* storage is switched off: they stay on */ }
}

/* The last one that asked for a key has it. isThere(): whether it does anything now. */
export function onKey(key, label, fn, isThere = () => true) {
	const entry = { key, label, fn, isThere };
	known.set(key, [...(known.get(key) || []), entry]);
	return () => {
		const left = known.get(key).filter((one) => one !== entry);
		if (left.length) known.set(key, left);
		else known.delete(key);
	};
}

/* [{key, label}], as they hold now. */
export function keyMap() {
	return [...known.values()].map((entries) => entries.at(-1)).filter((entry) => entry.isThere());
}

function isTyping(target) {
	return target.isContentEditable
		|| target.matches?.('input:not([type=checkbox], [type=radio], [type=range]), textarea, select');
}

/* 'Ctrl K', 'x', 'End', 'Shift X' is just 'X'. */
export function nameOf(event) {
	const chord = event.ctrlKey || event.metaKey ? 'Ctrl ' : '';
	return chord + (chord && event.key.length === 1 ? event.key.toUpperCase() : event.key);
}

function find(name, now) {
	const sequence = now - beforeAt < SEQUENCE_MS ? known.get(`${before} ${name}`) : undefined;
	before = name;
	beforeAt = now;
	return (sequence || known.get(name))?.at(-1);
}

/* Shortcuts that a text field with the focus handles itself. */
const OF_FIELDS = ['Ctrl Z'];

function press(event) {
	if (event.defaultPrevented || event.altKey || event.isComposing) return;
	const name = nameOf(event);
	const isSingle = !name.startsWith('Ctrl ');
	if (isSingle && (isTyping(event.target) || !singleKeysAreOn() || document.querySelector('dialog[open]'))) return;
	if (OF_FIELDS.includes(name) && isTyping(event.target)) return;
	const entry = find(name, event.timeStamp);
	if (!entry?.isThere()) return;
	event.preventDefault();
	entry.fn(event);
}

export function startKeys() {
	document.addEventListener('keydown', press);
}
