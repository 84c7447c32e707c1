/*
 * Facts about a run other than its numbers, in the order in which they are shown: [name, value, kind]. The environment
 * of the program comes from its first process: from the file wandb-metadata.json, or from what the SDK put into the
 * config. A value of null was not sent. A list is words and links: {words, tab, query} to a tab of the run, {words,
 * run} to another run, {words, sweep} to a sweep.
 */

import { bytes, count, duration } from '../base/format.js';
import { moment } from '../base/moments.js';
import { stateWord, text as common } from '../text/common.js';
import { text } from '../text/facts.js';
import { authorOf, spans } from './states_scale.js';

const words = text.runFacts;
const SILENT_MS = 60_000;
const NAMED = 3; /* of several; how many more there are is said */

/* A program's end by its exit code: shells add 128 to the number of a signal, Python's subprocess negates it. */
const SIGNALS = { 1: 'SIGHUP', 2: 'SIGINT', 3: 'SIGQUIT', 4: 'SIGILL', 5: 'SIGTRAP', 6: 'SIGABRT', 7: 'SIGBUS', 8: 'SIGFPE',
	9: 'SIGKILL', 10: 'SIGUSR1', 11: 'SIGSEGV', 12: 'SIGUSR2', 13: 'SIGPIPE', 14: 'SIGALRM', 15: 'SIGTERM', 24: 'SIGXCPU',
	25: 'SIGXFSZ' };

/* {number, name} of the signal that an exit code means, or null. */
export function signalOf(code) {
	const number = code < 0 ? -code : code - 128;
	return SIGNALS[number] ? { number, name: SIGNALS[number] } : null;
}

