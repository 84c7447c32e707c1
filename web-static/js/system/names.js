/* Which rows are chosen, and what they are called. Pure but for the words. */

import { matcher } from '../base/label_matcher.js';
import { listOf } from '../base/query_text.js';
import { text } from '../text/system.js';

const words = text.system;

const parts = (list) => listOf(list).map((part) => part.trim()).filter(Boolean);

/* 'rank1*,node3' */
export function placeMatcher(list) {
	const matchers = parts(list).map(matcher);
	return matchers.length
		? (...names) => matchers.some((matches) => names.some((name) => name && matches(name))) : () => true;
}

/* Reports the first part that matches none of the labels and hosts; '' if each part matches some. */
export function placeFault(list, names) {
	const wrong = parts(list).find((part) => !names.some(matcher(part)));
	return wrong ? words.noPlaceNamed(wrong) : '';
}

/* The kind of device that a section of metrics is of, as in 'gpu:0'. */
export const kindOf = (section) => section === 'gpuProcess' ? 'gpu' : section;

const kindIn = (part) => part.match(/^([a-z]+):/)?.[1] ?? '';

/* As cairn-sampler has it, a part without a kind is of the kind before it: 'gpu:0,2' is 'gpu:0', 'gpu:2'. */
function deviceParts(list) {
	let kind = '';
	return parts(list).map((part) => {
		kind = kindIn(part) || kind;
		return kind && !kindIn(part) ? `${kind}:${part}` : part;
	});
}

/* '0-3', 'vda', '0:1', 'gpu:0-3'; an instance or a link belongs to its device. Names have a kind where the part has one. */
function deviceTest(part) {
	const [, kind, from, to] = part.match(/^([a-z]+:|)(\d+)-(\d+)$/) || [];
	if (from === undefined) return (name) => name === part || name.startsWith(`${part}:`);
	return (name) => {
		const number = name.startsWith(kind) ? name.slice(kind.length).match(/^(\d+)(:|$)/)?.[1] : undefined;
		return number !== undefined && Number(number) >= Number(from) && Number(number) <= Number(to);
	};
}

/* Rows without a device are always wanted, and so is a kind that no part is about. */
export function deviceMatcher(list) {
	const tests = deviceParts(list).map((part) => ({ kind: kindIn(part), test: deviceTest(part) }));
	return (device, kind = '') => {
		const about = device === '' ? [] : tests.filter((one) => one.kind === '' || one.kind === kind);
		return about.length === 0 || about.some((one) => one.test(one.kind ? `${kind}:${device}` : device));
	};
}

/* Reports the first part that matches none of the devices, which are there with their kind, too; '' if each part matches some. */
export function deviceFault(list, devices) {
	const wrong = deviceParts(list).find((part) => !devices.some(deviceTest(part)));
	if (!wrong) return '';
	const [, from, to] = wrong.match(/^(?:[a-z]+:)?(\d+)-(\d+)$/) || [];
	return Number(from) > Number(to) ? words.downwards(wrong) : words.noDevice(wrong);
}

/* No longer than is needed to tell rows apart: the host where there are several, the device where there is one. */
export function rowName(row, rows, section) {
	const isOnePlace = rows.every((other) => other.place === row.place);
	const device = row.device && `${words.device[section] ?? ''} ${row.device}`.trim();
	return [(!isOnePlace || !device) && row.place, device].filter(Boolean).join(' ');
}
