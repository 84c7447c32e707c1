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

function deviceTest(part) {
	const [, from, to] = part.match(/^(\d+)-(\d+)$/) || [];
	if (from !== undefined) return (device) => /^\d+(:|$)/.test(device) && Number.parseInt(device, 10) >= Number(from)
		&& Number.parseInt(device, 10) <= Number(to);
	return (device) => device === part || device.startsWith(`${part}:`);
}

/* '0-3,7', 'vda', '0:1'; an instance or a link belongs to its device. What has no devices is always wanted. */
export function deviceMatcher(list) {
	const tests = parts(list).map(deviceTest);
	return tests.length ? (device) => device === '' || tests.some((test) => test(device)) : () => true;
}

/* Reports the first part that matches none of the devices; '' if each part matches some. */
export function deviceFault(list, devices) {
	const wrong = parts(list).find((part) => !devices.some(deviceTest(part)));
	if (!wrong) return '';
	const [, from, to] = wrong.match(/^(\d+)-(\d+)$/) || [];
	return Number(from) > Number(to) ? words.downwards(wrong) : words.noDevice(wrong);
}

/* No longer than is needed to tell rows apart: the host where there are several, the device where there is one. */
export function rowName(row, rows, section) {
	const isOnePlace = rows.every((other) => other.place === row.place);
	const device = row.device && `${words.device[section] ?? ''} ${row.device}`.trim();
	return [(!isOnePlace || !device) && row.place, device].filter(Boolean).join(' ');
}