function snake(name) {
	return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/* Older SDKs write names with underscores. */
function pick(record, name) {
	const value = record[name] ?? record[snake(name)];
	return value === '' ? undefined : value;
}

/* The record of the process that began first. */
function environment(config, metadata) {
	if (metadata) return metadata;
	const records = Object.values(config._wandb?.e || {}).filter((one) => one && typeof one === 'object');
	return records.sort((a, b) => String(a.startedAt || '').localeCompare(String(b.startedAt || '')))[0] || {};
}

/* The first of them, and how many more there are in `tab`. */
function several(values, tab) {
	const all = [...new Set(values.filter(Boolean))];
	if (!all.length) return null;
	const first = all.slice(0, NAMED).join(', ');
	return all.length > NAMED ? [first, ' ', { words: words.more(count(all.length - NAMED)), tab }] : first;
}

/* A value as one text. */
export function wordsOf(value) {
	return Array.isArray(value) ? value.map((part) => part.words ?? part).join('') : value;
}

function command(record) {
	const program = pick(record, 'codePathLocal') || pick(record, 'program') || pick(record, 'codePath');
	return program ? [program, ...Array.isArray(record.args) ? record.args : []].join(' ') : null;
}

function git(record) {
	const { remote, commit, branch = pick(record, 'gitBranch'), dirty } = record.git || {};
	if (!commit && !remote && !branch) return null;
	return words.git(remote, commit && String(commit).slice(0, 10), branch, dirty === true);
}

function source(told, diffs) {
	if (!diffs?.length) return told;
	return [told && `${told}, `, ...diffs.flatMap((name, at) => [at ? ', ' : '',
		{ words: name, tab: 'files', query: { file: name } }])].filter(Boolean);
}

function gpus(record) {
	const list = pick(record, 'gpuNvidia') || pick(record, 'gpuAmd') || pick(record, 'gpuApple');
	const name = pick(record, 'gpu') || (Array.isArray(list) && list[0]?.name);
	return name ? words.gpus(pick(record, 'gpuCount') || (Array.isArray(list) ? list.length : 1), String(name)) : '';
}

/* Each by its member of the record, and what it is called before its name. */
const ACCELERATORS = [['tpu', 'TPU'], ['trainium', 'Trainium'], ['hpu', 'Gaudi'], ['ipu', 'IPU']];

function accelerators(record) {
	return ACCELERATORS.map(([member, kind]) => {
		const one = record[member];
		if (!one || typeof one !== 'object') return '';
		const name = pick(one, 'name') || pick(one, 'boardType');
		return words.gpus(one.count ?? pick(one, 'neuronDeviceCount') ?? 1, name && name !== kind ? `${kind} ${name}` : kind);
	});
}

function hardware(record) {
	const memory = Number(record.memory?.total);
	const cores = pick(record, 'cpuCountLogical') || pick(record, 'cpuCount');
	const parts = [gpus(record), ...accelerators(record), cores && words.cores(count(Number(cores))),
		memory > 0 && bytes(memory < 1e6 ? memory * 2 ** 30 : memory)]; /* old SDKs: in GB */
	return parts.filter(Boolean).join(', ') || null;
}

/* Numbers are texts where they come from variables of the environment. */
function whole(value) {
	return /^[1-9]\d{0,14}$/.test(value ?? '') ? Number(value) : 0;
}

function timeLimit(job) {
	const [start, end] = [whole(job.job_start_time), whole(job.job_end_time)];
	return whole(job.time_limit_s) || (start && end > start ? end - start : 0);
}

/* The job of Slurm, by its SLURM_ variables in lower case, without the prefix; null: it ran in none. */
function slurmJob(record) {
	const job = record.slurm;
	if (!job || typeof job !== 'object' || !whole(job.job_id)) return null;
	const isOfArray = whole(job.array_job_id) && /^\d+$/.test(job.array_task_id ?? '');
	const nodes = whole(job.nnodes ?? job.job_num_nodes);
	const limit = timeLimit(job);
	const requeued = whole(job.restart_count);
	return [isOfArray ? `${job.array_job_id}_${job.array_task_id}` : `${job.job_id}`, nodes && words.nodes(nodes),
		limit && words.timeLimit(duration(limit)), requeued && words.requeued(requeued)].filter(Boolean).join(', ');
}

function client(writers, config) {
	const version = config._wandb?.cli_version;
	return several(writers.map((writer) => writer.client_version), 'writers') || (version ? words.sdk(version) : null);
}

/* Returns the hardware of a writer, from the record that the SDK keeps of each process by its client id. */
export function deviceOf(writer, config) {
	const record = config._wandb?.e?.[writer.client];
	return record && typeof record === 'object' ? hardware(record) : null;
}

function privacy(run, project) {
	if (run.visibility !== 'project') return common.privacy[run.visibility];
	return project ? words.ofProject(common.privacy[project.visibility] || project.visibility) : null;
}

function exit(code) {
	const signal = signalOf(code);
	if (!signal) return words.exit(code);
	return code < 0 ? words.signal(signal) : words.exitBy(code, words.signal(signal));
}

/* Notes, as of a run that was restored, leave its state as it is. */
function latestChange(states) {
	return states.findLast(({ from, to, attempt }, index) => from !== to || attempt !== states[index - 1]?.attempt);
}

function end(run, states) {
	const change = latestChange(states);
	return [run.end_reason ? words.because(run.state, run.end_reason) : run.state, run.exit_code === null ? '' : exit(run.exit_code), change ? words.endedBy(authorOf(change)) : '']
		.filter(Boolean).join(', ');
}

function origin(run) {
	const { forked_from: from } = run;
	const attempt = run.attempt > 1 ? { words: words.attempt(run.attempt), tab: 'writers' } : null;
	if (!from) return attempt ? [attempt] : words.notResumed;
	return [words.forked, { words: from.run, run: from.run }, words.atStep(count(from.step)),
		...attempt ? [', ', attempt] : []];
}

/* Says when the run last sent something, if it was silent before its end. */
function silence(run, states) {
	const [begun, heard, ended] = [states[0]?.at, run.heard_at, run.ended_at].map(Date.parse);
	return ended - heard >= SILENT_MS ? words.lastHeard(duration(Math.max(0, heard - begun) / 1000)) : '';
}

function took(run, states, now) {
	const { wall, running } = spans(states, run.ended_at ? Date.parse(run.ended_at) : now);
	return words.took(duration(wall), duration(running)) + silence(run, states);
}

/* Facts about the environment of the program. */
export function surroundings({ writers, config, metadata, diffs }) {
	const record = environment(config, metadata);
	return [
		[words.host, several([...writers.map((writer) => writer.host), record.host], 'writers')],
		[words.os, record.os],
		[words.python, record.python || config._wandb?.python_version],
		[words.executable, record.executable, 'mono'],
		[words.command, command(record), 'mono'],
		[words.folder, record.root, 'mono'],
		[words.gitName, source(git(record), diffs), 'mono'],
		[words.hardware, hardware(record)],
		[words.client, client(writers, config)],
	];
}

/* `moments` are shown as times, `mono` as code. */
export function facts({ run, project, sweep, states, writers, config, metadata, diffs }, now) {
	const last = latestChange(states);
	const job = slurmJob(environment(config, metadata));
	return [
		[words.state, last ? { word: stateWord(run.state), at: last.at } : stateWord(run.state), 'since'],
		[words.author, run.user],
		[words.started, run.created_at, 'moment'],
		[words.duration, took(run, states, now)],
		[words.privacyName, privacy(run, project)],
		[words.tags, run.tags?.join(', ') || words.none],
		[words.group, run.group || words.none],
		[words.jobType, run.job_type || words.none],
		[words.sweep, sweep ? [{ words: sweep.display_name, sweep: sweep.id }] : run.sweep || words.none],
		...surroundings({ writers, config, metadata, diffs }),
		job ? [words.slurm, job] : null,
		[words.origin, origin(run)],
		[words.stored, words.size(run.rows && !run.bytes ? words.unmeasured : bytes(run.bytes), count(run.rows))],
		run.stop_requested_at ? [words.stop, words.stopAsked(moment(run.stop_requested_at), run.stop_reason || '')] : null,
		run.ended_at ? [words.end, end(run, states)] : null,
	].filter(Boolean);
}
