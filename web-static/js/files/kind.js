/* How a file is shown: by the end of its name, or else by how it begins. */

/* Limits on what is read of a file. A larger file is shown in part, or can only be saved. */
export const PART_BYTES = 1 << 20;
export const TEXT_BYTES = 16 << 20;
export const TABLE_BYTES = 16 << 20;
export const JSON_BYTES = 8 << 20;
export const IMAGE_BYTES = 64 << 20;
export const FRAME_BYTES = 16 << 20;

const SNIFFED = 8192;

/* The first whose end or type fits; `most` bytes can be shown so. */
const KINDS = [
	{ kind: 'frame', ends: /\.(html?|svg)$/i, most: FRAME_BYTES },
	{ kind: 'rows', ends: /\.(joined-|partitioned-)?table\.json$/i },
	{ kind: 'json', ends: /\.(json|ipynb|gltf)$/i, most: JSON_BYTES },
	{ kind: 'table', ends: /\.(csv|tsv)$/i },
	{ kind: 'image', types: /^image\/(png|jpeg|gif|webp|bmp|x-icon)$/, most: IMAGE_BYTES },
	{ kind: 'audio', types: /^audio\// },
	{ kind: 'video', types: /^video\// },
];

/*
 * 'frame', 'rows' (a table of the wandb SDK), 'json', 'table', 'image', 'audio', 'video' or 'text'. What is too large for its kind is text, or 'large'
 * where it has none.
 */
export function kindOf({ name, content_type: type, bytes }) {
	const found = KINDS.find(({ ends, types }) => ends?.test(name) || types?.test(type));
	if (!found) return 'text';
	if (bytes > (found.most ?? Infinity)) return found.kind === 'image' ? 'large' : 'text';
	return found.kind;
}

/* Returns whether a file is binary by its content, which the end of its name does not show. */
export function isBinary(bytes) {
	const head = bytes.subarray(0, SNIFFED);
	if (head.includes(0)) return true;
	try {
		new TextDecoder('utf-8', { fatal: true }).decode(head, { stream: true });
		return false;
	} catch {
		return true;
	}
}

export function separatorOf(name) {
	return /\.tsv$/i.test(name) ? '\t' : ',';
}
