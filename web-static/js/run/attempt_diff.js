/* Which values of an earlier config or summary a restore sets. Pure. */

import { ownLeaves } from '../base/leaves.js';

/* Rows of leaves.js that the document has with another value, or not at all; a null is not restored. */
export function toRestore(document, earlier) {
	const now = new Map(ownLeaves(document).map(([, , value, path]) => [path, JSON.stringify(value)]));
	return ownLeaves(earlier).filter(([, , value, path]) => value !== null && now.get(path) !== JSON.stringify(value));
}
