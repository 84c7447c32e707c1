/* Who may do what in an entity, so that a page offers no more. */

import { ask } from '../api.js';

/* What the user, who is signed in, is in the entity; nothing for a stranger. */
export async function roleIn(entity) {
	const { status, body } = await ask('GET', 'viewer');
	if (status !== 200) return undefined;
	return body.admin ? 'admin' : body.entities.find(({ name }) => name === entity)?.role;
}

/* What only admins of the entity do. */
export const mayRuleAs = (role) => role === 'admin';

/* Whether runs may be changed as this. */
export const mayWriteAs = (role) => role === 'member' || role === 'admin';
