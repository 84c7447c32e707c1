/*
 * The only fetch. Addresses go by where this module came from, so a path prefix needs no setting:
 * PREFIX/static/VERSION/js/api.js.
 */

export const root = new URL('../../../', import.meta.url);

const BUSY_TRIES = 5;

function sleep(seconds) {
	return new Promise((resolve) => setTimeout(resolve, seconds * 1000));
}

async function send(method, path, body) {
	const answer = await fetch(new URL(`api/v1/${path}`, root), {
		method,
		credentials: 'same-origin',
		cache: 'no-store',
		headers: body === undefined ? {} : { 'Content-Type': 'application/json' },
		body: body === undefined ? undefined : JSON.stringify(body),
	});
	const text = await answer.text();
	return {
		status: answer.status,
		wait: Number(answer.headers.get('Retry-After')) || 1,
		body: text ? JSON.parse(text) : null,
	};
}

/*
 * {status, body, wait}; status 0 when nobody answered. A busy server is asked again a few times: it has
 * done nothing of what it answered 503.
 */
export async function ask(method, path, body) {
	try {
		for (let tries = 1; ; tries++) {
			const answer = await send(method, path, body);
			if (answer.status !== 503 || tries >= BUSY_TRIES) return answer;
			await sleep(answer.wait);
		}
	} catch {
		return { status: 0, wait: 1, body: null };
	}
}

export async function askAll(path) {
	const items = [];
	for (let cursor = ''; cursor !== null;) {
		const more = cursor ? `&cursor=${encodeURIComponent(cursor)}` : '';
		const answer = await ask('GET', `${path}?limit=1000${more}`);
		if (answer.status !== 200) return answer;
		items.push(...answer.body.items);
		cursor = answer.body.next_cursor;
	}
	return { status: 200, body: { items } };
}
