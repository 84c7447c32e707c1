/* Groups by what all of their runs have under the keys that they are put together by. Pure. */

export const placeOf = (values) => JSON.stringify(values.map((value) => value ?? null));

/* Of those that are put together by these keys, and by no others. */
export function byValues(groups, keys) {
	const alike = groups.filter(({ of }) => of && Object.keys(of.own).length === keys.length
		&& keys.every((key) => Object.hasOwn(of.own, key)));
	return new Map(alike.map((group) => [placeOf(keys.map((key) => group.of.own[key])), group]));
}
