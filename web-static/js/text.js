/* Every word of the page, so that a translation is one file. */

export const text = {
	product: 'Cairn',
	titles: { signIn: 'Sign in · Cairn', keys: 'Keys · Cairn', fault: 'Cairn' },

	signIn: {
		head: 'Sign in to Cairn',
		name: 'Name',
		password: 'Password',
		go: 'Sign in',
		wrong: 'Name or password is wrong.',
		often: (seconds) => `Too many wrong passwords. Try again in ${minutes(seconds)}.`,
		foreign: 'The server does not take this page for its own. A proxy in front of it has to pass on the '
			+ 'header Host, or to be one of its trusted_proxies.',
		noPassword: 'No password yet? On the server\'s host, an admin sets one:',
		setPassword: 'cairnd user passwd NAME',
		nobody: 'There is nobody here yet. On the server\'s host:',
		addUser: 'cairnd user add NAME --admin\ncairnd user passwd NAME',
	},

	keys: {
		head: 'Make a key for this machine',
		name: 'Name',
		standardName: 'wandb login',
		scope: 'May',
		scopes: [['write', 'read and write runs'], ['read', 'only read'], ['admin', 'do all that you may']],
		go: 'Make a key',
		made: 'Your new key',
		paste: 'Paste it into the terminal that asks for it. It is not shown again.',
		copy: 'Copy',
		copied: 'Copied',
		copyByHand: 'Selected: copy it with Ctrl C',
		byFile: 'Or write it into ~/.netrc',
		own: 'Your keys',
		columns: ['Name', 'Ends with', 'May', 'Made', 'Last used', ''],
		never: 'never',
		unnamed: '(no name)',
		revoke: 'Revoke',
		sure: 'Revoke now',
		revokeName: (name, end) => `Revoke the key ${name}, which ends with ${end}`,
		signOut: 'Sign out',
	},

	fault: {
		away: 'The server does not answer. Nothing was changed.',
		other: (status, detail) => detail || `The server answered ${status}.`,
		again: 'Try again',
	},
};

function minutes(seconds) {
	return seconds < 90 ? `${seconds} s` : `${Math.ceil(seconds / 60)} min`;
}
