/* State of the system page that its panels and feeds need. */

import { apiPath } from '../address.js';
import { themeNow } from '../base/dom.js';
import { hostSlots, labelSlots } from '../base/label_slots.js';
import { slotAlone } from '../base/slot.js';
import { seriesCache } from '../chart/data/series_cache.js';
import { lookOf } from '../chart/panel/look.js';
import { zoomText } from '../chart/panel/zoom.js';
import { query, setQuery } from '../router.js';
import { Feed } from './feed.js';
import { deviceMatcher, kindOf, placeMatcher } from './names.js';
import { reportersAtOnce } from './reporters.js';

const BUCKETS = { metric: 384, label: 128, host: 192 }; /* as wide as the panels of the view are */

const BY = ['metric', 'label', 'host'];
const X = { wall: '_timestamp', rel: '_relative', step: '_step' };

/* How system metrics are shown, as the address has it; the rest is as usual. */
function systemLookOf(query) {
	const { zoom } = lookOf(query);
	const by = query.get('by');
	const xName = Object.hasOwn(X, query.get('x') || '') ? query.get('x') : 'wall';
	const fields = Object.fromEntries(['panels', 'label', 'device'].map((name) => [name, query.get(name) || '']));
	const usual = { y: 'linear', weight: 0, clip: false, band: 'minmax' };
	return {
		...usual, by: BY.includes(by) ? by : 'metric', xName, x: X[xName], zoom, fields, search: fields.panels,
		panel: query.get('panel'),
	};
}

export class SystemPage {
	/* told() is called when a metric has something else to show. */
	constructor({ entity, project, run }, data, told) {
		Object.assign(this, { run, data, told, cache: seriesCache(apiPath(entity, project)), feeds: new Map() });
		this.color = { slot: slotAlone(data.run), color: data.run.color };
		this.wants = (row) => this.wantsPlace(row.label, row.host) && this.wantsDevice(row.device, kindOf(row.section));
		this.read();
	}

	/* The address. */
	read() {
		this.look = systemLookOf(query());
		this.wantsPlace = placeMatcher(this.look.fields.label);
		this.wantsDevice = deviceMatcher(this.look.fields.device);
	}

	get x() {
		return this.look.x;
	}

	get zoom() {
		return this.look.zoom;
	}

	get width() {
		return BUCKETS[this.look.by];
	}

	get theme() {
		return themeNow();
	}

	/* The list of writers is another one when something in it changed. */
	whoSent() {
		const { writers } = this.data;
		if (writers === this.known?.writers) return this.known;
		const senders = writers.filter((writer) => writer.event_rows > 0);
		const hosts = new Map(senders.map(({ label, host }) => [label, host || '']));
		this.known = { writers, senders, hosts, labelSlot: labelSlots(writers), hostSlot: hostSlots(writers),
			reporters: reportersAtOnce(senders) };
		return this.known;
	}

	/* The colour of a row that is of one label, or of a host. */
	slotOf = ({ label, host }) => label ? this.whoSent().labelSlot(label) : this.whoSent().hostSlot(host);

	/* How many processes report the same row: of a host those that were there at once. */
	reportersOf = ({ label, host }) => label ? 1 : this.whoSent().reporters.get(host) ?? 1;

	/* Writers that sent system metrics. */
	get senders() {
		return this.whoSent().senders;
	}

	/* Their hosts by label. */
	get hosts() {
		return this.whoSent().hosts;
	}

	/* Labels and hosts of those that sent some. */
	get names() {
		return [...this.hosts].flat().filter(Boolean);
	}

	/* A metric that has other keys than before is another one. */
	feedOf(metric) {
		if (this.feeds.get(metric.id)?.metric !== metric) this.feeds.set(metric.id, new Feed(this, metric));
		return this.feeds.get(metric.id);
	}

	zoomTo(zoom) {
		setQuery({ zoom: zoomText(zoom, this.x) });
	}

	full(id) {
		setQuery({ panel: id }, { replace: false });
	}
}
