/*
 * Members of groups as thin lines, where somebody wants them of a panel: what reads and paints them is loaded then
 * (member_lines.js).
 */

const NONE = { runs: () => [], linesOf: () => null, drawn: () => [], paint() {}, note: () => null };

/* Gives now(), which is always there, and stop(). */
export function lateMembers(panel) {
	let members = null;
	let isComing = false;
	let isStopped = false;
	const isWanted = () => panel.spec.members && panel.page.groups.length > 0 && !panel.spec.split;

	async function load() {
		isComing = true;
		const part = await import('./member_lines.js').catch(() => null);
		isComing = false;
		if (!part || isStopped) return;
		members = part.memberLines(panel);
		panel.ask();
	}

	return {
		now() {
			if (!isWanted()) return NONE;
			if (!members && !isComing) load();
			return members ?? NONE;
		},
		stop() {
			isStopped = true;
			members?.stop();
		},
	};
}
