/* Another condition in the filter of the address. */

import { query, setQuery } from '../router.js';
import { both } from '../runs/filter_text.js';
import { text } from '../text.js';
import { toast } from './toast.js';

/* Filters of programs (JSON) are not added to. */
export function narrow(filter) {
	const now = query().get('q') || '';
	if (now.trim().startsWith('{')) toast(text.panels.ownFilter);
	else setQuery({ q: both(now, filter) }, { replace: false });
}
