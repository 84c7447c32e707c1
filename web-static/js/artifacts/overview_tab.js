/* The overview of a version: description, metadata and facts. */

import { aboutCard, factsCard, ttlWords } from './about.js';
import { metadataCard } from './metadata_card.js';
import { hrefOfVersion, nameOf } from './places.js';
import { runLink } from './version_table.js';
import { el, refill } from '../base/dom.js';
import { bytes, count } from '../base/format.js';
import { localMoment } from '../base/moments.js';
import { text } from '../text/artifacts.js';
import { copy } from '../ui/copy.js';
import { ago } from '../ui/times.js';

const words = text.artifact;

function digest(value) {
	return el('button', { type: 'button', class: 'mono clip', title: words.copyDigest, 'aria-label': `${words.copyDigest} ${value}`,
		onclick: () => copy(value) }, value);
}

/* A link into a portfolio has the type of the version that was linked. */
function sourceLink({ source, type }) {
	return el('a', { href: hrefOfVersion({ ...source, type }) }, el('bdi', {}, `${source.entity}/${source.project}/${nameOf(source)}`));
}

function facts(version) {
	const { expires_at: expires, ttl_s: ttl } = version;
	return factsCard(words.factsName, [
		[words.facts.size, el('span', { title: `${count(version.bytes)} B` }, bytes(version.bytes))],
		[words.facts.files, count(version.files)],
		[words.facts.type, el('bdi', {}, version.type)],
		[words.facts.run, version.run ? runLink(version.run) : el('span', { class: 'muted' }, words.noRun)],
		version.user && [words.facts.user, el('bdi', {}, version.user)],
		[words.facts.created, ago(version.created_at)],
		[words.facts.committed, ago(version.committed_at)],
		[words.facts.expires, expires ? localMoment(expires) : ttl ? ttlWords(ttl) : words.kept],
		version.source && [words.facts.source, sourceLink(version)],
		[words.facts.digest, digest(version.digest)],
		[words.facts.id, el('span', { class: 'mono' }, version.id)],
	]);
}

export async function overviewTab(address, { version }) {
	const about = aboutCard(words.about, words.noAbout);
	const side = el('div', { class: 'artifact-side' });

	function update(now) {
		about.show(now.description);
		refill(side, facts(now));
	}

	update(version);
	return {
		node: el('div', { class: 'page', 'data-scroll': 'page' }, el('div', { class: 'artifact-columns' },
			el('div', { class: 'artifact-main' }, about.node, metadataCard(version.metadata)), side)),
		update,
	};
}
