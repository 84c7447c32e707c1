/* How a run looks in plots. */

import { nameOf, slotOf } from '../base/slot.js';

export function looksOf(run) {
	return { id: run.id, name: nameOf(run), slot: slotOf(run), color: run.color };
}
