/* Saves a text as a file, as if it had been a link. */

import { el } from '../dom.js';

export function saveText(name, content, type) {
	const href = URL.createObjectURL(new Blob([content], { type }));
	el('a', { href, download: name }).click();
	setTimeout(() => URL.revokeObjectURL(href), 1000);
}
