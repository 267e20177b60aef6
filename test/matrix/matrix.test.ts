import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { beforeAll, describe, expect, test } from 'vitest';
import { type Face, faces } from '../support/conversations.ts';
import { documentOf, find } from './document.ts';
import { type Cell, runMatrix } from './run.ts';

/**
 * Every client before every agent: each dialect over each of its bindings on both sides of the gateway. New dialects and
 * bindings join by themselves. `UPDATE=1` in the environment writes `docs/reference/matrix.md` anew, unless something in it is not
 * explained.
 */

let cells: readonly Cell[];

beforeAll(async () => {
  cells = await runMatrix();
}, 240_000);

const nameOf = ({ as, via }: Face): string => `${as} over ${via}`;

/** What nothing explains. */
const unexplained = (client: Face, upstream?: Face, streams?: boolean): unknown =>
  find(cells, client, upstream, streams)
    ?.findings.filter(({ reasons }) => reasons.length === 0)
    .map(({ conversation, path, expected, actual }) => ({ conversation, path, expected, actual }));

const named = faces.map((face) => [nameOf(face), face] as const);

describe.each(named)('a client of %s', (_name, client) => {
  test('before the agent itself', () => {
    expect(unexplained(client)).toEqual([]);
  });
  test.each(named)('before an agent of %s', (_name, upstream) => {
    expect(unexplained(client, upstream)).toEqual([]);
  });
});

describe.each(named.slice(0, 1))('a client of %s', (_name, client) => {
  test.each(named)('before an agent of %s that does not stream', (_name, upstream) => {
    expect(unexplained(client, upstream, false)).toEqual([]);
  });
});

test('docs/reference/matrix.md says what was found', () => {
  const file = new URL('../../docs/reference/matrix.md', import.meta.url);
  const found = documentOf(cells);
  if (process.env.UPDATE && cells.every((cell) => cell.findings.every(({ reasons }) => reasons.length > 0))) {
    writeFileSync(file, found);
  }
  expect(existsSync(file) ? readFileSync(file, 'utf8') : '').toBe(found);
});
