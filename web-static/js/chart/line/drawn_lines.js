/*
 * Lines that a panel draws: its own as they are drawn, those of neighbouring panels over the same axes, members of
 * groups, and which of them have a band.
 */

import { inFocus } from '../../base/focus.js';
import { bandOf, drawn, drawnBand } from './lines.js';

export const BANDS = { runs: 3, groups: 8 }; /* up to so many lines all have a band; of more only the line in focus */

/* Returns whether each line has a band. */
export function hasRoomForBands(lines) {
	return lines.length <= BANDS.groups && lines.filter(({ isGroup }) => !isGroup).length <= BANDS.runs;
}

/* A line as it is drawn; `right`: the key whose lines go by the axis at the right. */
export function drawnOf({ data, look }, line, right) {
	return drawn(line, {
		count: data.grid.count,
		weight: look.weight,
		window: look.window,
		isLog: look.y === 'log',
		grid: data.grid,
		isZoomed: Boolean(look.zoom),
		scale: line.key === right ? 'y2' : 'y',
	});
}

/* Never that of all that there are. */
function rightKey({ spec: { right, formula }, shown }) {
	return right && !formula && shown.some((line) => line.key !== right) ? right : null;
}

function besideBands({ shown, others, page, spec }) {
	const shared = shown.filter((line) => !line.isGroup).length;
	if (shared > BANDS.runs) return [];
	return page.facets?.inFew(others, spec.facet, { shared, most: BANDS.groups }) || [];
}

/*
 * widths: bands that the axis has room for, so that one that comes with the focus moves nothing; rawShown: ids of lines
 * that are seen as they are behind what is smooth.
 */
function bandsOf(panel, ones) {
	const { data, look, shown } = panel;
	const focused = inFocus();
	const alongX = ones.filter(({ path }) => !path);
	const isFew = hasRoomForBands(shown);
	const isBanded = ({ line }) => look.band !== 'none' && (line.who === focused || isFew);
	const how = { grid: data.grid, isLog: look.y === 'log' };
	const bands = new Map(alongX.filter(isBanded).map((one) => [one.line.id, drawnBand(one, look.band, how)]));
	const widths = new Map(isFew ? bands : []);
	for (const { line, path } of ones) if (path) widths.set(line.id, bandOf(line, 'minmax'));
	if (look.band !== 'none') besideBands(panel).forEach((line) => widths.set(line.id, bandOf(line, look.band)));
	const raw = look.weight || look.window ? alongX.map(({ line }) => line.id).filter((id) => !bands.has(id)) : [];
	return { bands, widths, rawShown: new Set(raw) };
}

/* {ones, beside, thin: members of groups, bands, widths, rawShown}, of what the panel shows. */
export function drawnLines(panel) {
	const right = rightKey(panel);
	const as = (line) => drawnOf(panel, line, right);
	const ones = panel.shown.map(as);
	panel.order.now().put(ones);
	return { ones, beside: panel.others.map(as), thin: panel.members.now().drawn(right), ...bandsOf(panel, ones) };
}
