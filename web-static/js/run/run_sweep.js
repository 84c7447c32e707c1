/* The sweep that a run belongs to, if there is one of this name. */

import { apiPath } from '../address.js';
import { ask } from '../api.js';

const NAME = /^[a-z0-9]{8}$/; /* other names are not of sweeps of this server */

/* Sets data.sweep to {id, display_name}; changed() is called when it has come. {update} */
export function runSweep(data, changed) {
	let asked = null;

	async function update() {
		const { sweep } = data.run;
		if (sweep === asked) return;
		asked = sweep;
		data.sweep = null;
		if (!NAME.test(sweep ?? '')) return;
		const { entity, project } = data.address;
		const answer = await ask('GET', `${apiPath(entity, project)}/sweeps/${sweep}`, undefined, data.options);
		if (answer.status !== 200 || asked !== sweep) return;
		data.sweep = { id: answer.body.id, display_name: answer.body.display_name };
		changed();
	}

	return { update };
}
