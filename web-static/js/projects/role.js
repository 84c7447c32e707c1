/* The user's rights in an entity, so that a page offers only what is allowed. */

import { ask } from '../api.js';

/* Returns the role of the signed-in user in the entity; undefined if they have none. */
export async function roleIn(entity) {
	const { status, body } = await ask('GET', 'viewer');
	if (status !== 200) return undefined;
	return body.admin ? 'admin' : body.entities.find(({ name }) => name === entity)?.role;
}

/* Returns whether the role has the rights of the entity's admins. */
export const mayRuleAs = (role) => role === 'admin';

/* Whether runs may be changed as this. */
export const mayWriteAs = (role) => role === 'member' || role === 'admin';
