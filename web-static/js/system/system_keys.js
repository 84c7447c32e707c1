/* The keys of a run's system metrics. */

import { askAll } from '../api.js';

const byNumber = ({ key, kinds }) => !key.startsWith('_') && (kinds.includes('number') || kinds.includes('nonfinite'));

/* {keys} or {answer}, the response that failed. */
export async function systemKeys(data) {
	const answer = await askAll(`${data.path}/keys?stream=events`, data.options);
	return answer.status === 200 ? { keys: answer.body.items.filter(byNumber).map((item) => item.key) } : { answer };
}
