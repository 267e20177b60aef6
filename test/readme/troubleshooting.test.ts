import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const root = fileURLToPath(new URL('../../', import.meta.url));
const page = readFileSync(join(root, 'docs/operate/troubleshooting.md'), 'utf8');

/** The text of all sources, with quotes as a message has them. */
const sources = globSync('src/**/*.ts', { cwd: root })
  .map((path) => readFileSync(join(root, path), 'utf8'))
  .join('\n')
  .replaceAll("\\'", "'");

/** Messages in the first column of the tables. */
const messages = [...page.matchAll(/^\| `([^`]+)` \|/gm)].map(([, message = '']) => message);

/** The fixed parts of a message, between the names and numbers in it. */
const fixedParts = (message: string): readonly string[] =>
  message.split('…').flatMap((part) => (/\w{2}/.test(part) ? [part.trim()] : []));

it('every message on the page of troubleshooting is one that the gateway writes', () => {
  expect(messages.length).toBeGreaterThan(60);
  expect(fixedParts('nobody writes this … or that')).toEqual(['nobody writes this', 'or that']);
  expect(sources).not.toContain('nobody writes this');
  expect(messages.filter((message) => !fixedParts(message).every((part) => sources.includes(part)))).toEqual([]);
});

it('every row of the page of troubleshooting has a cause and a remedy', () => {
  const rows = page.split('\n').filter((line) => line.startsWith('| ') && !line.startsWith('| ---'));
  for (const row of rows) expect(row.slice(2, -2).split(' | '), row).toHaveLength(3);
});
