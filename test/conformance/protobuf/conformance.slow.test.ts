import { expect, test } from 'vitest';
import { peerRow } from '../../support/peer-row.ts';
import { differences, installSuite, runSuite, whyNoSuite } from './suite.ts';

peerRow({
  software: 'conformance suite of protobuf',
  version: { constant: 'version', of: 'test/conformance/protobuf/suite.ts' },
  role: 'suite',
  speaks: 'protobuf, ProtoJSON',
  does: 'passes its cases with its own codec, but for the listed ones',
});

// The suite is a program for Linux, macOS and Windows, which pip installs: machines that only have Node do not have it.
test.skipIf(whyNoSuite() !== undefined)(
  "the codec passes protobuf's conformance suite, but for the cases that are listed",
  async () => {
    expect(installSuite()).toBeUndefined();
    const outcome = await runSuite();
    expect(differences(outcome)).toEqual([]);
    expect(outcome.passed).toBeGreaterThan(1000);
  },
  600_000,
);
