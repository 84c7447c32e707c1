/* Roles that group keys have in charts. Pure. */

/* The default first. */
export const ROLES = ['color', 'dash', 'panel'];

/* {key: role} */
export function rolesOf({ group, roles = [] }) {
	return Object.fromEntries(group.map((key, at) => [key, roles[at] || ROLES[0]]));
}
