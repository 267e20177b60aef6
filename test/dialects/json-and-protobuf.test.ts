import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Method } from '../../src/dialects/kernel/wire.ts';
import { createDialects } from '../../src/dialects/registry.ts';
import type { Api } from '../../src/gen/api.ts';
import { parseJsonText } from '../../src/wire/json.ts';
import { decode, encode } from '../../src/wire/protobuf.ts';
import { decodeRequest } from '../../src/wire/protobuf-document.ts';
import { canonicalJson } from '../support/arbitrary-json.ts';

/** A message means the same to the core, whether it came as JSON or as protobuf. */

const dialects = createDialects();
const rows = dialects.list.flatMap(({ name, grpc }) => {
  if (!grpc) return [];
  const { api, methods } = grpc;
  return api.operations.flatMap((operation): [string, Api, string, string, Method][] => {
    const method = methods.get(operation.rpc);
    return method ? [[`${name} ${operation.rpc}`, api, operation.request, operation.response, method]] : [];
  });
});

/** A value whose ids that were made, of messages that came without one, are the same. */
const withoutMadeIds = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value).replace(/"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"/g, '"made"'));

/** The decoded value, or the kind of the error and the fields that it names. */
function outcomeOf(read: () => unknown): unknown {
  try {
    return { value: withoutMadeIds(read()) };
  } catch (thrown) {
    const { kind, violations } = thrown as { kind?: string; violations?: readonly { field: string }[] };
    if (kind === undefined) throw thrown;
    return { kind, fields: violations?.map(({ field }) => field) };
  }
}

describe.each(rows)('%s', (name, api, request, response, method) => {
  it(`${name} decodes a request as JSON and as protobuf to the same`, () => {
    fc.assert(
      fc.property(canonicalJson(api, request), (json) => {
        const asJson = outcomeOf(() =>
          method.request.decode(parseJsonText(JSON.stringify(json)), { losses: new Set() }),
        );
        const message = decodeRequest(api, request, encode(api, request, json), {});
        expect(outcomeOf(() => method.request.decode(message, { losses: new Set() }))).toEqual(asJson);
      }),
      { numRuns: 20 },
    );
  });

  it.skipIf(!method.result)(`${name} decodes an answer as JSON and as protobuf to the same`, () => {
    const { result } = method;
    fc.assert(
      fc.property(canonicalJson(api, response), (json) => {
        const read = (wire: unknown) => outcomeOf(() => result?.decode(wire, { losses: new Set() }));
        const asJson = read(parseJsonText(JSON.stringify(json)));
        expect(read(decode(api, response, encode(api, response, json)))).toEqual(asJson);
      }),
      { numRuns: 20 },
    );
  });
});
