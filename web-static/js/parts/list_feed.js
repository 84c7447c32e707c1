/*
 * What changes while the list is seen: known runs change in their places; new ones are counted, and come into the list when
 * asked for, so that nothing moves under the mouse.
 */

const REFRESH_MS = 5000;
const EXPECT_MS = 500;

export function listFeed({ model, seenIds, came, changed, state, reload }) {
	let known = null;
	let timer = 0;
	let isStopped = false;
	let expected = 0;

	async function look() {
		const { count, fault } = await model.look(seenIds());
		if (isStopped) return;
		if (fault) return state.fail(fault);
		state.fresh();
		known ??= count;
		if (count < known || (expected && count >= expected)) {
			expected = 0;
			return reload();
		}
		if (expected) return changed();
		came(count - known);
		return changed();
	}

	async function turn() {
		if (!document.hidden && model.view()) await look();
		if (!isStopped) timer = setTimeout(turn, expected ? EXPECT_MS : REFRESH_MS);
	}

	return {
		start() {
			timer = setTimeout(turn, REFRESH_MS);
		},
		/* The list was read anew. */
		began() {
			known = model.total();
		},
		/* So many more are about to be found, and are wanted in the list. */
		expect(count) {
			expected = (known ?? 0) + count;
			clearTimeout(timer);
			turn();
		},
		stop() {
			isStopped = true;
			clearTimeout(timer);
		},
	};
}
