/* Layouts of panels: what differs from one panel a key, in sections by prefix. */

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { facetted, inFew, isWithin } from '../../../web-static/js/chart/panel/facets.js';
import {
	EMPTY,
	REFS_MOST,
	REF_LABEL,
	arranged,
	foldSection,
	isPinned,
	layoutText,
	readLayout,
} from '../../../web-static/js/chart/panel/layout.js';
import {
	addPanels,
	changePanel,
	movePanel,
	moveSection,
	pinPanel,
	removePanel,
	renameSection,
	restorePanels,
	shareSection,
} from '../../../web-static/js/chart/panel/layout_changes.js';
import { isProgress } from '../../../web-static/js/chart/panel/key_rank.js';
import { rowWidths } from '../../../web-static/js/chart/panel/panel_rows.js';
import { sharedRanges } from '../../../web-static/js/chart/panel/shared_range.js';
import { sized, stepped } from '../../../web-static/js/chart/panel/panel_step.js';

const KEYS = ['train/c', 'train/a', 'gain', 'train/b', 'eval/x'];

function shown(layout, search) {
	return arranged(layout, KEYS, { search }).map(
		({ name, panels }) => `${name}: ${panels.map(({ id }) => id).join(' ')}`,
	);
}

test('without a layout: a panel a key, in sections by the first prefix', () => {
	assert.deepEqual(shown(EMPTY), ['train: train/a train/b train/c', 'eval: eval/x', ': gain']);
	const many = ['loss', 'train/a/x', 'train/b/x', ...Array.from({ length: 61 }, (_, i) => `grad/${i}/w`)];
	assert.deepEqual(arranged(EMPTY, many).map((one) => [one.name, one.panels.length, one.isOpen]),
		[['', 1, true], ['train', 2, true], ['grad', 61, false]]);
	const [found] = arranged(EMPTY, many, { search: '^grad/1/w$' });
	assert.deepEqual([found.name, found.isOpen, found.panels.length], ['grad', true, 1]);
	assert.equal(arranged(EMPTY, ['a[b'], { search: 'a[b' }).length, 1);
	assert.deepEqual(arranged(EMPTY, []), []);
});

test('a panel is put before another one, into another section, and pinned and back', () => {
	const moved = movePanel(EMPTY, KEYS, 'train/c', { section: 'train', before: 'train/a' });
	assert.deepEqual(shown(moved), ['train: train/c train/a train/b', 'eval: eval/x', ': gain']);
	assert.deepEqual(
		JSON.parse(layoutText(moved)),
		{ sections: { train: { panels: ['train/c'] } } },
		'no more is written than was said',
	);
	const over = movePanel(moved, KEYS, 'train/b', { section: 'eval', before: null });
	assert.deepEqual(shown(over), ['train: train/c train/a', 'eval: eval/x train/b', ': gain']);
	const pinned = pinPanel(over, KEYS, 'train/a');
	assert.deepEqual(shown(pinned)[0], '^: train/a');
	assert.ok(isPinned(pinned, 'train/a'));
	assert.deepEqual(shown(pinPanel(pinned, KEYS, 'train/a')), shown(over));
	assert.equal(movePanel(moved, KEYS, 'train/c', { section: 'train', before: 'train/c' }), moved);
});

test('panels are added, changed, removed and back', () => {
	const { layout, ids } = addPanels(EMPTY, [{ keys: ['gain', 'eval/x'] }, { kind: 'bar', keys: ['gain'] }], KEYS);
	assert.deepEqual(ids, [':1', ':2']);
	assert.equal(shown(layout)[0], '^: :1 :2');
	const changed = changePanel(layout, ':1', { title: 'Both', y: 'log', min: 0, w: 6, h: 200 });
	assert.deepEqual(arranged(changed, KEYS)[0].panels[0], {
		kind: 'line',
		keys: ['gain', 'eval/x'],
		title: 'Both',
		y: 'log',
		min: 0,
		w: 6,
		h: 200,
		id: ':1',
	});
	assert.deepEqual(changePanel(changed, ':1', { min: undefined, y: 'odd', w: 99 }).panels[':1'], {
		keys: ['gain', 'eval/x'],
		title: 'Both',
		h: 200,
	});
	assert.equal(shown(changed, 'both').join(), '^: :1');
	const less = removePanel(removePanel(changed, ':2'), 'gain');
	assert.deepEqual(shown(less), ['^: :1', 'train: train/a train/b train/c', 'eval: eval/x']);
	assert.equal(addPanels(less, [{ keys: ['gain'] }], KEYS).ids[0], 'gain', 'the panel that was taken away is back');
	assert.equal(shown(restorePanels(less)).at(-1), ': gain');
});

