import { globSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { rest } from '../../../src/dialects/a2a-0.3/protobuf/bindings.ts';
import { software } from '../../../src/dialects/a2a-0.3/protobuf/software.ts';
import { unpackError } from '../../../src/dialects/kernel/rpc-status.ts';
import type { Software } from '../../../src/dialects/kernel/wire.ts';
import { createDialects } from '../../../src/dialects/registry.ts';
import { peerRow } from '../../support/peer-row.ts';
import { readRecorded } from './recorded.ts';

peerRow({
  software: 'SDK for Go (`a2a-go`)',
  version: { recorded: 'Go' },
  role: 'client and agent',
  speaks: 'A2A 0.3: gRPC, HTTP+JSON',
  does: 'recognizes it by its `User-Agent` and by its answers, and writes files in the form that it reads',
});
peerRow({
  software: 'SDK for Java (`a2a-java`)',
  version: { recorded: 'Java' },
  role: 'client and agent',
  speaks: 'A2A 0.3: gRPC, HTTP+JSON',
  does: 'recognizes it by its `User-Agent` and by its answers, and writes files in the form that it reads',
});
peerRow({
  software: 'SDK for Python (`a2a-sdk`)',
  version: { recorded: 'Python' },
  role: 'client and agent',
  speaks: 'A2A 0.3: gRPC, HTTP+JSON',
  does: 'recognizes it by its `User-Agent` and by its answers, and writes files in the form that it reads',
});

/** The texts by which software is recognized are those that real software sent to `record.ts`. */

const recorded = readRecorded();
const sdks = software.filter(({ name }) => name !== 'a2a-gateway');
const rowOf = (sdk: string): Software =>
  sdks.find(({ name }) => name.endsWith(` ${sdk}`)) ?? expect.fail(`no row for ${sdk}`);
const clients = recorded.flatMap(({ sdk, userAgents: { grpc: overGrpc, http } }) =>
  [overGrpc, http].flatMap((userAgent) => (userAgent === undefined ? [] : [[userAgent, sdk] as const])),
);

describe.each(sdks.map((row) => [row.name, row] as const))('%s', (name, row) => {
  it(`${name} is recognized only by values that its clients and agents were recorded to send`, () => {
    const own = clients.flatMap(([userAgent, sdk]) => (rowOf(sdk) === row ? [userAgent] : []));
    const invented = row.userAgents.filter((start) => !own.some((userAgent) => userAgent.startsWith(start)));
    expect(invented).toEqual([]);
    expect(errors.filter(({ sdk, error }) => rowOf(sdk) === row && row.answersSo(error))).not.toEqual([]);
  });
});

it.each(clients)('a client with the User-Agent %s is recognized as one in %s', (userAgent, sdk) => {
  const known = software.find(({ userAgents }) => userAgents.some((start) => userAgent.startsWith(start)));
  expect(known).toBe(rowOf(sdk));
  // Clients of A2A 1.0 on Go's HTTP client read errors from event streams only.
  const { jsonrpc } = createDialects().byName.get('a2a-1.0') ?? {};
  const onGo = sdk === 'Go' && !userAgent.startsWith('grpc');
  expect(jsonrpc?.stream.refusedAsStreamTo?.test(userAgent)).toBe(onGo);
});

/** The answers for an unknown task as the gateway reads them. */
const errors = recorded.flatMap(({ sdk, grpc: overGrpc, rest: overRest }) => [
  ...(overGrpc
    ? [{ sdk, over: 'gRPC', error: unpackError({ code: 5, message: overGrpc.unknownTask.details ?? '', details: [] }) }]
    : []),
  ...(overRest
    ? [
        {
          sdk,
          over: 'HTTP+JSON',
          error: rest.error.decode(
            { status: overRest.unknownTask.status ?? 0, body: overRest.unknownTask.body },
            { losses: new Set() },
          ),
        },
      ]
    : []),
]);

it('agents of every recorded SDK are recognized by their answers over each binding', () => {
  for (const { sdk, over, error } of errors) {
    const { quirks } = software.find((one) => one.answersSo(error)) ?? expect.fail(`${sdk} over ${over}`);
    const expected = rowOf(sdk).quirks;
    // Over gRPC every SDK passes over fields that it does not know.
    if (over === 'gRPC') expect(quirks.base64Bytes, sdk).toBe(expected.base64Bytes);
    else expect(quirks, sdk).toEqual(expected);
  }
});

it('tests use only recorded User-Agent values', () => {
  const root = new URL('../../', import.meta.url);
  const names = /\b(?:grpc-(?:node|java|go|python)[\w-]*|python-httpx|Go-http-client|Java-http-client)\/\d[\d.]*/g;
  const known = clients.map(([userAgent]) => userAgent);
  const invented = globSync('**/*.ts', { cwd: root.pathname }).flatMap((path) =>
    [...readFileSync(new URL(path, root), 'utf8').matchAll(names)].flatMap(([name]) =>
      known.some((userAgent) => userAgent.startsWith(name)) ? [] : [`${path}: ${name}`],
    ),
  );
  expect(invented).toEqual([]);
});
