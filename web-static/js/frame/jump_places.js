/* The page's own entries in the box that finds things: pages of the project and of settings, and actions. */

import { hrefOf } from '../address.js';
import { text } from '../text/frame.js';
import { copy } from '../ui/copy.js';
import { nextTheme } from '../ui/theme_button.js';

const words = text.jump;

const asPage = (page) => ({ kind: words.page, name: 'right', ...page });
const asAction = (name, label, onpick) => ({ kind: words.action, label, name, onpick });

/* places, settings: [{label, href, also?}]. */
export function ownPlaces({ address: { entity }, places, settings, openKeyMap, signOut }) {
	const ofEntity = entity ? [{ label: text.settings.members(entity), href: hrefOf(entity, 'settings', 'members') }] : [];
	const actions = [
		asAction('moon', text.keyMap.theme, nextTheme),
		asAction('share', text.keyMap.link, () => copy(location.href)),
		asAction('keyboard', text.keyMap.open, openKeyMap),
		asAction('right', text.header.signOut, signOut),
	];
	return [...[...places, ...ofEntity, { label: words.projects, href: hrefOf() }, ...settings].map(asPage), ...actions];
}
