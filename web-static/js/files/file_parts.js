/* A file as text, read part by part from its beginning, on demand. */

import { askPart } from '../api_forms.js';
import { isBinary, PART_BYTES } from './kind.js';

/* The address of a file below that of its run. */
export function filePath(runPath, path) {
	return `${runPath}/files/${path.split('/').map(encodeURIComponent).join('/')}`;
}

export class FileParts {
	constructor(path, bytes, options) {
		this.path = path;
		this.bytes = bytes;
		this.options = options;
		this.read = 0;
		this.tag = null;
		this.text = ''; /* of what all() has read */
		this.decoder = new TextDecoder();
		this.last = Promise.resolve();
	}

	get isAll() {
		return this.read >= this.bytes;
	}

	/*
	 * {text} of the next part, or {fault}, {isBinary}, {isChanged}: it is another file since the part before. One after
	 * another.
	 */
	next() {
		this.last = this.last.then(() => this.part());
		return this.last;
	}

	async part() {
		if (this.isAll) return { text: this.decoder.decode() };
		const answer = await askPart(this.path, this.read, Math.min(this.read + PART_BYTES, this.bytes), this.options);
		if (answer.status !== 200) return { fault: answer };
		if (this.tag && answer.tag !== this.tag) return { isChanged: true };
		if (!this.read && isBinary(answer.bytes)) return { isBinary: true };
		this.tag = answer.tag;
		this.read += answer.bytes.length;
		return { text: this.decoder.decode(answer.bytes, { stream: !this.isAll }) };
	}

	/* All of it; for what is known to be small. */
	async all() {
		while (!this.isAll) {
			const part = await this.next();
			if (part.text === undefined) return part;
			this.text += part.text;
		}
		return { text: this.text };
	}
}
