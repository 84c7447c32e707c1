/*
 * Groups and what is open of them, as one list of rows. A group is open to its groups by the next key, or to its runs,
 * which are asked for a page at a time like all runs.
 */

import { pagedList } from './paged.js';

const AT_ONCE = 4; /* groups that are asked for what is within them, each by two requests */

const isOpen = (node) => Boolean(node.groups || node.runs);
const isToBeOpen = (node) => isOpen(node) || Boolean(node.isOpening); /* what is within it is asked for */
const groupsOf = ({ groups }) => groups || [];
const pathOf = (node) => JSON.stringify(node.within.map(({ key, group }) => [key, group.group]));

/* askGroups(within, key) -> groups with `stats` by column, or null; askRuns(within, query) -> answer */
export function groupTree({ keys, askGroups, askRuns, changed, failed }) {
	const root = { within: [], depth: -1, groups: null };
	let segments = [];
	let isStopped = false;
	let recounts = 0;

	function flatten(node, into) {
		if (node.depth >= 0) into.push({ kind: 'group', node, size: 1 });
		if (node.groups) node.groups.forEach((child) => flatten(child, into));
		else if (node.runs) into.push({ kind: 'runs', node, size: node.runs.total() ?? 0 });
	}

	function lay() {
		const found = [];
		let from = 0;
		flatten(root, found);
		segments = found.map((segment) => {
			const placed = { ...segment, from };
			from += segment.size;
			return placed;
		});
		changed();
	}

	async function childrenOf(node) {
		const key = keys[node.depth + 1];
		const groups = await askGroups(node.within, key);
		return groups?.map((group) => ({ group, key, depth: node.depth + 1, within: [...node.within, { key, group }] }))
			?? null;
	}

	async function openGroups(node) {
		const mine = {};
		const asked = recounts;
		node.isOpening = mine;
		const groups = await childrenOf(node);
		if (isStopped || node.isOpening !== mine) return;
		node.isOpening = null;
		if (!groups) return;
		node.groups = groups;
		lay();
		if (asked !== recounts) await recountAll();
	}

	/* Returns the groups by the last key within these, in their order, open or not: read once, a few at a time. */
	async function innermost(nodes, isWanted, most) {
		if (!nodes.length || nodes[0].depth + 1 === keys.length) return nodes.slice(0, most);
		const found = [];
		for (let at = 0; at < nodes.length && found.length < most && !isStopped; at += AT_ONCE) {
			const some = nodes.slice(at, at + AT_ONCE);
			const children = await Promise.all(some.map((node) => node.groups || (node.inner ||= childrenOf(node))));
			some.forEach((node, nth) => children[nth] || delete node.inner); /* it failed, and is asked again */
			found.push(...await innermost(children.flatMap((list) => list || []).filter(isWanted), isWanted,
				most - found.length));
		}
		return found;
	}

	async function few(nodes, work) {
		let next = 0;
		const worker = async () => {
			while (next < nodes.length && !isStopped) await work(nodes[next++]);
		};
		await Promise.all(Array.from({ length: AT_ONCE }, worker));
	}

	/* Updates the values of groups that were read; an answer that is older than another request is ignored. */
	async function recount(node, isLast) {
		const fresh = isLast() && await askGroups(node.within, keys[node.depth + 1]);
		if (!fresh || !isLast()) return false;
		const found = new Map(fresh.map((group) => [group.group, group]));
		for (const child of groupsOf(node)) {
			child.group = found.get(child.group.group) ?? child.group;
			child.within.at(-1).group = child.group;
		}
		return true;
	}

	async function recountOpen(isLast) {
		const answers = [];
		for (let open = [root]; open.length && isLast(); open = open.flatMap(groupsOf).filter(({ groups }) => groups))
			await few(open, async (node) => answers.push(await recount(node, isLast)));
		return answers.every(Boolean) && isLast();
	}

	async function recountAll() {
		const mine = ++recounts;
		const isRead = !root.groups || await recountOpen(() => mine === recounts && !isStopped);
		if (mine === recounts && !isStopped) lay();
		return isRead;
	}

	async function openRuns(node) {
		node.runs = pagedList({ ask: (query) => askRuns(node.within, query), changed: lay, failed });
		const answer = await node.runs.restart();
		if (answer) failed(answer);
	}

	function fold(node) {
		node.runs?.stop();
		node.runs = null;
		node.groups = null;
		node.isOpening = null;
		lay();
	}

	function flip(node) {
		if (isToBeOpen(node)) return fold(node);
		return node.depth + 1 < keys.length ? openGroups(node) : openRuns(node);
	}

	async function openAs(paths) {
		const isOther = (node) => paths.has(pathOf(node)) !== isToBeOpen(node);
		for (let level = groupsOf(root); level.length && !isStopped; level = level.flatMap(groupsOf))
			await few(level.filter(isOther), flip);
	}

	function openPaths(node) {
		return groupsOf(node).filter(isToBeOpen).flatMap((child) => [pathOf(child), ...openPaths(child)]);
	}

	function segmentAt(index) {
		return segments.find(({ from, size }) => index >= from && index < from + size);
	}

	return {
		lay,
		count: () => segments.reduce((sum, { size }) => sum + size, 0),
		groups: () => root.groups || [],
		innermost,
		row(index) {
			const segment = segmentAt(index);
			if (!segment) return { kind: 'wait' };
			if (segment.kind === 'group') return { kind: 'group', node: segment.node, isOpen: isOpen(segment.node) };
			const run = segment.node.runs.at(index - segment.from);
			return run ? { kind: 'run', run, depth: segment.node.depth + 1 } : { kind: 'wait' };
		},
		need(from, to) {
			for (const { kind, node, from: start, size } of segments)
				if (kind === 'runs' && start < to
					&& start + size > from) node.runs.need({ from: Math.max(0, from - start), to: Math.min(to - start, size) });
		},
		start: () => openGroups(root),
		flip,
		/* Others of their runs count. Whether all could be read. */
		recount: recountAll,
		/* Open is what is open in the tree before, or about to be, and nothing else. */
		openAs: (before) => openAs(new Set(before.openPaths())),
		openPaths: () => openPaths(root),
		lists: () => segments.filter(({ kind }) => kind === 'runs').map(({ node }) => node.runs),
		stop() {
			isStopped = true;
			segments.forEach(({ node }) => node.runs?.stop());
		},
	};
}
