/* The list of projects. */

export const text = {
	projects: {
		head: 'Projects',
		columns: [['Project', ''], ['Running', 'number'], ['Runs', 'number'], ['Last active', ''], ['Stored', 'number'], ['Visible to', '']],
		none: 'There are no projects yet. The first run creates one.',
		first: 'The first run',
		firstProject: 'first',
		search: 'Search projects',
		noMatch: 'No project matches.',
		more: (count) => `and ${count.toLocaleString('en-US')} more: search for them`,
		count: (number, isMost) => `${number.toLocaleString('en-US')}${isMost ? '+' : ''}`,
		make: 'New project',
		owner: 'Owner',
		name: 'Name',
		go: 'Create',
	},

	restorable: {
		until: (place, day) => `You can restore it in the settings of ${place} until ${day}.`,
		some: (place) => `You can restore it in the settings of ${place} for some time.`,
		never: 'It cannot be restored: this server does not keep deleted data.',
	},
};
