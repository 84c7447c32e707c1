/* Texts that several parts of the page use. */

import { counted } from './amounts.js';

export const text = {
	title: (name) => name ? `${name} · Cairn` : 'Cairn',
	none: '—',
	andMore: (names, more) => more ? `${names} and ${counted(more)} more` : names,
	ago: (time) => `${time} ago`,

	states: {
		pending: 'pending', running: 'running', preempting: 'preempting', preempted: 'preempted', finished: 'finished', failed: 'failed',
		crashed: 'crashed', killed: 'killed',
	},

	names: {
		fields: { name: 'name', state: 'state', user: 'user', group: 'group', job_type: 'job type', rows: 'rows', duration: 'duration', created_at: 'started',
			ended_at: 'ended', writers: 'writers', writers_lost: 'lost writers', host: 'host', tags: 'tags', notes: 'notes', sweep: 'sweep', id: 'id' },
		noValue: '(no value)',
		groupValue: (value) => value === '' ? '(empty)' : value,
	},

	fault: {
		away: 'The server does not answer. Nothing was changed.',
		retried: 'Retrying automatically.',
		other: (status, detail) => detail || `The server answered ${status}.`,
		of: (answer) => answer.status === 0 ? text.fault.away : text.fault.other(answer.status, answer.body?.detail),
		missing: (what, user) => `${what} does not exist, or ${user ? `you (${user}) have no access` : 'you have to sign in to see it'}.`,
		page: 'This page',
		run: (path) => `Run "${path}"`,
		sweep: (path) => `Sweep "${path}"`,
		artifact: (path) => `Artifact "${path}"`,
		project: (path) => `Project "${path}"`,
		entity: (name) => `User or team "${name}"`,
		heads: { 403: 'Not allowed', 404: 'Not found', 410: 'Gone' },
		head: 'This did not work',
		toProjects: 'All projects',
		own: (message) => `Internal error of this page: ${message}`,
		again: 'Try again',
		ended: (why) => /[.!?…]$/u.test(why) ? why : `${why}.`,
		since: (clock) => `Since ${clock}.`,
		copyId: 'Copy the id of the request',
	},

	form: { save: 'Save', apply: 'Apply', saved: 'Saved', edited: 'Not saved yet', notSaved: 'Not saved' },
	controls: { close: 'Close', cancel: 'Cancel', stop: 'Stop' },
	copying: { done: 'Copied', byHand: 'Selected: copy it with Ctrl C' },

	later: {
		lost: 'This part of the page could not be loaded. Try again, or reload the page.',
		again: 'Try again',
	},

	panes: {
		split: 'Width of the list of runs',
		viewsLabel: 'Visible parts',
		views: ['Runs', 'Charts'],
	},

	keyPicker: {
		keys: 'Keys',
		key: 'Key',
	},

	change: {
		label: 'Change against the baseline',
		kinds: [['relative', 'Relative'], ['absolute', 'Absolute'], ['off', 'Off']],
		better: 'better',
		worse: 'worse',
	},

	privacy: { private: 'private', public: 'public', team: 'team' },
	onlyRead: 'You have read access only',
	onConflict: 'Another user changed it. Your change is not saved.',

	runMenu: {
		resume: 'Resume…',
		move: 'Move…',
		notEnded: (state) => `it is ${state}; only ended runs can be moved`,
		isFork: 'it was forked from a run of this project',
	},

	strip: {
		silent: 'silent',
		cell: (value, percent) => `${value}${percent && `, ${percent} of the median`}`,
	},

	lateRows: {
		chip: (count) => `+${count} late ${count === '1' ? 'row' : 'rows'}`,
		short: (count) => `+${count} late`,
		why: (count) => `Rows received after this page showed the end of the run: ${count}`,
	},

	news: {
		runs: (count, state) => `${count} ${count === '1' ? 'run' : 'runs'} ${state}`,
		fresh: (count) => `${count} new ${count === '1' ? 'run' : 'runs'}`,
		state: (state) => `The state of the run: ${state}.`,
		lost: (names) => `Writers lost: ${names}.`,
		back: (names) => `Writers no longer lost: ${names}.`,
		more: (count) => `and ${count} more`,
	},
};

/* Returns the word for a state of a run; a state of a newer server is shown by its own name. */
export const stateWord = (state) => text.states[state] ?? state;