test('sections are renamed, folded and put in order', () => {
	const named = foldSection(renameSection(EMPTY, 'train', 'Training'), 'train', false);
	assert.deepEqual(arranged(named, KEYS)[0], { ...arranged(EMPTY, KEYS)[0], title: 'Training', isOpen: false });
	assert.equal(arranged(renameSection(named, 'train', ''), KEYS)[0].title, undefined);
	const up = moveSection(named, KEYS, '', -1);
	assert.deepEqual(shown(up).map((words) => words.split(':')[0]), ['train', '', 'eval']);
	assert.equal(moveSection(EMPTY, KEYS, 'train', -1), EMPTY);
	const over = moveSection(EMPTY, KEYS, '', -1, (key) => key === 'eval/x');
	assert.deepEqual(shown(over).map((words) => words.split(':')[0]), ['', 'train', 'eval'], 'a section whose panels are hidden is passed');
	const pinned = pinPanel(EMPTY, KEYS, 'eval/x');
	assert.equal(moveSection(pinned, KEYS, 'train', -1), pinned, 'nothing stands before what is pinned');
});

test('sections that were named by the whole prefix are merged into that of its first part', () => {
	const read = readLayout(JSON.stringify({ order: ['a/c', 'b', 'a/b'], sections: {
		'a/b': { title: 'First', panels: ['a/b/y'] }, '^': { panels: [':1'] }, 'a/c': { title: 'Second', isOpen: false, panels: ['a/c/z', 'a/b/y'] },
		'': { sameY: true } }, panels: { ':1': { keys: ['a/b/y'] } } }));
	assert.deepEqual([read.order, read.sections], [['a', 'b'], {
		a: { title: 'First', isOpen: false, panels: ['a/b/y', 'a/c/z'] }, '^': { panels: [':1'] }, '': { sameY: true } }]);
	const all = arranged(read, ['a/b/x', 'a/b/y', 'a/c/z', 'b/x']);
	assert.deepEqual(all.map(({ name, panels }) => [name, panels.map(({ id }) => id).join(' ')]),
		[['^', ':1'], ['a', 'a/b/y a/c/z a/b/x'], ['b', 'b/x']]);
});

test('a layout is read back as it was written; what is no layout is none', () => {
	const { layout } = addPanels(
		renameSection(EMPTY, 'constructor', 'A'),
		[{ keys: ['__proto__/x'], kind: 'bar' }],
		KEYS,
	);
	assert.deepEqual(readLayout(layoutText(layout)), {
		...layout,
		sections: { constructor: { title: 'A' }, '^': { panels: [':1'] } },
	});
	assert.equal(layoutText(EMPTY), '');
	for (const text of [
		'',
		'x',
		'[]',
		'null',
		'5',
		'{"order":5,"sections":[1],"panels":7,"removed":{}}',
		'{"order":[5]}',
	])
		assert.deepEqual(readLayout(text), EMPTY);
	const odd = readLayout(
		'{"panels":{"gain":{"min":"0","max":1e999,"w":1,"h":5000,"keys":"gain","y":"odd","smooth":2,"title":7,"else":1}}}',
	);
	assert.deepEqual(odd.panels, { gain: {} });
	const said = { kind: 'scatter', keys: ['a', 'b'], color: 'b', split: 'mean', size: 'c', pareto: true, lower: ['a'], higher: ['b'] };
	assert.deepEqual(readLayout(JSON.stringify({ panels: { ':1': said } })).panels[':1'], said);
	assert.deepEqual(
		readLayout(JSON.stringify({ panels: { ':1': { keys: new Array(33).fill('a') } } })).panels[':1'],
		{},
		'at most 32 keys',
	);
	assert.equal(
		readLayout(JSON.stringify({ panels: { ':1': { keys: new Array(32).fill('a') } } })).panels[':1'].keys.length,
		32,
	);
});

