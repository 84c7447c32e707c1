/* Stands where a panel will be when its kind has been loaded. */

import { text } from '../../text/chart.js';
import { text as common } from '../../text/common.js';
import { Panel } from './panel.js';

export class ComingPanel extends Panel {
	/* load(): the kind; page.came(): another panel is made then. */
	constructor(spec, page, { load, ...options }) {
		super(spec, page, options);
		this.load = load;
	}

	async ask() {
		this.fault = await this.load().then(() => null, () => ({ detail: common.later.lost }));
		if (!this.seen) return; /* it is asked again when it is */
		if (this.fault) this.showHead();
		else this.page.came();
	}

	rowsCame() {}

	drawNow() {}

	drawNothing() {}

	summary() {
		return text.charts.loading;
	}
}
