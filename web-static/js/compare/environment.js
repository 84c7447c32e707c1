/* Environment of programs, side by side: facts of the process, packages by name, and its writers in numbers. */

import { count } from '../base/format.js';
import { surroundings, wordsOf } from '../run/facts.js';
import { text as compareText } from '../text/compare.js';
import { text } from '../text/facts.js';

const words = compareText.compare;
const OF_WRITERS = [text.runFacts.host, text.runFacts.client];
const PACKAGES = 2000;

/* "name==version" of a requirements.txt; other lines as they are. */
export function packagesOf(requirements) {
	const lines = requirements.split('\n').map((line) => line.trim()).filter((line) => line && !line.startsWith('#'));
	return lines.slice(0, PACKAGES).map((line) => {
		const cut = line.indexOf('==');
		return cut > 0 ? [line.slice(0, cut), line.slice(cut + 2)] : [line, words.installed];
	});
}

/* Adds to a value how many writers were read, if not all were. */
function ofRead({ writers, areCut }, value) {
	if (!areCut) return value;
	return words.ofFirst(typeof value === 'number' ? count(value) : value, count(writers.length));
}

/* about: {config, writers, areCut, metadata, requirements} of a run. */
export function environmentOf(about) {
	const facts = surroundings(about).filter(([, value]) => value).map(([name, value]) =>
		[name, OF_WRITERS.includes(name) ? ofRead(about, wordsOf(value)) : wordsOf(value)]);
	const packages = packagesOf(about.requirements || '').map(([name, version]) => [`${words.package} ${name}`, version]);
	return new Map([...facts, ...packages]);
}

function countOf(writers, test) {
	return writers.filter(test).length;
}

/* all: how many there are, by the run itself, which may be a little behind. */
export function writersOf(about, all) {
	const { writers, areCut } = about;
	const names = words.writers;
	const counts = [
		[names.primaries, countOf(writers, ({ role }) => role === 'primary')],
		[names.workers, countOf(writers, ({ role }) => role === 'worker')],
		[names.hosts, new Set(writers.map(({ host }) => host).filter(Boolean)).size],
		[names.lost, countOf(writers, ({ state }) => state === 'lost')],
		[names.rows, writers.reduce((sum, one) => sum + one.history_rows, 0)],
		[names.dropped, writers.reduce((sum, one) => sum + one.dropped_rows, 0)],
	];
	const known = !areCut ? writers.length : all > writers.length ? all : words.moreThan(count(writers.length));
	return new Map([[names.all, known], ...counts.map(([name, value]) => [name, ofRead(about, value)])]);
}
