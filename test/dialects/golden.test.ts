import { describe, expect, test } from 'vitest';
import type { StreamResponse } from '../../src/core/model/a2a.ts';
import { A2AError, type ErrorKind } from '../../src/core/model/errors.ts';
import { versions } from '../../src/dialects/a2a-1.x/versions.ts';
import type { CodecContext } from '../../src/dialects/kernel/codec.ts';
import type { Dialect } from '../../src/dialects/kernel/dialect.ts';
import { assembleRequest, createRequestWriter } from '../../src/dialects/kernel/http-request.ts';
import type { Method, RestBinding } from '../../src/dialects/kernel/wire.ts';
import { createDialects } from '../../src/dialects/registry.ts';
import { createRouter } from '../../src/wire/http-rule.ts';
import { encodeSse } from '../../src/wire/sse.ts';
import { type Golden, goldensOf } from '../support/golden.ts';
import { peerRow } from '../support/peer-row.ts';
import { decodeSse } from '../support/sse.ts';

peerRow({
  software: 'SDK for Go (`a2a-go`)',
  version: { golden: 'a2a-0.3/recorded-go.json', source: 'a2a-go * client' },
  role: 'client',
  speaks: 'A2A 0.3: JSON-RPC, gRPC',
  does: 'reads the requests that it was recorded to send',
});
peerRow({
  software: 'SDK for Go (`a2a-go`)',
  version: { golden: 'a2a-0.3/recorded-go.json', source: 'a2a-go * server' },
  role: 'agent',
  speaks: 'A2A 0.3: JSON-RPC, gRPC',
  does: 'reads the answers that it was recorded to give',
});
peerRow({
  software: 'SDK for Go (`a2a-go`)',
  version: { golden: 'a2a-1.0/recorded-go.json', source: 'a2a-go * client' },
  role: 'client',
  speaks: 'A2A 1.0: JSON-RPC, HTTP+JSON',
  does: 'reads the requests that it was recorded to send',
});
peerRow({
  software: 'SDK for Go (`a2a-go`)',
  version: { golden: 'a2a-1.0/recorded-go.json', source: 'a2a-go * server' },
  role: 'agent',
  speaks: 'A2A 1.0: JSON-RPC',
  does: 'reads the answers that it was recorded to give',
});
peerRow({
  software: 'SDK for Python (`a2a-sdk`)',
  version: { golden: 'a2a-0.3/recorded-python.json', source: 'a2a-sdk * client (Python)' },
  role: 'client',
  speaks: 'A2A 0.3: JSON-RPC, HTTP+JSON, gRPC',
  does: 'reads the requests that it was recorded to send',
});
peerRow({
  software: 'SDK for Python (`a2a-sdk`)',
  version: { golden: 'a2a-0.3/recorded-python.json', source: 'a2a-sdk * server (Python)' },
  role: 'agent',
  speaks: 'A2A 0.3: JSON-RPC, HTTP+JSON, gRPC',
  does: 'reads the answers that it was recorded to give',
});
peerRow({
  software: 'SDK for Python (`a2a-sdk`)',
  version: { golden: 'a2a-1.0/recorded-python.json', source: 'a2a-sdk * client (Python)' },
  role: 'client',
  speaks: 'A2A 1.0: JSON-RPC',
  does: 'reads the requests that it was recorded to send',
});
peerRow({
  software: 'SDK for Python (`a2a-sdk`)',
  version: { golden: 'a2a-1.0/recorded-python.json', source: 'a2a-sdk * server (Python)' },
  role: 'agent',
  speaks: 'A2A 1.0: JSON-RPC',
  does: 'reads the answers that it was recorded to give',
});
peerRow({
  software: 'SDK for Java (`a2a-java`)',
  version: { golden: 'a2a-0.3/recorded-java.json', source: 'a2a-java * client' },
  role: 'client',
  speaks: 'A2A 0.3: JSON-RPC, HTTP+JSON, gRPC',
  does: 'reads the requests that it was recorded to send',
});
peerRow({
  software: 'SDK for Java (`a2a-java`)',
  version: { golden: 'a2a-0.3/protobuf.json', source: 'a2a-java-sdk * server' },
  role: 'agent',
  speaks: 'A2A 0.3: HTTP+JSON',
  does: 'reads its errors, which are named by Java classes',
});
peerRow({
  software: 'fasta2a (pydantic-ai 1)',
  version: { golden: 'a2a-0.3/recorded-fasta2a.json', source: 'fasta2a * server (pydantic-ai 1)' },
  role: 'agent',
  speaks: 'A2A 0.3: JSON-RPC',
  does: 'reads the answers that it was recorded to give',
});
peerRow({
  software: 'fasta2a (pydantic-ai 2)',
  version: { golden: 'a2a-1.0/recorded-fasta2a.json', source: 'fasta2a * server (pydantic-ai 2)' },
  role: 'agent',
  speaks: 'A2A 1.0: JSON-RPC',
  does: 'reads the answers that it was recorded to give',
});
peerRow({
  software: 'samples/python of google/A2A',
  version: { golden: 'a2a-0.1/python-client.json', source: 'A2AClient of samples/python in google/A2A, *, as it ran' },
  role: 'client',
  speaks: 'A2A 0.1: JSON-RPC',
  does: 'reads the requests that it was recorded to send',
});
peerRow({
  software: 'samples/python of google/A2A',
  version: { golden: 'a2a-0.1/python-server.json', source: 'A2AServer of samples/python in google/A2A, *, as it ran' },
  role: 'agent',
  speaks: 'A2A 0.1: JSON-RPC',
  does: 'reads the answers that it was recorded to give',
});
peerRow({
  software: 'samples/js of google/A2A',
  version: { golden: 'a2a-0.1/js-client.json', source: 'A2AClient of samples/js in google/A2A, *, as it ran' },
  role: 'client',
  speaks: 'A2A 0.1: JSON-RPC',
  does: 'reads the requests that it was recorded to send',
});
peerRow({
  software: 'samples/js of google/A2A',
  version: { golden: 'a2a-0.1/js-server.json', source: 'A2AServer of samples/js in google/A2A, *, as it ran' },
  role: 'agent',
  speaks: 'A2A 0.1: JSON-RPC',
  does: 'reads the answers that it was recorded to give',
});
peerRow({
  software: 'SDK for PHP (`a2a-php`)',
  version: {
    golden: 'a2a-php-0.3/recorded.json',
    source: 'recorded: src/A2AClient.php and src/Client/StreamingClient.php of a2a-php at * under PHP 8.2',
  },
  role: 'client',
  speaks: 'A2A 0.3 as PHP has it: JSON-RPC',
  does: 'reads the requests that it was recorded to send',
});
peerRow({
  software: 'SDK for PHP (`a2a-php`)',
  version: {
    golden: 'a2a-php-0.3/recorded.json',
    source: 'recorded: a2a-php at *, examples/complete_a2a_server.php under PHP 8.2',
  },
  role: 'agent',
  speaks: 'A2A 0.3 as PHP has it: JSON-RPC',
  does: 'reads the answers that it was recorded to give',
});
peerRow({
  software: 'AgentVault (`agentvault`)',
  version: { golden: 'agentvault-0.2/recorded-wire.json', source: 'agentvault * client (Python)' },
  role: 'client',
  speaks: 'AgentVault 0.2: JSON-RPC',
  does: 'reads the requests that it was recorded to send',
});
peerRow({
  software: 'AgentVault (`agentvault-server-sdk`)',
  version: { golden: 'agentvault-0.2/recorded-wire.json', source: 'agentvault-server-sdk * server (Python)' },
  role: 'agent',
  speaks: 'AgentVault 0.2: JSON-RPC',
  does: 'reads the answers that it was recorded to give',
});

const contextOf = ({ counterpart }: Golden): CodecContext => ({
  losses: new Set(),
  taskId: 'task-abc-123',
  ...(counterpart && { peerSoftware: { ...counterpart } }),
});

/** Members of a decoded request, by their names in the golden files. */
const members: Readonly<Record<string, string>> = { kept: 'preserved', implied: 'semantics' };

/** The meaning of a frame, with the current names of members. */
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
      `the golden frame of ${dialect.name} is read and written: %s`,
      async (_title, golden) => {
        const { v1, out } = await there(golden, dialect);
        expect(JSON.parse(JSON.stringify(v1))).toMatchObject(meaningOf(golden));
        expect(out).toBe(golden.out ?? golden.in);
      },
    );
  });
}
