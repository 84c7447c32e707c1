/*
 * Media as values of rows, as the wandb SDK and the Python package write them: {_type: 'image-file', path, …}, or one value for a list
 * of them. A row has the members of a value under joined names ("sample.boxes.guess.path"). Pure.
 */

const isText = (value) => typeof value === 'string';
const isPlain = (value) => value !== null && typeof value === 'object' && !Array.isArray(value);
const listOf = (value) => Array.isArray(value) ? value : [];

/* Members of values under names that are known; those of boxes and masks have names of the program's own. */
const LISTS = ['filenames', 'audio', 'html', 'videos', 'objects'];
const MEMBERS = ['_type', 'path', 'artifact_path', 'caption', 'captions', 'count', 'width', 'height', 'size', 'all_boxes', 'all_masks', ...LISTS];
const LAYER = /^(boxes|masks)\.(.+?)\.(path|box_data|class_labels\.(.+))$/s;

export const ITEMS_MOST = 500; /* of a value that are shown */
const LAYERS_MOST = 100; /* names of members of boxes and masks */
const NAMES_CHARACTERS = 12000; /* so that an address has room for them */

/* Fields of a summary that say whether a run has the key, and which value it has. */
export const SIGNS = ['_type', 'path', 'artifact_path', 'count', ...LISTS];

/* Whether the summary has the whole value; it has only the size of a large list. */
export const isWhole = (signs) => SIGNS.every((name, at) => !LISTS.includes(name) || signs[at] === null || Array.isArray(signs[at]));

/* Names of keys in rows; layers: those of the key that are members of boxes and masks, as the server lists them. */
export function namesOf(key, layers) {
	const names = MEMBERS.map((member) => `${key}.${member}`);
	let room = NAMES_CHARACTERS;
	const known = layers.filter((name) => LAYER.test(name.slice(key.length + 1))).slice(0, LAYERS_MOST);
	return [...names, ...known].filter((name) => (room -= name.length + 1) > 0);
}

/* The pattern, for the server's list of keys, of all members of boxes and masks of a key. */
export const layerPattern = (key) => `/^${key.replace(/[\\^$.*+?()[\]{}|/#]/g, '\\$&')}\\.(boxes|masks)\\..+\\.(path|box_data|class_labels\\..+)$/`;

function putLayer(value, [, kind, name, member, id], found) {
	const layer = (value[kind] ||= Object.create(null))[name] ||= {};
	if (id === undefined) layer[member] = found;
	else (layer.class_labels ||= Object.create(null))[id] = found;
}

/* The value of a key in a row; null if it has none. */
export function valueIn(row, key) {
	const value = {};
	for (const [name, found] of Object.entries(row)) {
		if (!name.startsWith(`${key}.`) || found === null) continue;
		const member = name.slice(key.length + 1);
		const layer = LAYER.exec(member);
		if (layer) putLayer(value, layer, found);
		else if (MEMBERS.includes(member)) value[member] = found;
	}
	return isText(value._type) ? value : null;
}

/* Captions are a list, or false, and a caption may be null. */
const captionAt = (value, at) => isText(listOf(value.captions)[at]) ? { caption: value.captions[at] } : {};

const isMade = (item) => isPlain(item) && isText(item._type);

function imagesOf(value) {
	const { width, height } = value;
	return listOf(value.filenames).map((path, at) => ({ _type: 'image-file', path, width, height, ...captionAt(value, at),
		boxes: listOf(value.all_boxes)[at] ?? null, masks: listOf(value.all_masks)[at] ?? null }));
}

const filesOf = (type) => (value) => listOf(value.filenames).map((path, at) => ({ _type: type, path, ...captionAt(value, at) }));
const madeOf = (name) => (value) => listOf(value[name]).filter(isMade).map((item, at) => ({ ...captionAt(value, at), ...item }));

/* Values that are lists, by their type. */
const OF_LISTS = {
	'images/separated': imagesOf,
	molecule: filesOf('molecule-file'),
	object3D: madeOf('objects'),
	audio: madeOf('audio'),
	html: madeOf('html'),
	videos: madeOf('videos'),
};

const ADDRESS = /^wandb-(client-)?artifact:\/\//;

/* With the address of a file in an artifact where a path is one. */
function placed(item) {
	const { path, artifact_path: address } = item;
	if (isText(path) && !ADDRESS.test(path)) return item;
	return { ...item, path: null, address: isText(path) ? path : isText(address) ? address : null };
}

/* The media of a value: [{_type, path, caption, …}], or {…, address} of one that is in an artifact only. */
export function itemsOf(value) {
	const items = Object.hasOwn(OF_LISTS, value._type) ? OF_LISTS[value._type](value) : [value];
	return items.slice(0, ITEMS_MOST).map(placed);
}

export const sizeOf = (value) => Object.hasOwn(OF_LISTS, value._type) ? OF_LISTS[value._type](value).length : 1;

/* Entries are [{row, step, value}] in the order of their steps. */
export const inOrder = (entries) => entries.sort((a, b) => a.step - b.step || a.row - b.row);

/* The latest at or before the step, null: the latest of all; null if there is none. */
export function entryAt(entries, step) {
	if (step === null) return entries.at(-1) ?? null;
	let [low, high] = [0, entries.length];
	while (low < high) {
		const middle = (low + high) >> 1;
		if (entries[middle].step <= step) low = middle + 1;
		else high = middle;
	}
	return entries[low - 1] ?? null;
}

/* The steps of several runs, each once, in ascending order. */
export const stepsOf = (lists) => [...new Set(lists.flatMap((entries) => entries.map(({ step }) => step)))].sort((a, b) => a - b);

/* The step of the slider that a chosen step leads to: the last one at or before it. */
export function placeOf(steps, step) {
	const at = steps.findLastIndex((one) => one <= step);
	return step === null ? steps.length - 1 : Math.max(0, at);
}

/* Names of the classes of masks by their layer, from what the wandb SDK writes to the configuration of a run. */
const NAMED_BY = '_wandb_delimeter_'; /* as the SDK spells it */

export function maskNames(labels, key) {
	const names = {};
	for (const [name, one] of Object.entries(isPlain(labels) ? labels : {})) {
		const value = isPlain(one) ? one.value : null;
		if (name.startsWith(key + NAMED_BY) && isPlain(value)) names[name.slice(key.length + NAMED_BY.length)] = value;
	}
	return names;
}
