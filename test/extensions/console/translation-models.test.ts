import { expect, test } from 'vitest';
import { createDialects } from '../../../src/dialects/kernel/registry.ts';
import { type Translated, translateFrame } from '../../../src/dialects/translate/index.ts';
import { markedFrame, maxLines } from '../../../src/extensions/console/pages/translation/marks.ts';

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
  const { lines, elsewhere } = markedFrame(v1, translated);
  expect(
    lines.map(({ depth, name, value }) => `${'  '.repeat(depth)}${name ? `"${name}": ` : ''}${value}`).join('\n'),
  ).toBe(JSON.stringify(message, undefined, 2));
  const marked = lines.filter(({ marks }) => marks.length > 0);
  const extensions = marked.filter(({ path }) => path === 'extensions');
  expect(extensions).toHaveLength(1);
  expect(extensions[0]).toMatchObject({ name: 'extensions', value: '[' });
  const losing = translated.filter(({ losses }) => losses.some(({ path }) => path === 'extensions'));
  expect(losing.map(({ dialect }) => dialect)).toContain('a2a-0.1');
  expect(extensions[0]?.marks.map(({ dialect }) => dialect)).toEqual(losing.map(({ dialect }) => dialect));
  const all = translated.flatMap(({ losses }) => losses);
  const shown = [...marked, ...elsewhere].flatMap(({ marks }) => marks);
  expect(shown).toHaveLength(all.length);
});

const losing = (path: string): Translated => ({
  dialect: 'a2a-0.1',
  binding: 'jsonrpc',
  losses: [{ path, reason: 'no place', missed: true }],
});

test('a loss of what is not there stands apart', () => {
  const { elsewhere } = markedFrame({ id: 't' }, [losing('method')]);
  expect(elsewhere).toMatchObject([{ path: 'method', marks: [{ dialect: 'a2a-0.1' }] }]);
});

test('fields in items of lists, and events of streams, are marked in every item', () => {
  const events = [1, 2].map((at) => ({ artifactUpdate: { artifact: { name: `n${at}` } } }));
  const { lines } = markedFrame(events, [losing('artifactUpdate.artifact.name')]);
  expect(lines.filter(({ marks }) => marks.length > 0).map(({ value }) => value)).toEqual(['"n1"', '"n2"']);
});

test('a huge frame is cut', () => {
  const { lines, hidden } = markedFrame(
    Array.from({ length: maxLines + 10 }, () => 1),
    [],
  );
  expect(lines).toHaveLength(maxLines);
  expect(hidden).toBe(12);
});
