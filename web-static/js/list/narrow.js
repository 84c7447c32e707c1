/* Another condition in the filter of the address. */

import { both, isProgram } from '../base/filter_text.js';
import { query, setQuery } from '../router.js';
import { text } from '../text/list.js';
import { toast } from '../ui/toast.js';

/* Filters of programs are not added to. */
export function narrow(filter) {
	const now = query().get('q') || '';
	if (isProgram(now)) toast(text.workspace.ownFilter);
	else setQuery({ q: both(now, filter) }, { replace: false });
}
