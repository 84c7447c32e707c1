/* The page of a run, and what is known of one. */

import { counted, plural } from './amounts.js';

export const text = {
	runPage: {
		tabsName: 'Parts of the run',
		tabs: { overview: 'Overview', charts: 'Charts', writers: 'Writers', logs: 'Logs', system: 'System', files: 'Files', settings: 'Settings' },
		tabKey: (name) => `Run: ${name}`,
		lost: (count) => `${count} lost`,
		lostWriters: (label, more) => more ? `${label} and ${counted(more)} more lost` : `${label} lost`,
		lostHow: 'These writers were lost. Open the Writers tab.',
		conflicts: (count, areMost) => `${plural(count, 'conflict', 'conflicts')}${areMost ? ' or more' : ''}`,
		renameOf: (name) => `${name}: rename`,
		copyId: (id) => `Copy the id ${id}`,
		copyRunId: 'Copy the id',
		compare: 'Compare',
		compareHow: 'Compare with other runs',
		copyLink: 'Copy the link',
		more: 'More: rename, tags, notes, delete',
		rename: 'Rename…',
		editTags: 'Tags…',
		editNotes: 'Edit the notes',
		remove: 'Delete…',
		stop: 'Stop',
		stopAsked: 'Asked to stop ',
		sideList: {
			fold: 'Toggle run list',
			next: 'Next run of the list',
			previous: 'Previous run of the list',
			noMore: (by) => by > 0 ? 'No run comes after this one in the list.' : 'No run comes before this one in the list.',
			notRead: 'The list of runs could not be read.',
		},
	},

	runMoment: { letGo: 'Let go' },
};
