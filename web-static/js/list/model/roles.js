/* What keys of groups act as, in the order in which runs are grouped by them. Pure. */

export const ROLES = ['color', 'dash', 'panel'];

/* {key: role} */
export function rolesOf({ group, roles = [] }) {
	return Object.fromEntries(group.map((key, at) => [key, roles[at] || ROLES[0]]));
}
