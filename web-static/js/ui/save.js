/* Saves what the page holds as a file, as if it had been a link. */

import { el } from '../base/dom.js';

const KEPT_MS = 60000; /* browsers begin when they like */

export function saveBlob(blob, name) {
	const href = URL.createObjectURL(blob);
	el('a', { href, download: name.replaceAll('/', '_') }).click();
	setTimeout(() => URL.revokeObjectURL(href), KEPT_MS);
}

export function saveText(content, type, name) {
	saveBlob(new Blob([content], { type }), name);
}
