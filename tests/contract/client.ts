// Signs in with a key, lists runs by a filter, and reads a run, its writers and its history.
import { readFileSync } from "node:fs";
import createClient from "openapi-fetch";
import type { components, paths } from "./cairn.js";

const key = readFileSync(process.env.CAIRN_API_KEY_FILE!, "utf8").trim();
const api = createClient<paths>({ baseUrl: process.env.CAIRN_URL!, headers: { Authorization: `Bearer ${key}` } });
const project = { entity: "me", project: "clients" };
const path = { ...project, run: "quick" };

function good<T>(answer: { data?: T; error?: unknown }): T {
	if (answer.data === undefined)
		throw new Error(JSON.stringify(answer.error));
	return answer.data;
}

const viewer = good(await api.GET("/api/v1/viewer"));
const list = good(await api.GET("/api/v1/projects/{entity}/{project}/runs",
	{ params: { path: project, query: { filter: "config.lr>0.01" } } }));
const data: components["schemas"]["Run"] = good(await api.GET("/api/v1/projects/{entity}/{project}/runs/{run}", { params: { path } }));
const writers = good(await api.GET("/api/v1/projects/{entity}/{project}/runs/{run}/writers", { params: { path } }));
const roles: [string, components["schemas"]["WriterRole"]][] = writers.items.map((writer) => [writer.label, writer.role]);
const history = good(await api.GET("/api/v1/projects/{entity}/{project}/runs/{run}/history",
	{ params: { path, query: { keys: "loss", buckets: 3 } } })) as components["schemas"]["Sampled"];
console.log(JSON.stringify({
	viewer: viewer.name,
	found: list.items.map((run) => run.id),
	run: { state: data.state, rows: data.rows },
	writers: roles,
	history: history.series.map((series) => [series.key, series.buckets.map((bucket) => bucket.mean)]),
}));
