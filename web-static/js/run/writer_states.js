/*
 * The states that one writer was in, as far as its record shows: since when it has been there, silent, lost, ended.
 * States before its last message are not stored. Pure.
 */

import { lateAfter } from './writer_state.js';

const atSecond = (time, seconds) => new Date(Date.parse(time) + seconds * 1000).toISOString();

/* A silence that continues, or that ended only because a user ended the writer. */
function silence(writer, limit) {
	const late = { at: atSecond(writer.heard_at, lateAfter(limit)), state: 'late' };
	const lost = { at: atSecond(writer.heard_at, limit), state: 'lost' };
	return { late: [late], lost: [late, lost] }[writer.shown] || [];
}

/* writer: with what is shown of it. [{at, state}], in their order. */
export function writerStates(writer, limit) {
	const ended = writer.ended_at ? [{ at: writer.ended_at, state: writer.state }] : [];
	return [{ at: writer.joined_at, state: 'alive' }, ...silence(writer, limit), ...ended];
}
