import { expect, test } from 'vitest';
import { createDialects } from '../../../src/dialects/registry.ts';
import { type Translated, translateFrame } from '../../../src/dialects/translate/index.ts';
import { marksOf } from '../../../src/extensions/console/pages/bench/translation/marks.ts';

const dialects = createDialects();

const message = {
  messageId: 'm1',
  role: 'ROLE_AGENT',
  parts: [{ text: 'a', metadata: { lang: 'en' } }, { text: 'b' }],
  extensions: ['urn:x', 'urn:y'],
};

test('losses are marked at the fields that they are about', () => {
  const { v1, translated } = translateFrame(dialects, JSON.stringify(message), { from: 'a2a-1.0' });
  expect(v1).toEqual(message);
  const { byPath, elsewhere } = marksOf(v1, translated);
  expect([...byPath.keys()]).toEqual(expect.arrayContaining(['/extensions', '/parts/0/metadata']));
  const losing = translated.filter(({ losses }) => losses.some(({ path }) => path === 'extensions'));
  expect(losing.map(({ dialect }) => dialect)).toContain('a2a-0.1');
  expect(byPath.get('/extensions')?.map(({ dialect }) => dialect)).toEqual(losing.map(({ dialect }) => dialect));
  const shown = [...byPath.values(), ...elsewhere.values()].flat();
  expect(shown).toHaveLength(translated.flatMap(({ losses }) => losses).length);
});

const losing = (path: string): Translated => ({
  dialect: 'a2a-0.1',
  binding: 'jsonrpc',
  losses: [{ path, reason: 'no place', missed: true }],
});

test('a loss of what is not there stands apart', () => {
  const { elsewhere } = marksOf({ id: 't' }, [losing('method')]);
  expect([...elsewhere]).toMatchObject([['method', [{ dialect: 'a2a-0.1' }]]]);
});

test('fields in items of lists, and events of streams, are marked in every item', () => {
  const events = [1, 2].map((at) => ({ artifactUpdate: { artifact: { name: `n${at}` } } }));
  const { byPath } = marksOf(events, [losing('artifactUpdate.artifact.name')]);
  expect([...byPath.keys()]).toEqual([0, 1].map((at) => `/${at}/artifactUpdate/artifact/name`));
});
