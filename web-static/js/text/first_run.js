/* How to start the first run of a project. */

export const text = {
	firstRun: {
		name: 'The first run',
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
	},
};
