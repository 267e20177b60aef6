import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { beforeAll, expect, test } from 'vitest';
import { type DialectBinding, dialectBindings } from '../support/conversations.ts';
import { paced } from '../support/pace.ts';
import { documentOf, unexplained } from './document.ts';
import { edgesAndSample, pairs } from './pairs.ts';
import { type Cell, runMatrix } from './run.ts';

/**
 * The pairs of client and agent that `matrix.test.ts` leaves out, and the page about all of them.
 * `UPDATE=1` in the environment writes `docs/reference/matrix.md` anew, unless something in it is not explained.
 */

let cells: readonly Cell[];

beforeAll(async () => {
  cells = await runMatrix({ pairs: new Set(pairs), quiet: true });
}, paced(900_000));

const nameOf = ({ as, via }: DialectBinding): string => `${as} over ${via}`;

test.each(
  pairs
    .filter((pair) => !edgesAndSample.has(pair))
    .map(({ client, upstream }) => [nameOf(client), nameOf(upstream), client, upstream] as const),
)('a client of %s before an agent of %s', (_client, _upstream, client, upstream) => {
  expect(unexplained(cells, client, upstream)).toEqual([]);
});

test.each(dialectBindings.map((protocol) => [nameOf(protocol), protocol] as const))(
  'a client of A2A 1.0 sees no difference when the agent of %s does not stream',
  (_, upstream) => {
    expect(unexplained(cells, dialectBindings[0], upstream, false)).toEqual([]);
  },
);

test('docs/reference/matrix.md says what was found', () => {
  const file = new URL('../../docs/reference/matrix.md', import.meta.url);
  const found = documentOf(cells);
  if (process.env.UPDATE && cells.every((cell) => cell.findings.every(({ reasons }) => reasons.length > 0))) {
    writeFileSync(file, found);
  }
  expect(existsSync(file) ? readFileSync(file, 'utf8') : '').toBe(found);
});
