/* Deleting a version or a collection: what would be deleted is asked first, and it can be undone. */

import { ask } from '../api.js';
import { el } from '../base/dom.js';
import { bytes } from '../base/format.js';
import { go } from '../router.js';
import { text as common } from '../text/common.js';
import { text } from '../text/artifacts.js';
import { toast } from '../ui/controls.js';
import { requestDialog } from '../ui/form_dialog.js';
import { toldDeleted } from './undo.js';

const words = text.artifact.deleting;

function told(freed, isLink) {
	if (isLink) return [el('p', {}, words.link)];
	return [
		el('p', {}, words.goes({ ...freed, bytes: bytes(freed.bytes) })),
		el('p', {}, freed.freed_bytes === null ? words.uncounted : words.frees(bytes(freed.freed_bytes))),
		freed.held_by.length > 0 && [el('p', {}, words.held),
			el('ul', { class: 'held' }, freed.held_by.map(({ reason, name }) => el('li', {}, el('bdi', {}, words.hold[reason](name)))))],
		el('p', {}, words.how),
	];
}

/*
 * path: in REST. place: {entity, project}; href: where the page of it is, to: where the page goes. isLink: it is a link into a
 * portfolio. query: more that is asked. ondone() is called when it was deleted.
 */
export async function askDelete({ path, place, name, href, to, isLink = false, query = {}, ondone = () => {} }) {
	const asked = (more) => `${path}?${new URLSearchParams({ ...query, ...more })}`;
	const dry = await ask('DELETE', asked({ dry_run: true }));
	if (dry.status !== 200) return toast(common.fault.of(dry));
	return requestDialog(words.head(name), told(dry.body, isLink), {
		go: words.go, look: 'danger',
		send: () => ask('DELETE', asked({})),
		done(freed) {
			go(to);
			ondone();
			toldDeleted({ ...place, name, restore: freed.restore, until: freed.restore_until, href });
		},
	});
}
