/* The run under the mouse is in focus on the whole page: its row here, its lines in the charts. */

import { focusRun, onFocus } from '../base/focus.js';

export function listFocus(grid) {
	const runAt = (target) => target.closest?.('[data-run]')?.dataset.run ?? null;
	grid.addEventListener('pointerover', (event) => focusRun(runAt(event.target)));
	grid.addEventListener('pointerleave', () => focusRun(null));
	const stop = onFocus((id) => {
		for (const row of grid.querySelectorAll('[data-run]')) row.classList.toggle('lit', row.dataset.run === id);
	});
	return {
		stop() {
			focusRun(null);
			stop();
		},
	};
}
