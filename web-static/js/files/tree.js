/* Names of files as a tree of folders, and those of its rows that are open. */

const byName = new Intl.Collator('en', { numeric: true });

function newFolder(path, name) {
	return { path, name, folders: new Map(), files: [], count: 0, bytes: 0 };
}

function put(top, file) {
	const parts = file.name.split('/');
	const name = parts.pop();
	let folder = top;
	let path = '';
	for (const part of parts) {
		folder.count++;
		folder.bytes += file.bytes;
		path = path ? `${path}/${part}` : part;
		if (!folder.folders.has(part)) folder.folders.set(part, newFolder(path, part));
		folder = folder.folders.get(part);
	}
	folder.count++;
	folder.bytes += file.bytes;
	folder.files.push({ path: file.name, name, bytes: file.bytes });
}

/* {path, name, folders, files, count, bytes}; count and bytes are of all below it. */
export function treeOf(files) {
	const top = newFolder('', '');
	for (const file of files) put(top, file);
	return top;
}

function* below(folder, depth, isOpen) {
	const folders = [...folder.folders.values()].sort((a, b) => byName.compare(a.name, b.name));
	for (const one of folders) {
		const opened = isOpen(one.path);
		yield { kind: 'folder', depth, path: one.path, item: one, isOpen: opened };
		if (opened) yield* below(one, depth + 1, isOpen);
	}
	const files = [...folder.files].sort((a, b) => byName.compare(a.name, b.name));
	for (const one of files) yield { kind: 'file', depth, path: one.path, item: one };
}

/* Rows from top to bottom, folders before files: {kind, depth, path, item, isOpen?}. */
export function rowsOf(top, isOpen) {
	return [...below(top, 0, isOpen)];
}

/* The folders that lead to a file. */
export function foldersOf(path) {
	const parts = path.split('/').slice(0, -1);
	return parts.map((_, at) => parts.slice(0, at + 1).join('/'));
}

export function matching(files, typed) {
	const wanted = typed.trim().toLowerCase();
	return wanted ? files.filter(({ name }) => name.toLowerCase().includes(wanted)) : files;
}
