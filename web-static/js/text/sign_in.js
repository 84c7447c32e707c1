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
		foreign: 'The server rejected the origin of this page. A proxy in front of it must forward the '
			+ 'header Host, or be listed in trusted_proxies.',
		noPassword: 'No password, or forgotten? An admin of this server sends you a link, or sets one on the server\'s host:',
		setPassword: 'cairnd user passwd NAME [--data-dir DIRECTORY]',
	},

	signedOut: {
		head: 'You are signed out',
		why: 'Your session ended. Sign in to continue where you were.',
	},

	firstAdmin: {
		title: 'First user',
		head: 'Create the first user',
		why: 'This server has no users yet. The first user is an admin of this server.',
		name: 'Name',
		password: 'Password (at least 8 characters)',
		token: 'Setup token (from the server log)',
		go: 'Create account',
		wrong: 'Invalid setup token: use the one in the server\'s log.',
		oddName: 'Invalid name: use 1 to 64 of A-Z a-z 0-9 _ . -, with a letter or digit first, and no word that addresses of the server '
			+ 'begin with, such as admin or settings.',
		where: 'The server logs the token each time that it starts without a user:',
		example: '… warning there are no users yet token=…',
		byHand: 'Or create the user on the server\'s host:',
		addUser: 'cairnd user add NAME --admin\ncairnd user passwd NAME',
	},
};
