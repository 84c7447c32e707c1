/* The files of a version of an artifact, as tables that are in it name them; and the version that a value of the wandb SDK names. */

import { apiPath } from '../address.js';
import { ask, askAll } from '../api.js';

const PARTS_LISTED = 10000;
const UPWARD = ['', '.', '..']; /* no file is called so, and an address with it is another one */
const ADDRESS = /^wandb-(?:client-)?artifact:\/\/([^/:]+)\/(.+)$/;

/* version: its path below api/v1, or that of a run. {pathOf, list} as of table_file.js */
export function versionFiles(version) {
	return {
		pathOf(path) {
			const parts = path.split('/');
			return parts.some((part) => UPWARD.includes(part)) ? null : `${version}/files/${parts.map(encodeURIComponent).join('/')}`;
		},
		async list(folder) {
			const answer = await askAll(`${version}/files?prefix=${encodeURIComponent(folder)}`, { most: PARTS_LISTED });
			if (answer.status !== 200) return { fault: answer };
			return { paths: answer.body.items.map(({ path }) => path), isCut: answer.body.isCut };
		},
	};
}

const versions = new Map(); /* promises of versions, by names of clients and ids: these are permanent */

const NO_VERSION = [404, 409]; /* there is none, or none yet */

/* {path} of a version, null for none; or {fault}. */
async function findVersion(project, client) {
	const answer = await ask('GET', `${project}/artifact-clients/${encodeURIComponent(client)}`);
	const { status, body } = answer;
	if (status === 200) return { path: `${apiPath(body.entity, body.project)}/artifacts/${encodeURIComponent(body.collection)}/versions/${body.version}` };
	versions.delete(client); /* it may be committed later */
	return NO_VERSION.includes(status) ? { path: null } : { fault: answer };
}

/*
 * {path: of the file in the version, files: of the version} of an address, wandb-client-artifact://CLIENT/PATH or wandb-artifact://ID/PATH; null for
 * what is no such address, and if there is no such version; {fault} if that is not known. project: the path of the project.
 */
export async function addressedFile(project, address) {
	const [, client, path] = ADDRESS.exec(address ?? '') ?? [];
	if (!client) return null;
	if (!versions.has(client)) versions.set(client, findVersion(project, client));
	const { path: version, fault } = await versions.get(client);
	if (fault) return { fault };
	return version && { path, files: versionFiles(version) };
}
