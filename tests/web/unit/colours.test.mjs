/*
 * The colours of lines as the themes have them: how far they are from each other under normal and colour-blind sight
 * (Machado, Oliveira and Fernandes 2009; OKLab times 100), and their contrast (WCAG) to what they are drawn on.
 */

import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';

import './browser.mjs';

const { mixed, paint } = await import('../../../web-static/js/base/palette.js');
const { colorOf } = await import('../../../web-static/js/base/slot.js');
const { tintOf } = await import('../../../web-static/js/list/model/tint.js');

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

/* One hue for runs that are coloured by a key: each share of it is seen, and none is taken for the grey of who has no number. */
for (const theme of ['light', 'dark']) {
	test(`one hue by a key: ${theme}`, () => {
		const file = readFileSync(new URL(`../../../web-static/css/theme-${theme}.css`, import.meta.url), 'utf8');
		const valueOf = (name) => new RegExp(`--${name}: ([^;]+);`).exec(file)[1];
		const [low, high] = ['tint-low', 'tint-high'].map(valueOf);
		const [surface, selected, none] = ['surface', 'selected', 'text-3'].map(valueOf);
		const all = Array.from({ length: 101 }, (_, at) => mixed(low, high, at / 100));
		for (const hex of [...all, none]) {
			assert.ok(contrast(hex, surface) >= 3 && contrast(hex, selected) >= 3, `${hex} is not seen`);
			assert.ok(hex === none || distance(hex, none) >= 5, `${hex} is as good as grey`);
		}
		const seen = all.map((hex) => contrast(hex, surface));
		assert.ok(seen.every((one, at) => !at || one >= seen[at - 1]), 'greater is not always stronger');
		assert.ok(distance(all[0], all[50]) >= 15 && distance(all[50], all[100]) >= 15);
	});
}

test('runs are coloured by a key', () => {
	const runs = [1, 2, 3, 'x', null, undefined].map((lr) => ({ by: { lr } }));
	const tint = tintOf('lr', runs);
	assert.deepEqual([tint.low, tint.high, tint.isLog, tint.without], [1, 3, false, 3]);
	assert.deepEqual(runs.map(tint.of), ['tint-0', 'tint-50', 'tint-100', 'tint-none', 'tint-none', 'tint-none']);
	assert.deepEqual([{ by: { lr: 9 } }, { by: { lr: -9 } }, { by: {} }, {}].map(tint.of),
		['tint-100', 'tint-0', 'tint-none', 'tint-none']);
	const powers = tintOf('lr', [{ by: { lr: 1e-4 } }, { by: { lr: 1e-2 } }]);
	assert.deepEqual([powers.isLog, powers.of({ by: { lr: 1e-3 } })], [true, 'tint-50']);
	assert.equal(tintOf('lr', [{ by: { lr: 7 } }]).of({ by: { lr: 7 } }), 'tint-50');
	const none = tintOf('lr', [{ by: { lr: NaN } }, {}]);
	assert.deepEqual([none.low, none.high, none.isLog, none.of({ by: { lr: 1 } })], [null, null, false, 'tint-none']);
});

test('a share of the one hue keeps the dash of its slot', () => {
	assert.deepEqual(colorOf({ slot: 9, color: 'tint-37' }), { own: null, tint: '37', hue: 1, dash: 1 });
	assert.equal(paint({ slot: 1, color: 'tint-none' }), 'var(--tint-none)');
	assert.match(paint({ slot: 1, color: 'tint-37' }), /^color-mix\(in srgb, .*--tint-high\)\) 37%\)$/);
	assert.equal(paint({ slot: 1, color: null }), 'var(--s2)');
});

test('only themes name colours, and none has another name than the first', () => {
	const folder = new URL('../../../web-static/css/', import.meta.url);
	const sheets = readdirSync(folder).map((name) => [name, readFileSync(new URL(name, folder), 'utf8')]);
	const isTheme = ([name]) => name.startsWith('theme-');
	const colours = (sheet) => sheet.match(/#[0-9a-f]{3,8}\b(?=[^{}]*[;}])|\b(rgba?|hsla?|oklch|oklab)\((?!var)|:[^;{}]*\b(white|black)\b(?!-)/gi) ?? [];
	const [themes, others] = [sheets.filter(isTheme), sheets.filter((one) => !isTheme(one))];
	assert.deepEqual(others.flatMap(([name, sheet]) => colours(sheet).map((colour) => [name, colour])), []);
	assert.ok(themes.length > 1 && themes.every(([, sheet]) => colours(sheet).length > 30));
	const names = ([, sheet]) => [...new Set(sheet.match(/--[\w-]+(?=:)/g))];
	const all = names(themes.find(([name]) => name === 'theme-light.css'));
	assert.deepEqual(themes.flatMap(names).filter((name) => !all.includes(name)), []);
});
