import { existsSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { suites } from './suites.ts';

const root = new URL('../../', import.meta.url);
const textOf = (path: string): string => readFileSync(new URL(path, root), 'utf8');
const { scripts } = JSON.parse(textOf('package.json')) as { scripts: Record<string, string> };

it.each(Object.entries(suites))('the suite %s has a program, a script and a section of the page', (name, { path }) => {
  expect(existsSync(new URL(path, import.meta.url))).toBe(true);
  expect(scripts[`conformance:${name}`]).toContain(`test/conformance/${path}`);
  expect(textOf('docs/conformance.md')).toContain(`npm run conformance:${name}`);
});

it('each script of conformance is a suite that can be run by its name', () => {
  const named = Object.keys(scripts).flatMap((script) => /^conformance:(.+)/.exec(script)?.[1] ?? []);
  expect(named.filter((name) => suites[name] === undefined)).toEqual([]);
});

it('the workflow runs suites that exist, and every one of them', () => {
  const workflow = parse(textOf('.github/workflows/conformance.yml')) as {
    jobs: { suites: { strategy: { matrix: { suite: string[] } } } };
  };
  expect(workflow.jobs.suites.strategy.matrix.suite.toSorted()).toEqual(Object.keys(suites).toSorted());
});
