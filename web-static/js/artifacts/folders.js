/*
 * The files of a version as a tree that is read a folder a request, when it is opened; a folder with more files than one answer
 * has ends with a row that reads on. Pure.
 */

/* Returns the part of a path that is shown within a folder. */
function nameIn(prefix, path) {
	return path.slice(prefix.length).replace(/\/$/, '');
}

/* The folders that lead to a file: 'a/b/c' is in 'a/' and 'a/b/'. */
export function foldersOf(path) {
	const parts = path.split('/').slice(0, -1);
	return parts.map((_, at) => `${parts.slice(0, at + 1).join('/')}/`);
}

/* read(prefix, cursor, isFlat): a promise of an answer with a page of files; changed() is called when rows change. */
export class Folders {
	constructor(read, changed) {
		this.read = read;
		this.changed = changed;
		this.folders = new Map(); /* prefix: {items, cursor, isReading, fault}; a cursor '': nothing was read */
		this.opened = new Set(['']);
		this.sought = ''; /* what all paths begin with that are shown, as a flat list; '': the tree */
		this.seeking = null;
	}

	/* Reads the next page of a folder; resolves when it has come, or has failed. */
	more(prefix) {
		return this.readInto(this.folderOf(prefix), prefix, false);
	}

	folderOf(prefix) {
		if (!this.folders.has(prefix)) this.folders.set(prefix, { items: [], cursor: '', isReading: null, fault: null });
		return this.folders.get(prefix);
	}

	readInto(folder, prefix, isFlat) {
		folder.isReading ??= this.readPage(folder, prefix, isFlat).finally(() => {
			folder.isReading = null;
			this.changed();
		});
		return folder.isReading;
	}

	async readPage(folder, prefix, isFlat) {
		folder.fault = null;
		this.changed();
		const answer = await this.read(prefix, folder.cursor, isFlat);
		if (answer.status !== 200) {
			folder.fault = answer;
			return;
		}
		folder.items.push(...answer.body.items);
		folder.cursor = answer.body.next_cursor;
	}

	/* Opens or closes a folder. */
	async flip(prefix, isOpen) {
		if (isOpen) this.opened.add(prefix);
		else this.opened.delete(prefix);
		this.changed();
		if (isOpen && this.folderOf(prefix).cursor === '') await this.more(prefix);
	}

	async openTo(path) {
		for (const prefix of ['', ...foldersOf(path)]) await this.flip(prefix, true);
	}

	/* The whole path of a file that was read, or undefined. */
	find(path) {
		for (const { items } of [...this.folders.values(), ...this.seeking ? [this.seeking] : []]) {
			const found = items.find((item) => item.path === path);
			if (found) return found;
		}
		return undefined;
	}

	/* Shows the paths that begin with a text; '' is the tree again. */
	seek(text) {
		this.sought = text;
		this.seeking = text ? { items: [], cursor: '', isReading: null, fault: null } : null;
		if (!text) return void this.changed();
		const mine = this.seeking;
		return this.readInto(mine, text, true);
	}

	/* Reads on where a row says so. */
	act(row) {
		return this.seeking ? this.readInto(this.seeking, this.sought, true) : this.more(row.prefix);
	}

	get isEmpty() {
		const { items, cursor } = this.seeking ?? this.folderOf('');
		return !items.length && cursor === null;
	}

	/* Rows of treeGrid(); what is said where more can be read, or was not. */
	rows(words) {
		if (this.seeking) return [...this.below(this.seeking, '', 0, words)];
		return [...this.below(this.folderOf(''), '', 0, words)];
	}

	* below({ items, cursor, isReading, fault }, prefix, depth, words) {
		for (const item of items) {
			const { path, kind, bytes, files } = item;
			if (kind === 'folder') yield* this.folder(path, depth, { name: nameIn(prefix, path), count: files, bytes }, words);
			else yield { kind: 'file', depth, path, item: { name: nameIn(prefix, path), bytes: bytes ?? undefined } };
		}
		const said = fault ? words.failed(fault) : isReading ? words.loading : cursor ? words.more : null;
		if (said) yield { kind: 'other', depth, prefix, path: `${prefix}\0`, item: { name: said } };
	}

	* folder(path, depth, item, words) {
		const isOpen = this.opened.has(path);
		yield { kind: 'folder', depth, path, isOpen, item };
		if (isOpen) yield* this.below(this.folderOf(path), path, depth + 1, words);
	}
}
