/*
 * The colours of lines as the themes have them: how far they are from each other under normal and colour-blind sight
 * (Machado, Oliveira and Fernandes 2009; OKLab times 100), and their contrast (WCAG) to what they are drawn on.
 */

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';

const SIGHTS = [
	[[1, 0, 0], [0, 1, 0], [0, 0, 1]],
	[[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
	[[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.01182, 0.04294, 0.968881]],
	[[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.3039]],
];
const LMS = [[0.4122214708, 0.5363325363, 0.0514459929], [0.2119034982, 0.6806995451, 0.1073969566],
	[0.0883024619, 0.2817188376, 0.6299787005]];
const LAB = [[0.2104542553, 0.793617785, -0.0040720468], [1.9779984951, -2.428592205, 0.4505937099],
	[0.0259040371, 0.7827717662, -0.808675766]];

const times = (matrix, values) => matrix.map((row) => row.reduce((sum, one, at) => sum + one * values[at], 0));
const linear = (hex) => [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16) / 255)
	.map((part) => part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4);
const oklab = (rgb) => times(LAB, times(LMS, rgb).map(Math.cbrt));

function contrast(a, b) {
	const [low, high] = [a, b].map((hex) => times([[0.2126, 0.7152, 0.0722]], linear(hex))[0]).sort((x, y) => x - y);
	return (high + 0.05) / (low + 0.05);
}

const distance = (a, b) => 100 * Math.min(...SIGHTS.map((sight) => {
	const [one, other] = [a, b].map((hex) => oklab(times(sight, linear(hex))));
	return Math.hypot(...one.map((part, at) => part - other[at]));
}));

/* The eight, and what they are drawn on, of the rule with this selector. */
function coloursOf(theme, isStrong) {
	const file = readFileSync(new URL(`../../../web-static/css/theme-${theme}.css`, import.meta.url), 'utf8');
	const [plain, strong] = file.split('[data-palette="strong"]');
	const hues = [...(isStrong ? strong : plain).matchAll(/--s[1-8]: (#[0-9a-f]{6});/g)].map(([, hex]) => hex);
	return { hues, surface: /--surface: (#[0-9a-f]{6});/.exec(plain)[1] };
}

for (const [theme, isStrong, far, seen] of [['light', false, 10.8, 3], ['dark', false, 11.3, 3], ['light', true, 13.4, 4.5],
	['dark', true, 15.1, 4.5]]) {
	test(`colours of lines: ${theme}${isStrong ? ', strong' : ''}`, () => {
		const { hues, surface } = coloursOf(theme, isStrong);
		assert.equal(hues.length, 8);
		const apart = hues.flatMap((one, at) => hues.slice(0, at).map((other) => distance(one, other)));
		const closest = Number(Math.min(...apart).toFixed(1));
		assert.ok(closest >= far, `the closest are ${closest}`);
		for (const hex of hues) assert.ok(contrast(hex, surface) >= seen, hex);
	});
}
