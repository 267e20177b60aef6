import { expect, test } from 'vitest';
import { differences, installSuite, runSuite, whyNoSuite } from './suite.ts';

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
