/* What programs ran in, side by side: facts of the process, packages by name, and its writers in numbers. */

import { surroundings, wordsOf } from '../run/facts.js';

const PACKAGES = 2000;

/* "name==version" of a requirements.txt; other lines as they are. */
export function packagesOf(requirements) {
	const lines = requirements.split('\n').map((line) => line.trim()).filter((line) => line && !line.startsWith('#'));
	return lines.slice(0, PACKAGES).map((line) => {
		const cut = line.indexOf('==');
		return cut > 0 ? [line.slice(0, cut), line.slice(cut + 2)] : [line, 'installed'];
	});
}

/* about: {config, writers, metadata, requirements} of a run. */
export function environmentOf(about, packageWord) {
	const facts = surroundings(about).filter(([, value]) => value);
	const packages = packagesOf(about.requirements || '').map(([name, version]) => [`${packageWord} ${name}`, version]);
	return new Map([...facts.map(([name, value]) => [name, wordsOf(value)]), ...packages]);
}

function countOf(writers, test) {
	return writers.filter(test).length;
}

export function writersOf(writers, words) {
	return new Map([
		[words.all, writers.length],
		[words.primaries, countOf(writers, ({ role }) => role === 'primary')],
		[words.workers, countOf(writers, ({ role }) => role === 'worker')],
		[words.hosts, new Set(writers.map(({ host }) => host).filter(Boolean)).size],
		[words.lost, countOf(writers, ({ state }) => state === 'lost')],
		[words.rows, writers.reduce((sum, one) => sum + one.history_rows, 0)],
		[words.dropped, writers.reduce((sum, one) => sum + one.dropped_rows, 0)],
	]);
}
