/* The edge of a column's head: dragged, or moved by arrows where it has the focus. */

import { el } from '../base/dom.js';
import { text } from '../text/list.js';
import { columnWidth } from './model/columns.js';
import { columnName } from './model/names.js';
import { WIDTHS } from './model/run_view.js';

const words = text.workspace;
const [LEAST, MOST] = WIDTHS;
const STEP = 8;
const FAR = 4; /* times as far with Shift */

/* Returns the width after a key; undefined: the key does not change it. */
function moved({ key, shiftKey }, width) {
	const step = shiftKey ? STEP * FAR : STEP;
	return { ArrowLeft: width - step, ArrowRight: width + step, Home: LEAST, End: MOST }[key];
}

/* Follows a drag. If the browser takes it over (a finger that scrolls), the width of before is restored. */
function drag(event, column, list) {
	const from = event.clientX;
	const width = columnWidth(column);
	const ends = new AbortController();
	const to = (now, isDone) => list.setWidth(column.key, width + now.clientX - from, isDone);
	event.preventDefault();
	addEventListener('pointermove', (now) => to(now, false), { signal: ends.signal });
	addEventListener('pointerup', (now) => {
		ends.abort();
		to(now, true);
	}, { signal: ends.signal });
	addEventListener('pointercancel', () => {
		ends.abort();
		list.setWidth(column.key, width, true);
	}, { signal: ends.signal });
}

/* list: shownColumns() as they are now, setWidth(key, width, isDone). */
export function widthHandle(column, list) {
	const handle = el('span', { class: 'handle', role: 'separator', tabindex: 0, 'aria-orientation': 'vertical',
		'aria-label': words.widthOf(columnName(column.key)), 'aria-valuenow': columnWidth(column),
		'aria-valuemin': LEAST, 'aria-valuemax': MOST });
	handle.addEventListener('pointerdown', (event) => drag(event, column, list));
	handle.addEventListener('keydown', (event) => {
		const now = list.shownColumns().find(({ key }) => key === column.key);
		const width = now && moved(event, columnWidth(now));
		if (width === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
		event.preventDefault();
		event.stopPropagation(); /* the list's rows are not moved among */
		list.setWidth(column.key, width, true);
	});
	return handle;
}
