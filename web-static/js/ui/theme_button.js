/* Light, dark, or as the system: what theme.js reads. */

import { replace } from '../base/dom.js';
import { chooseLook, chosenLook } from '../base/look.js';
import { text } from '../text/frame.js';
import { iconButton, menu } from './controls.js';
import { icon } from './icons.js';

const words = text.header;
const STANDARD = 'system';

export const chosenTheme = () => chosenLook('theme', STANDARD);

export const chooseTheme = (name) => chooseLook('theme', name, STANDARD);

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
