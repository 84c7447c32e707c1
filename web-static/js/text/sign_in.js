/* Signing in, and the first user of all. */

import { minutes } from './amounts.js';

export const text = {
	signIn: {
		title: 'Sign in',
		head: 'Sign in to Cairn',
		name: 'Name',
		password: 'Password',
		go: 'Sign in',
		wrong: 'Name or password is wrong.',
		often: (seconds) => `Too many wrong passwords. Try again in ${minutes(seconds)}.`,
		foreign: 'The server does not take this page for its own. A proxy in front of it has to pass on the '
			+ 'header Host, or to be one of its trusted_proxies.',
		noPassword: 'No password yet? On the server\'s host, an admin sets one:',
		setPassword: 'cairnd user passwd NAME [--data-dir DIRECTORY]',
	},

	signedOut: {
		head: 'Signed out meanwhile',
		why: 'Your session ended. Sign in and the page goes on where it was.',
	},

	firstAdmin: {
		title: 'First user',
		head: 'Make the first user',
		why: 'There is nobody here yet. The first user is an admin of this server.',
		name: 'Name',
		password: 'Password (8 characters at least)',
		token: 'Token from the server\'s log',
		go: 'Make this user and sign in',
		wrong: 'This is not the token that the server wrote into its log.',
		oddName: 'A name has 1 to 64 of A-Z a-z 0-9 _ . -, a letter or digit first, and is none of the words that addresses of the server '
			+ 'begin with, such as admin or settings.',
		where: 'The server writes the token each time that it starts without a user:',
		example: '… warning there are no users yet token=…',
		byHand: 'Or make the user on the server\'s host:',
		addUser: 'cairnd user add NAME --admin\ncairnd user passwd NAME',
	},
};
