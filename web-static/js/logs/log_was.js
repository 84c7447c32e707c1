/*
 * Earlier states of a line: the server stores it as it was sent last. Its text may hold several states, each begun by a
 * carriage return. Texts that were replaced while the line was shown are kept with it, up to WAS_MAX characters.
 */

const WAS_MAX = 16384;
const UNSEEN = /\u001b\[[0-9;?]*[@-~]|\s/g;

/* Each state as the text up to its end; those that show nothing are none. */
export function statesIn(text) {
	const made = [];
	let at = 0;
	for (const part of text.split('\r')) {
		at += part.length;
		if (part.replace(UNSEEN, '')) made.push(text.slice(0, at));
		at++;
	}
	return made;
}

/* The oldest first, the last being the line as it is. */
export function statesOf({ was = [], text }) {
	return [...was, text].flatMap(statesIn);
}

export function hasStates(line) {
	return (Boolean(line.was?.length) || line.text.includes('\r')) && statesOf(line).length > 1;
}

/* Texts that `line` was before it became `text`; one that only grew was no other. */
export function wasBefore(line, text) {
	const made = [...line.was ?? []];
	if (!text.startsWith(line.text)) made.push(line.text);
	let held = made.reduce((sum, one) => sum + one.length, 0);
	while (held > WAS_MAX) held -= made.shift().length;
	return made;
}
