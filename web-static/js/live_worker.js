/* Shared by all tabs of a browser: holds the streams, so that six tabs do not need six connections. */

import { liveHub } from './live_hub.js';

const SILENT_MS = 90000; /* tabs speak every 20 s; one that ended without a word is forgotten, and one that slept is told so */

const hub = liveHub();
const tabs = new Set();

function forget(tab) {
	tabs.delete(tab);
	tab.client?.leave();
	tab.client = null;
	tab.port.postMessage([{ type: 'forgotten' }]);
}

addEventListener('connect', ({ ports: [port] }) => {
	const tab = { port, client: null, heardAt: 0 };
	port.addEventListener('message', ({ data }) => {
		tabs.add(tab);
		tab.heardAt = Date.now();
		tab.client ||= hub.join((messages) => port.postMessage(messages));
		tab.client.want(data.wants);
		if (data.retry) hub.retry();
	});
	port.addEventListener('close', () => forget(tab));
	port.start();
});

setInterval(() => {
	for (const tab of tabs) if (Date.now() - tab.heardAt > SILENT_MS) forget(tab);
}, SILENT_MS / 3);
