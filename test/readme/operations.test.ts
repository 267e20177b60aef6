import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { testBlocks } from './run-blocks.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const read = (path: string): string => readFileSync(join(root, path), 'utf8');

const text = read('docs/operate/operations.md');
testBlocks('docs/operate/operations.md', text);
testBlocks('docs/operate/policies.md', read('docs/operate/policies.md'));
testBlocks('docs/operate/generations.md', read('docs/operate/generations.md'));

/** A chapter, without its title. */
const chapter = (title: string): string => text.split(/^## /m).find((part) => part.startsWith(`${title}\n`)) ?? '';
/** Texts in backquotes in one column of a chapter's tables. */
const quoted = (title: string, column: number): string[] =>
  [...chapter(title).matchAll(/^\|.*\|$/gm)].flatMap(([line]) =>
    [...(line.split('|')[column] ?? '').matchAll(/`([^`]+)`/g)].map(([, each = '']) => each),
  );

it('the page about operations says of every alert in the example what to do, and of no other', () => {
  const { groups } = parse(read('deploy/helm/a2a-gateway/files/alerts.yml')) as {
    groups: { rules: { alert: string }[] }[];
  };
  const alerts = groups.flatMap(({ rules }) => rules.map(({ alert }) => alert));
  expect(quoted('What to alert on', 1).toSorted()).toEqual(alerts.toSorted());
});

it('the page about operations quotes lines of the log that the gateway writes', () => {
  const source = globSync('src/**/*.ts', { cwd: root }).map(read).join('\n');
  const lines = quoted('Logs', 2).filter((each) => each.includes(' ') && !each.startsWith('level:'));
  expect(lines.length).toBeGreaterThan(6);
  expect(lines.filter((line) => !source.includes(`'${line}'`))).toEqual([]);
});
