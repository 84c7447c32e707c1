/* Reports to the charts what they draw of the list, whenever it may have changed. */

import { drawnRuns } from './model/drawn.js';

/* view(): as the address has it; changed(): it has other colours, or another number of lines. */
export function listDrawn({ model, view, ondrawn, changed }) {
	const find = drawnRuns(model);
	let turn = 0;
	let ids = [];
	let lines = null; /* of groups within groups, when they are known */
	let tint = null; /* of what is drawn */

	function take(nextTint, nextLines) {
		const isSame = nextLines === lines && JSON.stringify(nextTint) === JSON.stringify(tint);
		[tint, lines] = [nextTint, nextLines];
		if (!isSame) changed();
	}

	return {
		ids: () => ids,
		lines: () => lines,
		tint: () => tint,
		async tell() {
			const mine = ++turn;
			if (!model.stands()) return;
			const { filter, group, tint: tintBy } = model.stands();
			const drawn = await find({ ...view(), filter, group, tint: tintBy });
			if (mine !== turn) return;
			ids = drawn.runs.map(({ id }) => id);
			take(drawn.tint, group.length > 1 ? drawn.groups.length + drawn.runs.length : null);
			ondrawn(drawn);
		},
		stop: () => turn++,
	};
}
