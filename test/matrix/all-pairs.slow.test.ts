import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { beforeAll, expect, test } from 'vitest';
import { type DialectBinding, dialectBindings } from '../support/conversations.ts';
import { paced } from '../support/pace.ts';
import { documentOf, unexplained } from './document.ts';
import { oneOfEachDialect } from './pairs.ts';
import { type Cell, runMatrix } from './run.ts';

/**
 * A client of each dialect before an agent of each, agents that do not stream, and the page about all pairs. `TEST_PAIRS=all` in
 * the environment tries every pair over every binding, and `UPDATE=1` then writes `docs/reference/matrix.md` anew, unless
 * something in it is not explained.
 */

const file = new URL('../../docs/reference/matrix.md', import.meta.url);
const page = existsSync(file) ? readFileSync(file, 'utf8') : '';

let cells: readonly Cell[];

beforeAll(async () => {
  cells = await runMatrix({ pairs: new Set(oneOfEachDialect), quiet: true });
}, paced(900_000));

const nameOf = ({ as, via }: DialectBinding): string => `${as} over ${via}`;

test.each(
  oneOfEachDialect.map(({ client, upstream }) => [nameOf(client), nameOf(upstream), client, upstream] as const),
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
  const found = documentOf(cells, page);
  const isWhole = process.env.TEST_PAIRS === 'all';
  if (
    process.env.UPDATE &&
    isWhole &&
    cells.every((cell) => cell.findings.every(({ reasons }) => reasons.length > 0))
  ) {
    writeFileSync(file, found);
  }
  expect(page).toBe(found);
});
