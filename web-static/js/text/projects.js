/* The list of projects, and how the first run comes into one. */

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

	firstRun: {
		name: 'The first run',
		head: (path) => `No runs in ${path} yet`,
		how: 'Start one in any of these ways, in a shell. It appears here by itself.',
		waysLabel: 'Ways to start a run',
		ways: [['wandb', 'wandb SDK'], ['command', 'Any program'], ['library', 'C'], ['curl', 'curl']],
		hints: {
			wandb: 'A script that uses wandb (pip install wandb) logs here when these two variables are set. The script is not changed.',
			command: 'cairn run records the output, the resource use and the exit status of any program. cairn log adds numbers.',
			library: 'libcairn and its header come with cairn; a call takes a microsecond, and never waits for the network.',
			curl: 'Sends one row, which also creates the project and the run.',
		},
		lines: 'Lines for a shell',
		copy: 'Copy',
		yourKey: 'YOUR_KEY',
		makeKey: 'Create a key and insert it',
		keyName: 'first run',
		noKey: 'Replace YOUR_KEY with your API key.',
		made: 'The lines contain your new key, which can read and write runs. It is not shown again.',
		nothing: 'No data? This command checks address, key, clock and proxy:',
		doctor: 'cairn doctor',
		came: 'There is a run now.',
	},

	restorable: {
		until: (place, when, time) => `Can be restored until ${when} (${time}), in the settings of ${place}.`,
		some: (place) => `Can be restored for some time, in the settings of ${place}.`,
		never: 'Cannot be restored: this server does not keep deleted data.',
	},
};
