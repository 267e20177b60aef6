import { beforeAll, describe, expect, test } from 'vitest';
import { conversations, type DialectBinding, dialectBindings } from '../support/conversations.ts';
import { paced } from '../support/pace.ts';
import { find, unexplained } from './document.ts';
import { edgesAndSample, seed } from './pairs.ts';
import { type Cell, runMatrix } from './run.ts';

/**
 * Clients before agents: each dialect over each of its bindings on both sides of the gateway. These are the edges of the
 * matrix, and a sample of the other pairs; `all-pairs.slow.test.ts` has the rest, and
 * agents that do not stream. New dialects and bindings join by themselves.
 */

let cells: readonly Cell[];

beforeAll(async () => {
  cells = await runMatrix({ pairs: edgesAndSample, quiet: false });
}, paced(240_000));

const nameOf = ({ as, via }: DialectBinding): string => `${as} over ${via}`;

describe.each(dialectBindings.map((protocol) => [nameOf(protocol), protocol] as const))(
  'a client of %s before the agent itself',
  (name, client) => {
    test(`a client of ${name} before the agent itself differs from a client of A2A 1.0 in what its dialect cannot represent alone`, () => {
      expect(unexplained(cells, client)).toEqual([]);
    });

    test(`a client of ${name} before the agent itself leaves the same states and the same task log, apart from direct answers and the metadata of parts`, () => {
      const findings = find(cells, client)?.findings ?? expect.fail('this client was not tried');
      const differing = findings
        .filter(({ conversation }) => conversation in conversations)
        .filter(({ path }) => path === 'client.task.status.state' || /^log(?!.*\.metadata$)/.test(path))
        .filter(({ reasons }) => reasons.every(({ limit }) => limit !== 'StreamResponse.message'));
      expect(differing).toEqual([]);
    });
  },
);

describe(`a sample by TEST_SEED=${seed}, and the edges`, () => {
  test.each(
    [...edgesAndSample].map(({ client, upstream }) => [nameOf(client), nameOf(upstream), client, upstream] as const),
  )('a client of %s before an agent of %s', (_client, _upstream, client, upstream) => {
    expect(unexplained(cells, client, upstream)).toEqual([]);
  });
});
