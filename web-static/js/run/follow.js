/* Which parts of a run are read again after each of its events. */

import { follow } from '../live.js';

const DOCUMENTS_MS = 5000; /* while rows come the documents change with them */

export function followRun(data, mark) {
	const { entity, project, run } = data.address;
	let documentsAt = 0;
	let timer = 0;

	function documentsSoon() {
		timer ||= setTimeout(() => {
			timer = 0;
			documentsAt = Date.now();
			mark('documents');
		}, Math.max(0, documentsAt + DOCUMENTS_MS - Date.now()));
	}

	const heard = {
		open: () => mark('all'),
		again: () => mark('all'),
		gone: () => mark('all'),
		end: () => mark('all'),
		rows: () => mark('rows'),
		state: () => mark('state'),
		writer: () => mark('writer'),
		alert: () => mark('alert'),
		/* Updates the run. An event of a run that only progresses has four numbers. */
		run(item) {
			if (item.state === undefined) return data.move(item);
			mark('self');
			return documentsSoon();
		},
	};

	const stop = follow({ entity, project, run, streams: ['rows', 'state', 'writer', 'alert'] },
		({ type, data: news }) => heard[type]?.(news));
	return () => {
		clearTimeout(timer);
		stop();
	};
}