test('arrows: along a section and over its ends, between sections, and the size', () => {
	const step = (layout, id, by) => stepped(layout, KEYS, arranged(layout, KEYS), id, by);
	const right = step(EMPTY, 'train/a', [1, 0]);
	assert.equal(shown(right)[0], 'train: train/b train/a train/c');
	assert.equal(shown(step(right, 'train/a', [-1, 0]))[0], 'train: train/a train/b train/c');
	assert.equal(shown(step(EMPTY, 'eval/x', [-1, 0]))[0], 'train: train/a train/b train/c eval/x');
	assert.equal(shown(step(EMPTY, 'train/c', [1, 0]))[1], 'eval: train/c eval/x');
	assert.equal(shown(step(EMPTY, 'train/a', [0, 1]))[1], 'eval: eval/x train/a');
	assert.equal(shown(step(EMPTY, 'train/a', [-1, 0]))[0], '^: train/a');
	assert.equal(step(EMPTY, 'gain', [1, 0]), EMPTY);
	assert.deepEqual(sized(EMPTY, 'gain', { w: 4, h: 178 }, [1, 0]).panels.gain, { w: 5 });
	assert.deepEqual(sized(EMPTY, 'gain', { w: 12, h: 890 }, [1, 0]).panels.gain, { w: 12 });
	assert.deepEqual(sized(EMPTY, 'gain', { w: 4, h: 890 }, [0, 1]).panels.gain, { h: 900 });
});

test('results are first, then training, validation and test, and last and closed what only counts', () => {
	const keys = ['epoch', 'grad_norm', 'lr', '_runtime', 'train/epoch', 'train/grad', 'train/acc', 'train/loss', 'val/f1', 'val/loss',
		'trainer/global_step', 'perf/x', 'test/acc', 'data/loss'];
	const named = (some, layout = EMPTY) => arranged(layout, some).map((one) =>
		`${one.isOpen ? '' : '> '}${one.name}: ${one.panels.map(({ id }) => id.split('/').at(-1)).join(' ')}`);
	assert.deepEqual(named(keys), ['train: loss acc grad epoch', 'val: loss f1', 'test: acc', ': grad_norm', 'data: loss', 'perf: x',
		'> trainer: global_step', '> $: epoch lr _runtime']);
	assert.deepEqual(named(['epoch', 'acc', 'train/x', 'Loss', 'val_loss', 'loss', 'accuracy', 'val_accuracy', 'a_norm']),
		[': loss Loss val_loss acc accuracy val_accuracy a_norm', 'train: x', '> $: epoch']);
	assert.deepEqual(named(['lr', 'step']), ['$: lr step'], 'open where there is nothing else');
	assert.deepEqual(named(['lr', 'loss'], pinPanel(EMPTY, ['lr', 'loss'], 'lr')), ['^: lr', ': loss'], 'a hand put it there');
	assert.deepEqual(['step_time', 'steps_per_s', 'epoch_loss', 'lr_loss', 'global_step', 'learning_rate', 'lr-AdamW', 'lr/group0', 'color']
		.filter(isProgress), ['global_step', 'learning_rate', 'lr-AdamW', 'lr/group0']);
});

test('panels without values are left out and counted, but for those that are pinned, added or searched', () => {
	const isHidden = (key) => ['train/a', 'eval/x', 'gain'].includes(key);
	const of = (layout, more) => arranged(layout, KEYS, { isHidden, ...more }).map(({ name, panels, hidden }) => [name, panels.length, hidden]);
	assert.deepEqual(of(EMPTY), [['train', 2, 1], ['eval', 0, 1], ['', 0, 1]]);
	assert.deepEqual(of(pinPanel(EMPTY, KEYS, 'gain')), [['^', 1, 0], ['train', 2, 1], ['eval', 0, 1]]);
	assert.deepEqual(of(EMPTY, { search: 'train' }), [['train', 3, 0]]);
});

test('panels fill their rows: halves where three do not', () => {
	const widths = (count) => rowWidths(Array(count).fill(false)).map(({ three }) => three).join('');
	assert.deepEqual([1, 2, 3, 4, 5, 6, 7, 8].map(widths), ['12', '66', '444', '6666', '44466', '444444', '4446666', '44444466']);
	assert.deepEqual(rowWidths(Array(3).fill(false)).map(({ two }) => two), [6, 6, 12]);
	assert.deepEqual(rowWidths([false, false, true, false]).map(({ three }) => three), [6, 6, 12, 12], 'a wide one has a row of its own');
	for (let count = 1; count < 40; count++) assert.equal(rowWidths(Array(count).fill(false)).reduce((sum, { three }) => sum + three, 0) % 12, 0);
});

test('of very many keys the first sections are open, and those that somebody opened', () => {
	const many = Array.from({ length: 1000 }, (_, at) => `part${Math.floor(at / 20)}/k${at}`);
	const open = (layout, more) => arranged(layout, many, more).filter(({ isOpen }) => isOpen).map(({ name }) => name);
	const first = Array.from({ length: 20 }, (_, at) => `part${at}`);
	assert.deepEqual(open(EMPTY), first);
	assert.deepEqual(open(EMPTY, { search: 'k' }), first);
	assert.deepEqual(open(foldSection(EMPTY, 'part40', true)), [...first, 'part40']);
	assert.deepEqual(open(EMPTY, { search: 'part49' }), ['part49']);
});

