/* Finds labels by a pattern. Pure. */

/* 'rank1*' and the like; other text stands anywhere in the label. */
export function matcher(pattern) {
	const wanted = pattern.trim().toLowerCase();
	if (!wanted.includes('*')) return (label) => label.toLowerCase().includes(wanted);
	const source = wanted.split('*').map((part) => part.replace(/[.+?^${}()|[\]\\]/g, '\\$&')).join('[^]*?');
	const regex = new RegExp(`^${source}$`);
	return (label) => regex.test(label.toLowerCase());
}
