/* Configs of sweeps as people read them. Pure. */

import { yaml } from '../run/yaml.js';

/* As YAML: one that was sent as JSON is written as such. */
export function yamlOf(config) {
	try {
		const value = JSON.parse(config);
		return value !== null && typeof value === 'object' ? yaml(value) : config;
	} catch {
		return config;
	}
}

/* Returns the start and the end of a line, from 1; beyond the last one it is the last. */
export function spanOfLine(text, line) {
	const lines = text.split('\n');
	const at = Math.max(0, Math.min(line, lines.length) - 1);
	const from = lines.slice(0, at).reduce((sum, one) => sum + one.length + 1, 0);
	return [from, from + lines[at].length];
}

/* The worst level of each line with a fault: a Map from its number. */
export function levelsOf(faults) {
	const levels = new Map();
	for (const { line, level } of faults) if (line && levels.get(line) !== 'error') levels.set(line, level);
	return levels;
}
