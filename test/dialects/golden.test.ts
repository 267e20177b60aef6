import { describe, expect, test } from 'vitest';
import type { StreamResponse } from '../../src/core/model/a2a.ts';
import { A2AError, type ErrorKind } from '../../src/core/model/errors.ts';
import { versions } from '../../src/dialects/a2a-1.x/versions.ts';
import type { CodecContext } from '../../src/dialects/kernel/codec.ts';
import type { Dialect } from '../../src/dialects/kernel/dialect.ts';
import { assembleRequest, createRequestWriter } from '../../src/dialects/kernel/http-request.ts';
import { createDialects } from '../../src/dialects/kernel/registry.ts';
import type { Method, RestBinding } from '../../src/dialects/kernel/wire.ts';
import { createRouter } from '../../src/wire/http-rule.ts';
import { encodeSse } from '../../src/wire/sse.ts';
import { type Golden, goldensOf } from '../support/golden.ts';
import { decodeSse } from '../support/sse.ts';

const contextOf = ({ counterpart }: Golden): CodecContext => ({
  losses: new Set(),
  taskId: 'task-abc-123',
  ...(counterpart && { peerSoftware: { ...counterpart } }),
});

/** What the files call members of a decoded request. */
const members: Readonly<Record<string, string>> = { kept: 'preserved', implied: 'semantics' };

/** What a frame means. */
const meaningOf = ({ v1 }: Golden): object =>
  Array.isArray(v1)
    ? v1
    : Object.fromEntries(Object.entries(v1 as object).map(([name, item]) => [members[name] ?? name, item]));

/** The method of a frame, as its face has it. */
function methodOf({ face, of }: Golden, { jsonrpc, rest, grpc }: Dialect): Method | undefined {
  if (face === 'rest') return rest?.routes.find(({ method }) => method.name === of)?.method;
  return face === 'grpc' ? grpc?.methods.get(of) : jsonrpc?.methods.get(of);
}

async function readStream(golden: Golden, method: Method | undefined, enveloped: boolean): Promise<StreamResponse[]> {
  const decoder = method?.stream?.decoder(contextOf(golden));
  async function* bytes() {
    yield new TextEncoder().encode(golden.in);
  }
  const events: StreamResponse[] = [];
  for await (const { event, data } of decodeSse(bytes())) {
    // An event without data tells nothing but its name.
    if (data === '') continue;
    const parsed = JSON.parse(data) as { result?: unknown };
    const payload = enveloped ? parsed.result : parsed;
    events.push(...(decoder?.decode({ ...(event && { event }), data: payload }) ?? []));
  }
  return events;
}

function writeStream(
  golden: Golden,
  events: readonly StreamResponse[],
  method: Method | undefined,
  enveloped: boolean,
): string {
  const encoder = method?.stream?.encoder(contextOf(golden));
  const frames = events.flatMap((event, at) => [
    ...(encoder?.encode({ seq: at + 1, at: 0, generation: 0, event, json: JSON.stringify(event) }) ?? []),
  ]);
  const wrap = (data: string) => (enveloped && data !== '' ? `{"jsonrpc":"2.0","id":1,"result":${data}}` : data);
  return [...frames, ...(encoder?.end?.() ?? [])]
    .map((frame) => encodeSse({ ...frame, data: wrap(frame.data) }))
    .join('');
}

/** A request as the server puts it together from path and body, and the body that the client writes for the same. */
function throughRoute(golden: Golden, http: string, face: RestBinding): { v1: unknown; out: string } {
  const [verb = '', url = ''] = http.split(' ');
  const [path = '', query = ''] = url.split('?');
  const match = createRouter(face.routes.map((route) => [route.rule, route])).match(verb, path);
  if (!match || match.allow) throw new Error(`no route for ${http}`);
  const { rule, method, requestType } = match.value;
  expect(method.name).toBe(golden.of);
  const body: unknown = golden.in === '' ? undefined : JSON.parse(golden.in);
  const pieces = { body, bodyField: rule.body, query, variables: match.variables };
  const v1 = method.request.decode(assembleRequest(face.api.fields, requestType, pieces), contextOf(golden));
  const written = createRequestWriter(face).write(method.operation, method.request.encode(v1, contextOf(golden)));
  expect(`${written.verb} ${written.path}`).toBe(`${verb} ${path}`);
  return { v1, out: written.body ?? '' };
}

/** A frame's meaning, and what is written for that. */
async function there(golden: Golden, dialect: Dialect): Promise<{ v1: unknown; out: string }> {
  const context = () => contextOf(golden);
  const method = methodOf(golden, dialect);
  if (golden.kind === 'stream' && golden.face === 'grpc') {
    const shape = method?.stream?.event;
    const v1 = (JSON.parse(golden.in) as unknown[]).map((message) => shape?.decode(message, context()));
    return {
      v1,
      out: JSON.stringify(
        v1.map((event) => shape?.encode({ event: event as StreamResponse, generation: 0 }, context())),
      ),
    };
  }
  if (golden.kind === 'stream') {
    const enveloped = golden.face === undefined && dialect.jsonrpc?.stream.enveloped === true;
    const v1 = await readStream(golden, method, enveloped);
    return { v1, out: writeStream(golden, v1, method, enveloped) };
  }
  if (golden.http !== undefined && dialect.rest) return throughRoute(golden, golden.http, dialect.rest);
  const wire: unknown = JSON.parse(golden.in);
  if (golden.kind === 'error') {
    const codec = golden.face === 'rest' ? dialect.rest?.error : dialect.jsonrpc?.error;
    const v1 = codec?.decode(wire as never, context());
    const { violations = [], metadata = {}, extraDetails: details = [] } = v1 ?? {};
    const error = new A2AError(golden.of as ErrorKind, v1?.message, { violations, metadata, details });
    return {
      v1: { kind: v1?.kind, message: v1?.message },
      out: JSON.stringify(codec?.encode(error, context())),
    };
  }
  const codec = golden.kind === 'type' ? dialect.types[golden.of] : method?.[golden.kind];
  if (!codec) throw new Error(`${golden.of} has no ${golden.kind}`);
  const v1 = codec.decode(wire, context());
  return { v1, out: JSON.stringify(codec.encode(v1 as never, context())) };
}

/** A version of A2A 1.x has the frames of those before it, too: what it adds may be absent. */
const foldersOf = ({ name }: Dialect): string[] => {
  const at = versions.findIndex((version) => version.name === name);
  return at < 0 ? [name] : versions.slice(at).map((version) => version.name);
};

for (const dialect of createDialects().list) {
  describe(`golden frames of ${dialect.name}`, () => {
    const goldens = foldersOf(dialect).flatMap(goldensOf);
    test.each(goldens.map((golden) => [`${golden.kind} ${golden.of}: ${golden.name}`, golden] as const))(
      '%s',
      async (_title, golden) => {
        const { v1, out } = await there(golden, dialect);
        expect(JSON.parse(JSON.stringify(v1))).toMatchObject(meaningOf(golden));
        expect(out).toBe(golden.out ?? golden.in);
      },
    );
  });
}
