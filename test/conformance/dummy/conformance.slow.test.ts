import { expect, it } from 'vitest';
import { peerRow } from '../../support/peer-row.ts';
import { differences, readKnown } from './known.ts';
import { isInstalled, rows, runRow } from './suite.ts';

peerRow({
  software: 'contracts of dummy-a2a',
  version: { constant: 'version', of: 'test/conformance/dummy/suite.ts' },
  role: 'suite',
  speaks: 'A2A 1.0: JSON-RPC',
  does: 'keeps them in front of the agent of dummy-a2a, but for the listed ones',
});

// It is a package of Python, which `npm run conformance:dummy` installs.
it.skipIf(!isInstalled()).each(rows.map((row) => [row.name, row] as const))(
  '%s: every contract of dummy-a2a is kept, but for those that are listed',
  async (name, row) => {
    const results = await runRow(row);
    expect(differences(name, results, readKnown())).toEqual([]);
    expect(results).toHaveLength(46);
  },
  600_000,
);
