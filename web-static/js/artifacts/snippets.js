/* Lines for a shell or a script that log and use artifacts, with this server's address. Pure. */

import { PLAIN, word } from '../projects/first_lines.js';

const text = JSON.stringify; /* as Python writes it, too */

function exported(base, key, sdk) {
	return `export ${sdk ? 'WANDB_BASE_URL' : 'CAIRN_URL'}=${word(base)} ${sdk ? 'WANDB_API_KEY' : 'CAIRN_API_KEY'}=${key}`;
}

function pathOf(base, { entity, project, collection, version }, ...more) {
	const parts = ['projects', entity, project, 'artifacts', collection, 'versions', version].map(encodeURIComponent);
	return word([`${base}/api/v1`, ...parts, ...more].join('/'));
}

const wholeName = ({ entity, project, collection, version }) => `${entity}/${project}/${collection}:${version}`;

const USES = {
	sdk: ({ place, base, key }) => `${exported(base, key, true)}
python3 - <<'END'
import wandb
with wandb.init(entity=${text(place.entity)}, project=${text(place.project)}) as run:
    artifact = run.use_artifact(${text(wholeName(place))}, type=${text(place.type)})
    print(artifact.download())
END`,
	api: ({ place, base, key }) => `${exported(base, key, true)}
python3 - <<'END'
import wandb
print(wandb.Api().artifact(${text(wholeName(place))}).download())
END`,
	command: ({ place, base, key }) => `${exported(base, key, false)}
cairn artifact get ${word(wholeName(place))} ${word(`./${place.collection}`)}`,
	curl: ({ place, base, key }) => `curl --fail --output ${word(`${place.collection}-${place.version}.tar`)} -H 'Authorization: Bearer ${key}' \\
    ${pathOf(base, place, 'files.tar')}`,
};

/* {sdk, api, command, curl}: how to use a version. `base`: the server's address without a slash at its end. */
export function useLines(place, { base, key }) {
	return Object.fromEntries(Object.entries(USES).map(([way, make]) => [way, make({ place, base, key })]));
}

const LOGS = {
	wandb: ({ entity, project, base, key }) => `${exported(base, key, true)}
python3 - <<'END'
import wandb
with wandb.init(entity=${text(entity)}, project=${text(project)}) as run:
    artifact = wandb.Artifact("first", type="dataset")
    with artifact.new_file("hello.txt") as file:
        file.write("hello")
    run.log_artifact(artifact)
END`,
	command: ({ entity, project, base, key }) => `${exported(base, key, false)}
echo hello >hello.txt
cairn artifact put hello.txt --project ${entity}/${project} --type dataset --name first`,
	curl: ({ entity, project, base, key }) => {
		const url = word(`${base}/api/v1/projects/${encodeURIComponent(entity)}/${encodeURIComponent(project)}/artifacts/first`);
		return `url=${url} key='Authorization: Bearer ${key}'
draft=$(curl --fail -H "$key" -H 'Content-Type: application/json' -d '{"type": "dataset"}' "$url/versions" | sed 's/.*"draft": *"\\([^"]*\\)".*/\\1/')
echo hello | curl --fail -T - -H "$key" "$url/drafts/$draft/files/hello.txt"
curl --fail -H "$key" -X POST "$url/drafts/$draft/commit"`;
	},
};

/* {wandb, command, curl}: how to log the first one. */
export function logLines(place) {
	const works = (way) => way !== 'command' || PLAIN.test(place.project);
	return Object.fromEntries(Object.entries(LOGS).filter(([way]) => works(way)).map(([way, make]) => [way, make(place)]));
}
