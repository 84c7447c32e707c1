/* Addresses of artifacts, on the page and in REST. */

import { apiPath, hrefOf } from '../address.js';
import { root } from '../api.js';

export function hrefOfCollection({ entity, project, type, collection }) {
	return hrefOf(entity, project, 'artifacts', type, collection);
}

/* The page of a version: `version` is its number or an alias. */
export function hrefOfVersion({ entity, project, type, collection, version }, tab) {
	return hrefOf(entity, project, 'artifacts', type, collection, version, ...tab && tab !== 'overview' ? [tab] : []);
}

export function collectionPath({ entity, project, collection }) {
	return `${apiPath(entity, project)}/artifacts/${encodeURIComponent(collection)}`;
}

export function versionPath(place) {
	return `${collectionPath(place)}/versions/${encodeURIComponent(place.version)}`;
}

export const nameOf = ({ collection, version }) => version ? `${collection}:${version}` : collection;

export const urlOf = (path) => new URL(`api/v1/${path}`, root).href;