test('keys that act as panels: a panel of lines for each of their values', () => {
	const line = (lr, seed) => ({ id: `${lr} ${seed}`, isGroup: true, of: { own: { 'config.lr': lr, 'config.seed': seed } } });
	const groups = [line(1, 3), line(2, 3), line(1, null)];
	const scope = { group: ['config.lr', 'config.seed'], roles: ['color', 'panel'] };
	const sections = [{ name: '', panels: [{ id: 'loss', kind: 'line', keys: ['loss'] }, { id: ':1', kind: 'text', keys: [] }] }];
	const [{ panels }] = facetted(sections, { groups, scope });
	assert.deepEqual(panels.map(({ id, base }) => [id, base]), [['loss · seed=3', 'loss'], ['loss · seed=null', 'loss'], [':1', undefined]]);
	const alike = facetted(sections, { groups: [line(1, 1), line(1, '1'), line(1, null), line(1, '(no value)'), line(2, 1)], scope })[0].panels;
	assert.deepEqual([alike.length, new Set(alike.map(({ id }) => id)).size], [5, 5], 'a number and its text are two');
	assert.deepEqual(groups.map((one) => isWithin(panels[0].facet, one)), [true, true, false]);
	assert.ok(isWithin(panels[0].facet, { id: 'a run' }));
	assert.deepEqual(inFew(groups, panels[0].facet, { shared: 0, most: 1 }), [groups[2]]);
	assert.equal(facetted(sections, { groups, scope: { ...scope, roles: [] } }), sections);
	assert.equal(facetted(sections, { groups: [], scope: null }), sections);
});

test('reference lines of a panel are kept as far as they are some', () => {
	const refs = [{ axis: 'y', at: 0.5, label: 'target' }, { axis: 'x', at: 1000, label: '' }];
	const kept = (given) => readLayout(JSON.stringify({ panels: { gain: { refs: given } } })).panels.gain.refs;
	assert.deepEqual(kept(refs), refs);
	for (const wrong of [{}, [null], [{ axis: 'z', at: 1, label: '' }], [{ axis: 'y', at: '1', label: '' }], [{ axis: 'y', at: 1 }],
		[{ ...refs[0], label: 'l'.repeat(REF_LABEL + 1) }], Array(REFS_MOST + 1).fill(refs[0])]) assert.equal(kept(wrong), undefined);
	assert.equal(kept(Array(REFS_MOST).fill({ ...refs[0], label: 'l'.repeat(REF_LABEL) })).length, REFS_MOST);
});

test('panels of a section share a range: from the least to the greatest of all', () => {
	const told = [];
	const shared = sharedRanges((name) => told.push(name));
	assert.deepEqual(shared.of('a', 'x', [0, 1]), [0, 1]);
	assert.deepEqual(shared.of('a', 'y', [-5, 0.5]), [-5, 1]);
	assert.deepEqual(shared.of('b', 'z', [7, 8]), [7, 8]);
	assert.deepEqual(shared.of('a', 'y', [-5, 1]), [-5, 1]);
	assert.deepEqual(told, ['a', 'a', 'b'], 'nothing is told when nothing changes');
	shared.leave('y');
	assert.deepEqual([told.length, shared.of('a', 'x', [0, 1])], [4, [0, 1]]);
	assert.deepEqual(shared.of('a', 'z', [7, 8]), [0, 8]);
	assert.deepEqual([told.slice(4), shared.of('b', 'x', null)], [['b', 'a'], null], 'who comes from another section leaves it');
	assert.deepEqual([shared.of('a', 'y', null), shared.of('a', 'z', [7, 8])], [[7, 8], [7, 8]], 'what has no values widens nothing');
	assert.deepEqual([shared.of('a', 'z', null), shared.of('a', 'y', [2, 3])], [null, [2, 3]], 'nor what has none any more');
	const layout = shareSection(EMPTY, 'train', true);
	assert.deepEqual(arranged(layout, KEYS).flatMap(({ panels }) => panels.filter(({ sharedY }) => sharedY).map(({ id }) => id)),
		['train/a', 'train/b', 'train/c']);
	assert.deepEqual(readLayout(layoutText(layout)), layout);
	assert.ok(arranged(shareSection(layout, 'train', false), KEYS).every(({ panels }) => panels.every(({ sharedY }) => !sharedY)));
});
