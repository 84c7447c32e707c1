/* Definitions of metrics, whose part is loaded where runs have some (key_definitions.js). */

/* told(definitions): other ones. Gives set(configs of runs), which ends when that is told. */
export function lateDefinitions(told) {
	let was = '[]';
	return async (configs) => {
		const lists = configs.map((config) => config?._wandb?.m).filter((list) => list?.length);
		const now = JSON.stringify(lists);
		if (now === was) return;
		was = now;
		const part = await import('./key_definitions.js').catch(() => null);
		if (was !== now) return;
		if (part) told(part.keyDefinitions(lists));
		else was = null;
	};
}
