/* The steps at which a run logged a table, and the files that have it. */

import { askLines } from '../../api_forms.js';
import { listText, queryOf } from '../../base/query_text.js';
import { addressedFile, versionFiles } from '../../tables/version_files.js';

export const PARTS = ['_type', 'path', 'artifact_path'];

/* Each file of an incremental table has the rows since the file before. */
const isIncremental = ({ type }) => type === 'incremental-table-file';

/* The entry of a table, from a row or a summary; null if there is none. */
export function entryOf(values) {
	const [type, path, address] = values.map((value) => typeof value === 'string' ? value : null);
	return type && (path || address) ? { type, path, address } : null;
}

/* {steps: [{step, type, path, address}] in their order} or {fault}. path: of the run. */
export async function tableHistory(path, key, signal) {
	const names = PARTS.map((part) => `${key}.${part}`);
	const answer = await askLines(`${path}/history?${queryOf({ format: 'ndjson', texts: 'whole', keys: listText(names) })}`, { signal });
	if (answer.status !== 200) return { fault: answer };
	const steps = answer.items.map((row) => ({ step: row._step, ...entryOf(names.map((name) => row[name])) }));
	return { steps: steps.filter(({ type }) => type).sort((a, b) => a.step - b.step) };
}

/* The files of an incremental table are called NUMBER-TIME.KEY.table.json; the first may have None as its number. */
export function byNumber(a, b) {
	const [[x, y], [v, w]] = [a, b].map((name) => name.split('.')[0].split('-').map((part) => Number(part) || 0));
	return x - v || (y ?? 0) - (w ?? 0);
}

async function ofVersion({ path, files }, entry) {
	if (!isIncremental(entry)) return { source: { path: files.pathOf(path) }, files };
	const { fault, paths, isCut } = await files.list('');
	if (fault) return { fault };
	const names = paths.filter((name) => name.endsWith('.table.json')).sort(byNumber);
	return { source: { paths: names.map(files.pathOf), isCut }, files };
}

/*
 * {source, files} of the table of an entry, as of table_file.js. A version of an artifact has all rows and the media in cells; the
 * files of the run, which are read where there is no version, have the first 10,000 rows, and of media only their kinds. before: the
 * entries up to this one; project, run: their paths. {fault} if it is not known whether there is a version, or which files it has.
 */
export async function tableSource(entry, { before, project, run }) {
	const addressed = await addressedFile(project, entry.address);
	if (addressed?.fault) return addressed;
	if (addressed) return ofVersion(addressed, entry);
	const files = versionFiles(run);
	if (entry.path === null) return { source: { path: files.pathOf(entry.address.split('/').at(-1)) }, files };
	const parts = isIncremental(entry) ? before.filter((one) => isIncremental(one) && one.path) : [];
	return { source: parts.length ? { paths: parts.map(({ path }) => files.pathOf(path)) } : { path: files.pathOf(entry.path) }, files };
}

export const needsHistory = isIncremental;
