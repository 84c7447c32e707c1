import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { test } from 'node:test';

const { firstLines } = await import('../../../web-static/js/projects/first_lines.js');
const { resumeLines } = await import('../../../web-static/js/list/model/resume_lines.js');
const PLACE = { base: 'http://127.0.0.1:8080', entity: 'ann', project: 'digits', key: 'YOUR_KEY' };
const ODD = 'it\'s "größe" $(exit 9) `exit 9` \u{1f9ea}';

/* What the programs see that the lines start, as a shell has it. */
function seen(lines, ...programs) {
	const said = programs.map((name) => `${name}() { printf '%s\\n' "$@"; }`).join('\n');
	return execFileSync('bash', ['-eu', '-c', `${said}\n${lines}`], { encoding: 'utf8' }).split('\n');
}

test('a usual name stands as it is', () => {
	const lines = firstLines(PLACE);
	assert.match(lines.command, /cairn run --project ann\/digits -- /);
	assert.match(lines.library, /CAIRN_PROJECT=ann\/digits$/m);
	assert.match(lines.curl, / http:\/\/127.0.0.1:8080\/api\/v1\/projects\/ann\/digits\/runs\/first\/history$/);
	assert.match(lines.wandb, /entity="ann", project="digits"/);
	for (const text of Object.values(lines)) assert.ok(text.includes('YOUR_KEY') && text.includes(PLACE.base));
});

test('an odd one comes through a shell as it is', () => {
	const lines = firstLines({ ...PLACE, project: ODD });
	assert.deepEqual(Object.keys(lines), ['wandb', 'curl']); /* the others take no such name */
	assert.equal(decodeURIComponent(seen(lines.curl, 'curl').at(-2).split('/')[7]), ODD);
	const python = /project=(".*")\) as run/.exec(lines.wandb)[1];
	assert.equal(JSON.parse(python), ODD);
});

test('lines to go on with a run come through a shell as they are', () => {
	const place = { base: PLACE.base, entity: 'ann', project: 'digits', run: ODD };
	const lines = resumeLines(place);
	assert.deepEqual(seen(lines.command, 'cairn').slice(0, -1), ['run', '--url', PLACE.base, '--project', 'ann/digits', '--run', ODD, '--', './train']);
	assert.equal(seen(`${lines.wandb}\nprintf '%s\\n' "$WANDB_RUN_ID"`, 'python').at(-2), ODD);
	assert.equal(seen(lines.library.replace('./train', 'printf "%s\\n" "$CAIRN_RUN"')).at(-2), ODD);
	assert.deepEqual(Object.keys(resumeLines({ ...place, project: ODD })), ['wandb']);
});
