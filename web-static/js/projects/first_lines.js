/* Lines for a shell that make a project's first run, ready to paste: one text for each way to do it. */

/* As one word of a shell. */
export function word(value) {
	return /^[\w@%+=:,./-]+$/.test(value) ? value : `'${value.replaceAll("'", "'\\''")}'`;
}

function wandb({ base, entity, project, key }) {
	return `export WANDB_BASE_URL=${word(base)} WANDB_API_KEY=${key}
python3 - <<'END'
import wandb
with wandb.init(entity=${JSON.stringify(entity)}, project=${JSON.stringify(project)}) as run:
    for step in range(10):
        run.log({"loss": 1 / (step + 1)})
END`;
}

function command({ base, entity, project, key }) {
	return `export CAIRN_URL=${word(base)} CAIRN_API_KEY=${key}
cairn run --project ${entity}/${project} -- sh -c '
    for loss in 3 2 1; do echo "loss $loss"; cairn log loss=$loss; done'`;
}

function library({ base, entity, project, key }) {
	return `export CAIRN_URL=${word(base)} CAIRN_API_KEY=${key} CAIRN_PROJECT=${entity}/${project}
cat >first.c <<'END'
#include <cairn.h>

int main(void)
{
    struct cairn_run *run;

    cairn_run_start(NULL, &run);
    for (int step = 0; step < 10; step++)
        CAIRN_LOG(run, { "loss", 1.0 / (step + 1) });
    return cairn_finish(run, 0, 10000, NULL);
}
END
cc first.c -o first $(pkg-config --cflags --libs cairn) && ./first`;
}

function curl({ base, entity, project, key }) {
	const path = `${encodeURIComponent(entity)}/${encodeURIComponent(project)}/runs/first/history`;
	return `curl -H 'Authorization: Bearer ${key}' -H 'Content-Type: application/json' \\
    -d '{"loss": 2.31}' ${word(`${base}/api/v1/projects/${path}`)}`;
}

const WAYS = { wandb, command, library, curl };
export const PLAIN = /^[A-Za-z0-9][\w.-]{0,63}$/;
const PLAIN_ONLY = ['command', 'library']; /* they take no other names */

/*
 * {wandb, command, library, curl}: texts, of those that work. `base`: the server's address without a slash at its end.
 */
export function firstLines(place) {
	const works = (way) => PLAIN.test(place.project) || !PLAIN_ONLY.includes(way);
	return Object.fromEntries(Object.entries(WAYS).filter(([way]) => works(way)).map(([way, make]) => [way, make(place)]));
}
