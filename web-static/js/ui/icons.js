/* Icons drawn on a 16-unit grid with 1.5 strokes. A name is a list of path strings. */
import { svg } from '../base/dom.js';

const paths = {
	logo: ['M2.5 13.2h11', 'M4 13c0-1.5 1.6-2.4 4-2.4s4 .9 4 2.4', 'M5 10.6c0-1.3 1.2-2.1 3-2.1s3 .8 3 2.1',
		'M6 8.4c0-1.1.8-1.8 2-1.8s2 .7 2 1.8', 'M7 6.5c0-.9.4-1.5 1-1.5s1 .6 1 1.5'],
	eye: ['M1.5 8S4 3.8 8 3.8 14.5 8 14.5 8 12 12.2 8 12.2 1.5 8 1.5 8Z',
		'M8 9.8a1.8 1.8 0 1 0 0-3.6 1.8 1.8 0 0 0 0 3.6Z'],
	eyeOff: ['M4.2 4.9C2.5 6.1 1.5 8 1.5 8S4 12.2 8 12.2c1.2 0 2.3-.4 3.2-.9',
		'M6.5 4C7 3.9 7.5 3.8 8 3.8c4 0 6.5 4.2 6.5 4.2s-.6 1-1.7 2.1', 'M2.5 2.5l11 11'],
	search: ['M7 11.5a4.5 4.5 0 1 0 0-9 4.5 4.5 0 0 0 0 9Z', 'M10.3 10.3 14 14'],
	filter: ['M2 4h12', 'M4.5 8h7', 'M6.8 12h2.4'],
	group: ['M2.5 3.5h4v4h-4z', 'M9.5 3.5h4v4h-4z', 'M2.5 10.5h11'],
	sort: ['M5 3v10', 'M2.5 10.5 5 13l2.5-2.5', 'M11 13V3', 'M8.5 5.5 11 3l2.5 2.5'],
	columns: ['M2.5 3h11v10h-11z', 'M6.2 3v10', 'M9.8 3v10'],
	more: ['M3.5 8h.01', 'M8 8h.01', 'M12.5 8h.01'],
	pin: ['M6 2.5h4l-.4 4 2 2.5H4.4l2-2.5z', 'M8 9v4.5'],
	plus: ['M8 3v10', 'M3 8h10'],
	down: ['M4.5 6.5 8 10l3.5-3.5'],
	right: ['M6.5 4.5 10 8l-3.5 3.5'],
	expand: ['M9.5 2.5h4v4', 'M13.5 2.5 9 7', 'M6.5 13.5h-4v-4', 'M2.5 13.5 7 9'],
	lock: ['M3.5 7.5h9v6h-9z', 'M5.5 7.5V5a2.5 2.5 0 0 1 5 0v2.5'],
	sun: ['M8 11a3 3 0 1 0 0-6 3 3 0 0 0 0 6Z',
		'M8 1.5v1.2M8 13.3v1.2M1.5 8h1.2M13.3 8h1.2M3.4 3.4l.9.9M11.7 11.7l.9.9M3.4 12.6l.9-.9M11.7 4.3l.9-.9'],
	moon: ['M13 9.6A5.5 5.5 0 0 1 6.4 3a5.5 5.5 0 1 0 6.6 6.6Z'],
	share: ['M6.8 9.2a2.6 2.6 0 0 0 3.7 0l2-2a2.6 2.6 0 0 0-3.7-3.7l-.9.9',
		'M9.2 6.8a2.6 2.6 0 0 0-3.7 0l-2 2a2.6 2.6 0 0 0 3.7 3.7l.9-.9'],
	compare: ['M8 2v12', 'M3 5h2.5M3 8h2.5M3 11h2.5', 'M10.5 5H13M10.5 8H13M10.5 11H13'],
	bell: ['M4 11V7a4 4 0 0 1 8 0v4l1 1.2H3z', 'M6.8 14h2.4'],
	download: ['M8 2.5v7.5', 'M5 7.3 8 10.3l3-3', 'M3 13h10'],
	wrap: ['M2.5 4h11', 'M2.5 8h8.7a2 2 0 0 1 0 4H8', 'M9.5 10.5 8 12l1.5 1.5', 'M2.5 12H5'],
	follow: ['M8 2.5v9', 'M4.5 8.2 8 11.7l3.5-3.5', 'M3.5 14h9'],
	clock: ['M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12Z', 'M8 4.8V8l2.2 1.6'],
	info: ['M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12Z', 'M8 7.3v3.6', 'M8 5.2h.01'],
	warn: ['M8 2.2 14.4 13.4H1.6z', 'M8 6.6v3', 'M8 11.5h.01'],
	stop: ['M4 4h8v8H4z'],
	copy: ['M5.5 5.5h8v8h-8z', 'M10.5 5.5v-3h-8v8h3'],
	heart: ['M1.5 8h3l1.5-3.5 3 7L10.5 8h4'],
	stairs: ['M2 13h3v-3h3V7h3V4h3'],
	rows: ['M2.5 4h11M2.5 8h11M2.5 12h11'],
	close: ['M4 4l8 8M12 4l-8 8'],
	system: ['M2.5 3.5h11v7h-11z', 'M6 13.5h4M8 10.5v3'],
	keyboard: ['M1.5 4.5h13v7h-13z', 'M4 7h.01M6.7 7h.01M9.3 7h.01M12 7h.01M5 9.3h6'],
	merge: ['M4 2.5v4c0 2 4 2 4 4v3', 'M12 2.5v4c0 2-4 2-4 4'],

	running: ['M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12Z', 'M6.7 5.4 10.6 8l-3.9 2.6z'],
	finished: ['M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12Z', 'M5.4 8.2 7.2 10l3.5-3.8'],
	failed: ['M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12Z', 'M5.9 5.9l4.2 4.2M10.1 5.9 5.9 10.1'],
	crashed: ['M8 2.2 14.4 13.4H1.6z', 'M8 6.6v3', 'M8 11.5h.01'],
	killed: ['M3 3h10v10H3z', 'M6 6l4 4M10 6l-4 4'],
	preempting: ['M8 1.8 14.2 8 8 14.2 1.8 8z', 'M8 5v3.5'],
	preempted: ['M8 1.8 14.2 8 8 14.2 1.8 8z', 'M6.7 6.2v3.6M9.3 6.2v3.6'],
	pending: ['M8 2a6 6 0 0 1 4.2 1.8M14 8a6 6 0 0 1-1.8 4.2M8 14a6 6 0 0 1-4.2-1.8M2 8a6 6 0 0 1 1.8-4.2'],
	live: ['M8 11.2a3.2 3.2 0 1 0 0-6.4 3.2 3.2 0 0 0 0 6.4Z'],
	alive: ['M8 11.2a3.2 3.2 0 1 0 0-6.4 3.2 3.2 0 0 0 0 6.4Z'],
	replaced: ['M12.5 6A5 5 0 1 0 13 8.5', 'M13 3v3h-3'],
	late: ['M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12Z', 'M8 4.8V8l2.2 1.6'],
	lost: ['M3.2 5.6A5.6 5.6 0 0 1 13.6 8M12.8 10.4A5.6 5.6 0 0 1 2.4 8', 'M2 14 14 2'],
	ended: ['M5.4 8.2 7.2 10l3.5-3.8'],
	missing: ['M8 2a6 6 0 0 1 4.2 1.8M14 8a6 6 0 0 1-1.8 4.2M8 14a6 6 0 0 1-4.2-1.8M2 8a6 6 0 0 1 1.8-4.2',
		'M8 9.2V8.6c0-.8 1.3-1 1.3-2.1A1.3 1.3 0 0 0 6.8 6', 'M8 11h.01'],
};

const filled = new Set(['live', 'alive', 'stop']);

export function hasIcon(name) {
	return name in paths;
}

export function icon(name, label) {
	const node = svg('svg', {
		class: 'icon', viewBox: '0 0 16 16', 'stroke-width': name === 'more' ? 2 : 1.4,
		fill: filled.has(name) ? 'currentColor' : 'none', stroke: 'currentColor',
		'stroke-linecap': 'round', 'stroke-linejoin': 'round',
		'aria-hidden': label ? null : 'true', role: label ? 'img' : null, 'aria-label': label,
	});
	for (const d of paths[name]) node.append(svg('path', { d }));
	return node;
}
