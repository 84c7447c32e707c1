/* What keys and groups of runs are called. */

import { text } from '../text.js';

const words = text.workspace;

/* config.lr is "lr"; of two dots the rest is one name. */
export function columnName(key) {
	return words.fields[key] || key.replace(/^(config|summary)\./, '');
}

export function groupName({ kind, value }) {
	return kind === 'none' ? words.noValue : words.groupValue(String(value));
}

/* The same by the value alone, of which null is either. */
export const groupValueName = (value) => groupName({ kind: value === null ? 'none' : '', value });
