import { expect, it } from 'vitest';
import { peerRow } from '../../support/peer-row.ts';
import { differences, readKnown } from './known.ts';
import { readSuite, type Test } from './read.ts';
import { isOfClients, rowsOf, runClients, runRow } from './run.ts';
import { installSuite, isInstalled } from './suite.ts';
import { targets } from './targets.ts';

peerRow({
  software: 'ACTS, the conformance specification of A2A (pull request 1882)',
  version: { constant: 'commit', of: 'test/conformance/acts/suite.ts' },
  role: 'suite',
  speaks: 'A2A 1.0: JSON-RPC, HTTP+JSON, gRPC',
  does: 'passes its tests with its own agent and in front of agents of A2A 1.0, 0.3, 0.2 and 0.1, but for the listed ones',
});

/** ACTS, if `npm run conformance:acts` has fetched it. This command also runs the other rows. */

// Most of the time of a row is waiting, and one binding shows what an agent of another version cannot do.
const rows = rowsOf(targets).filter(({ name }) => /^direct /.test(name) || /^(1\.0|0\.[123]) jsonrpc$/.test(name));

const tests: Test[] = isInstalled() ? readSuite(installSuite()) : [];

const installed = it.skipIf(!isInstalled());

installed.each(rows.map((row) => [row.name, row] as const))(
  '%s: every test of a server passes, but for those that are listed',
  async (name, row) => {
    const results = await runRow(
      row,
      tests.filter((test) => !isOfClients(test)),
    );
    expect(differences(new Map([[name, results]]), readKnown())).toEqual([]);
    expect(results.filter(({ result }) => result === 'pass').length).toBeGreaterThan(60);
  },
  180_000,
);

installed('every test of a client passes', async () => {
  const results = await runClients(tests.filter(isOfClients));
  expect(differences(new Map([['client', results]]), readKnown())).toEqual([]);
  expect(results).toHaveLength(8);
  expect(tests).toHaveLength(111);
});
