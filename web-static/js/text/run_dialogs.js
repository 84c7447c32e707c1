/* Texts of the dialogs that open before a run is changed. */

import { plural } from './amounts.js';

export const text = {
	resume: {
		head: (id) => `Resume ${id}`,
		how: 'New data is added to this run as one more attempt.',
		waysLabel: 'Ways to resume',
		ways: [['wandb', 'wandb SDK'], ['command', 'Any program'], ['library', 'C']],
		hints: {
			wandb: 'The script continues from its own checkpoint; wandb.run.step is the last step.',
			command: 'cairn run starts the program again and joins the run; new console lines follow the existing ones.',
			library: 'A program that uses libcairn joins the run named in CAIRN_RUN.',
		},
		lines: 'Lines for a shell',
		copy: 'Copy',
	},

	moveRun: {
		head: (count, name) => count === 1 ? `Move ${name}` : `Move ${count} runs`,
		to: 'To the project',
		projects: 'Projects you may write in',
		reading: 'Reading the projects…',
		none: 'There is no project with this name that you can write to.',
		notRead: 'The projects could not be read. Close this and try again.',
		how: 'Logged data, files and states move along. The address changes: the old one then reports that the run was moved, '
			+ 'also to processes that still use it. Visibility and retention are those of the other project.',
		go: 'Move',
		staying: (staying, all) => staying === all ? 'This cannot be moved:' : `${staying} of ${all} stay here:`,
		many: (count) => plural(count, 'run', 'runs'),
		movedTo: ' moved to ',
		undo: 'Undo',
		back: (count) => `${plural(count, 'run is', 'runs are')} back`,
		failed: (count, why) => `${plural(count, 'run was', 'runs were')} not moved: ${why}`,
	},

	editConflict: {
		head: 'Another user changed it',
		how: 'It has changed since you began, and your version is not saved yet.',
		last: (who, when) => `The run was edited last by ${who}, at ${when}.`,
		somebody: 'a user',
		signs: 'Lines with - are only in theirs, lines with + only in yours.',
		names: { display_name: 'Name', group: 'Group', job_type: 'Job type', visibility: 'Visible to', expected_writers: 'Expected writers',
			notes: 'Notes' },
		cut: (lines) => `Only the first ${plural(lines, 'line', 'lines')} are shown.`,
		overwrite: 'Save mine over theirs',
		theirs: 'Take theirs',
		back: 'Go on editing',
	},

	runActions: {
		save: 'Save',
		stop: 'Stop the run',
		stopTitle: 'Stop the run?',
		stopHow: (name) => `The program of ${name} is asked to stop within 30 seconds, and ends itself. Nothing is killed, and no data is `
			+ 'lost.',
		reason: 'Reason (optional)',
		renameTitle: 'Rename the run',
		name: 'Name',
		tagsTitle: 'Tags of the run',
		tags: 'Tags (one per line)',
		tagsHow: 'At most 100 tags of at most 64 characters.',
		remove: 'Delete',
		removeTitle: 'Delete the run?',
		removeHow: (name) => `${name} is removed from all lists, and its writers are asked to end. Its rows, console and files are deleted, too.`,
		removed: (name) => `${name} was deleted.`,
		undo: 'Undo',
		endWriterTitle: (label) => `End ${label}?`,
		endWriterHow: (time) => `It has been silent for ${time}. The run no longer waits for it, and the states record who ended it. If it comes back, `
			+ 'its data is stored and it is live again.',
		endPrimaryHow: 'It is a primary: unless others are expected, the run ends with it.',
		endWriter: 'End the writer',
		endsAs: 'It ends as',
		endStates: ['failed', 'killed', 'finished'],
		correct: 'Correct the state',
		correctTitle: 'Correct the state',
		correctHow: (state) => `It is ${state} now. The new state is added to the states with your name; nothing is overwritten.`,
		newState: 'It is',
		why: 'Why',
		states: ['running', 'finished', 'failed', 'crashed', 'killed', 'pending'],
	},

	runStop: {
		noEffect: (age) => ['The run was asked to stop ', age, ' and still runs.'],
		why: 'Its program may not check for the request, or may ignore it, as programs started with nohup and & do.',
		kill: 'To end the program, run ',
		on: (host) => ` on ${host}`,
		more: (count) => ` and ${plural(count, 'more process', 'more processes')}`,
		finish: 'To mark the run as ended, run ',
	},
};
