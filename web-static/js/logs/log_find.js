/* Starts and ends searches in the logs of a run; log_hits.js goes through the hits. */

import { marker, parse, startSearch } from './log_search.js';

/* logs: the page, see pages/run_logs.js. */
export function logFind(logs) {
	function found(search) {
		if (search !== logs.search && logs.search) return;
		logs.search = search;
		if (logs.only) logs.show();
		logs.bar.tell();
		logs.hits.came();
	}

	function start(find) {
		const wanted = parse(find);
		logs.search?.stop();
		logs.find = find;
		logs.hits.begin();
		logs.look.find = find ? marker(wanted) : null;
		logs.search = null;
		if (find && !logs.scope.isNone) logs.search = startSearch(logs.scope, wanted, logs.only ? logs.around : 0, found);
		logs.list.redraw();
		logs.bar.tell();
	}

	return {
		start,
		/* Hits alone, with so many lines around each. */
		setOnly(only, around = logs.around) {
			Object.assign(logs, { only, around });
			start(logs.find);
			logs.show();
		},
		stop: () => logs.search?.stop(),
	};
}
