/* Keys may have commas: they are written as %2C within theirs. */
export function keysText(all) {
	return all.map((key) => key.replace(/[%,]/g, encodeURIComponent)).join(',') || null;
}
