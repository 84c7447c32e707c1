/* Light, dark, or as the system: what theme.js reads. */

import { replace } from '../dom.js';
import { icon } from '../icons.js';
import { text } from '../text.js';
import { iconButton, menu } from './controls.js';

const words = text.header;
const STORED = 'cairn-theme';

export function chosenTheme() {
	try {
		return localStorage.getItem(STORED) || 'system';
	} catch {
		return 'system';
	}
}

export function chooseTheme(name) {
	try {
		if (name === 'system') localStorage.removeItem(STORED);
		else localStorage.setItem(STORED, name);
	} catch { /* storage is switched off: it stays as the system has it */ }
	dispatchEvent(new Event('theme-chosen'));
}

export function nextTheme() {
	chooseTheme(document.documentElement.dataset.theme === 'dark' ? 'light' : 'dark');
}

export function themeButton() {
	const button = iconButton('moon', words.theme);

	function draw() {
		replace(button, icon(document.documentElement.dataset.theme === 'dark' ? 'sun' : 'moon'));
	}

	addEventListener('theme', draw);
	draw();
	return menu(button, () => words.themes.map(([name, label, sign]) => (
		{ label, name: sign, isChecked: name === chosenTheme(), onpick: () => chooseTheme(name) })));
}
