import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, it } from 'vitest';
import {
  type ConformanceResult,
  conformanceTable,
  readResults,
  recordResults,
} from '../../scripts/reference/conformance.ts';
import { withTables } from '../../scripts/reference/pages.ts';
import { newFolder } from '../support/folders.ts';

const root = new URL('../../', import.meta.url);
const textOf = (path: string, of = root): string => readFileSync(new URL(path, of), 'utf8');

it('the page of conformance has the figures that the commands recorded', () => {
  const page = textOf('docs/conformance.md');
  expect(page).toBe(withTables(page, new Map([['conformance', conformanceTable()]])));
});

it('the page of conformance names commands that exist, and says of each how it is run', () => {
  const { scripts } = JSON.parse(textOf('package.json'));
  const page = textOf('docs/conformance.md').replace(/<!-- table[\s\S]*<!-- end of table -->/, '');
  for (const { command } of readResults()) {
    const [script = ''] = command.split(' ');
    expect(scripts, command).toHaveProperty([script]);
    expect(page, script).toContain(`npm run ${script}`);
  }
});

it('the page of conformance has whole counts, days, and lists of known failures that exist', () => {
  for (const { target, passed, failed, skipped, date, known } of readResults()) {
    for (const count of [passed, failed, skipped]) expect(Number.isInteger(count) && count >= 0, target).toBe(true);
    expect(date).toMatch(/^20\d\d-\d\d-\d\d$/);
    if (failed > 0) expect(known !== undefined && existsSync(new URL(known, root)), target).toBe(true);
  }
});

describe('recording a run', () => {
  const row: ConformanceResult = {
    suite: 'Suite',
    version: '1.0',
    target: 'codec',
    passed: 7,
    failed: 0,
    skipped: 1,
    date: '2026-11-28',
    command: 'conformance:suite',
  };

  function project(): URL {
    const folder = newFolder();
    for (const name of ['docs', 'test/conformance']) mkdirSync(join(folder, name), { recursive: true });
    writeFileSync(join(folder, 'package.json'), textOf('package.json'));
    writeFileSync(join(folder, 'test/conformance/results.json'), '[]');
    writeFileSync(join(folder, 'docs/conformance.md'), '<!-- table: conformance -->\n<!-- end of table -->\n');
    return pathToFileURL(`${folder}/`);
  }

  it('recording a run writes the results and the table', () => {
    const at = project();
    recordResults('Suite', [row], at);
    expect(readResults(at)).toEqual([row]);
    const line = '| Suite | 1.0 | codec | 7 | 0 | 1 | 2026-11-28 | `npm run conformance:suite` |';
    expect(textOf('docs/conformance.md', at)).toContain(line);
  });

  it('recording a run replaces the rows of the suite, and keeps those of others', () => {
    const at = project();
    recordResults('Suite', [row, { ...row, target: 'server' }], at);
    const other = { ...row, suite: 'Another suite' };
    recordResults('Another suite', [other], at);
    const later = { ...row, passed: 8 };
    recordResults('Suite', [later], at);
    expect(readResults(at)).toEqual([other, later]);
  });

  it('recording a run is refused for failures without a list', () => {
    expect(() => recordResults('Suite', [{ ...row, failed: 2 }], project())).toThrow('the 2 known failures');
  });
});
