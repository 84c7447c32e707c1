/*
 * The change of numbers of a list against its baseline. Which way they are better says the project, else the baseline's
 * config; until that is read changes have no colour.
 */

import { apiPath } from '../address.js';
import { ask } from '../api.js';
import { duration, number } from '../base/format.js';
import { reread } from '../base/reread.js';
import { nameOf } from '../base/slot.js';
import { visible } from '../base/visible.js';
import { changeNode } from '../compare/model/change.js';
import { changeOf, directionOf, directionsOf } from '../compare/model/model.js';
import { readDocument } from '../compare/model/read.js';
import { text } from '../text/list.js';
import { metricKey } from './model/metric_column.js';

const REST_MS = 1000;
const GONE = 404;

/* came(): it is known which way is better. */
export function changesOf({ entity, project }, came) {
	let wanted = null; /* id of the baseline */
	let directions = new Map();

	async function read(signal) {
		const id = wanted;
		const [settings, { answer, value }] = await Promise.all([
			ask('GET', apiPath(entity, project), undefined, { signal }),
			readDocument(`${apiPath(entity, project, id)}/config`, signal)]);
		const fault = [settings, answer].find((one) => one && one.status !== 200);
		if (signal.aborted || id !== wanted || fault?.status === GONE) return null;
		if (fault) return fault;
		directions = directionsOf([value ?? {}], settings.body.directions);
		came();
		return null;
	}

	const turns = reread(read, () => REST_MS);

	return {
		want({ id }) {
			if (id === wanted) return;
			wanted = id;
			directions = new Map();
			turns.soon();
		},
		/* of, at: the values of a cell and of the baseline. */
		nodeOf(key, of, at, { kind, base }) {
			const metric = metricKey(key);
			const node = changeNode(changeOf(of, at), metric === null ? undefined : directionOf(directions, metric), kind,
				key === 'duration' ? duration : number);
			if (node) node.title = text.workspace.against(visible(nameOf(base)), node.title);
			return node;
		},
		stop: turns.stop,
	};
}
