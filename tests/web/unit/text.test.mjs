/* Every word that a module says is one of text/. */

import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';

const JS = new URL('../../../web-static/js/', import.meta.url);
const IMPORT = /^import \{ (?:stateWord, )?text(?: as (\w+))? \} from '([./]+text\/\w+\.js)';$/gm;
const SHORT = /^\t*const (\w+) = (\w+)((?:\.\w+)+);$/gm;
const UNSAID = /\/\*[^]*?\*\/|'[^'\n]*'/g; /* comments and strings */

const at = (part, path) => path.slice(1).split('.').reduce((found, word) => found?.[word], part);

/* By the names that a module has for parts of its text, what they are: {text, words}. */
async function partsOf(source, url) {
	const parts = {};
	for (const [, name = 'text', path] of source.matchAll(IMPORT)) parts[name] = (await import(new URL(path, url))).text;
	for (const [, short, name, path] of source.matchAll(SHORT)) if (parts[name]) parts[short] = at(parts[name], path);
	return parts;
}

/* Whether there is such a word, as far as the path leads through objects. */
function isThere(part, [word, ...more]) {
	if (typeof part !== 'object' || Array.isArray(part)) return true;
	return word in part && (!more.length || isThere(part[word], more));
}

/* A local name may be one of a string. */
function unknown(source, name, part) {
	const said = new RegExp(`(?<![\\w$])(?<![^.]\\.)${name}((?:\\.\\w+)+)`, 'g');
	return [...source.replace(UNSAID, '').matchAll(said)].map(([, path]) => path.slice(1).split('.'))
		.filter((path) => !(part && isThere(part, path)) && !(path[0] in String.prototype)).map((path) => [name, ...path].join('.'));
}

test('words that are said', async () => {
	const modules = readdirSync(JS, { recursive: true }).filter((name) => name.endsWith('.js') && !name.startsWith('text/'));
	const lost = [];
	let parts = 0;
	for (const name of modules) {
		const url = new URL(name, JS);
		const source = readFileSync(url, 'utf8');
		const found = Object.entries(await partsOf(source, url));
		parts += found.length;
		lost.push(...found.flatMap(([short, part]) => unknown(source, short, part)).map((word) => `${name}: ${word}`));
	}
	assert.ok(modules.length > 300 && parts > 300, `${modules.length} modules, ${parts} parts`);
	assert.deepEqual(lost, []);
});
