/* Texts of the dialogs that open before a run is changed. */

import { plural } from './amounts.js';

export const text = {
	resume: {
		head: (id) => `Resume ${id}`,
		how: 'What is logged from then on is added to this run, as one more attempt.',
		waysLabel: 'Ways to resume',
		ways: [['wandb', 'wandb SDK'], ['command', 'Any program'], ['library', 'C']],
		hints: {
			wandb: 'The script goes on where it was: it reads its own checkpoint, and wandb.run.step is the last step.',
			command: 'cairn run starts the program again and joins the run; its console goes on below the lines that are there.',
			library: 'A program that uses libcairn joins the run that CAIRN_RUN names.',
		},
		lines: 'Lines for a shell',
		copy: 'Copy',
	},

	moveRun: {
		head: (count, name) => count === 1 ? `Move ${name}` : `Move ${count} runs`,
		to: 'To the project',
		projects: 'Projects you may write in',
		reading: 'Reading the projects…',
		none: 'None of the projects that you may write in has this name.',
		notRead: 'The projects could not be read. Close this and try again.',
		how: 'All that was logged, files and states go along. The address is another one: the old one says from then on that the run was moved, '
			+ 'to processes that know it, too. Who may see it and how long it is kept are as the other project has it.',
		go: 'Move',
		staying: (staying, all) => staying === all ? 'This cannot be moved:' : `${staying} of ${all} stay here:`,
		many: (count) => plural(count, 'run', 'runs'),
		movedTo: ' moved to ',
		undo: 'Undo',
		back: (count) => `${plural(count, 'run is', 'runs are')} back`,
		failed: (count, why) => `${plural(count, 'run was', 'runs were')} not moved: ${why}`,
	},

	editConflict: {
		head: 'Somebody changed it meanwhile',
		how: 'It is not what you began with any more, and yours is not saved yet.',
		last: (who, when) => `The run was edited last by ${who}, at ${when}.`,
		somebody: 'somebody',
		signs: 'Lines with - are theirs alone, with + yours alone.',
		names: { display_name: 'Name', group: 'Group', job_type: 'Job type', visibility: 'Who sees it', expected_writers: 'Expected writers',
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
		stopHow: (name) => `Each writer of ${name} is told with the next answer that it gets, which takes a heartbeat at most. The program `
			+ 'decides when it ends, and the state is what it then says. Nothing is killed, and no data is lost.',
		reason: 'Reason (not needed)',
		renameTitle: 'Rename the run',
		name: 'Name',
		tagsTitle: 'Tags of the run',
		tags: 'Tags',
		tagsHow: 'One to a line, at most 100 of 64 characters each.',
		remove: 'Delete',
		removeTitle: 'Delete the run?',
		removeHow: (name) => `${name} is gone from all lists, and its writers are told to end. Rows, console and files go with it.`,
		removed: (name) => `${name} was deleted.`,
		undo: 'Undo',
		endWriterTitle: (label) => `End ${label}?`,
		endWriterHow: (time) => `Nothing was heard of it for ${time}. Nobody waits for it any more, and the states say who ended it. If it comes back after `
			+ 'all, what it sends is kept and it lives again.',
		endPrimaryHow: 'It is a primary: unless others are awaited, the run ends with it.',
		endWriter: 'End the writer',
		endsAs: 'It ends as',
		endStates: ['failed', 'killed', 'finished'],
		correct: 'Correct the state',
		correctTitle: 'Correct the state',
		correctHow: (state) => `It is ${state} now. What you say becomes one more line among the states, with your name; nothing is overwritten.`,
		newState: 'It is',
		why: 'Why',
		states: ['running', 'finished', 'failed', 'crashed', 'killed', 'pending'],
	},
};
