import { expect, it } from 'vitest';
import { peerRow } from '../../support/peer-row.ts';
import { rows, runRow } from './run.ts';
import { installSuite, isInstalled } from './suite.ts';

peerRow({
  software: 'a2a-itk, the integration kit of A2A',
  version: { constant: 'commit', of: 'test/conformance/itk/suite.ts' },
  role: 'suite',
  speaks: 'A2A 1.0 and 0.3: JSON-RPC, HTTP+JSON, gRPC',
  does: 'lets its agents in TypeScript call one another, each behind a gateway',
});

// `npm run conformance:itk` fetches it.
it.skipIf(!isInstalled()).each(rows)(
  '%s: the agents of a2a-itk reach one another in every scenario',
  async (row) => {
    await installSuite();
    const results = await runRow(row);
    expect(results.filter(({ passed }) => !passed)).toEqual([]);
    expect(results).toHaveLength(24);
  },
  600_000,
);
