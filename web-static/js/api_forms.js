/* Answers that are lines, or parts of files. */

import { away, orAway, sendOften, told } from './api.js';

function parsedLines(text) {
	try {
		return text.split('\n').filter(Boolean).map((line) => JSON.parse(line));
	} catch (fault) {
		return away(fault);
	}
}

/* {status, items}: rows of NDJSON; null where they cannot be had. */
export async function askLines(path, options) {
	const answer = await orAway(async () => {
		const found = await sendOften('GET', path, undefined, { ...options, accept: 'application/x-ndjson' });
		return found.status === 200 ? { status: 200, items: parsedLines(await found.text().catch(away)) } : told(found);
	});
	return { items: null, ...answer };
}

/* {status, bytes, tag}: a part of a file, `from` up to before `to`; the tag is that of the whole. */
export function askPart(path, from, to, options) {
	return orAway(async () => {
		const answer = await sendOften('GET', path, undefined, { ...options, range: `bytes=${from}-${to - 1}` });
		if (answer.status !== 206) return { ...await told(answer), bytes: null };
		const bytes = new Uint8Array(await answer.arrayBuffer().catch(away));
		return { status: 200, bytes, tag: answer.headers.get('ETag') };
	});
}
