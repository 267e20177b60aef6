import { expect, it } from 'vitest';
import { peerRow } from '../../support/peer-row.ts';
import { areInstalled } from './interop/programs.ts';
import { installSuite, isInstalled } from './program.ts';
import { runSuite, sides } from './suite.ts';

peerRow({
  software: 'conformance suite of Connect',
  version: { constant: 'version', of: 'test/conformance/rpc/program.ts' },
  role: 'suite',
  speaks: 'Connect, gRPC, gRPC-Web',
  does: 'passes its cases as server and as client, but for the listed ones',
});
peerRow({
  software: 'interoperability cases of gRPC (`grpc-go`)',
  version: { constant: 'version', of: 'test/conformance/rpc/interop/programs.ts' },
  role: 'suite',
  speaks: 'gRPC',
  does: 'passes its cases as server and as client, but for the listed ones',
});

/** The official conformance suite of Connect, gRPC and gRPC-Web, where `npm run conformance:rpc` has installed it. */

// The suite is a program in Go, which takes minutes to build: machines that only have Node do not.
const installed = it.skipIf(!isInstalled());

installed.each(Object.entries(sides))(
  '%s: every case passes, but for those that are listed',
  async (_name, side) => {
    const { cases, unexpected, problem } = await runSuite(await installSuite(), side);
    expect({ unexpected, problem }).toEqual({ unexpected: [], problem: undefined });
    expect(cases.length).toBeGreaterThan(50);
  },
  900_000,
);

it.skipIf(!areInstalled())(
  "gRPC's interoperability cases pass, but for those that are listed",
  async () => {
    const { runInterop } = await import('./interop/run.ts');
    const { cases, unexpected } = await runInterop();
    expect(unexpected).toEqual([]);
    expect(cases).toHaveLength(56);
  },
  300_000,
);
