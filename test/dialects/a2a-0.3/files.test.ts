import * as grpc from '@grpc/grpc-js';
import { describe, expect, it } from 'vitest';
import type { Part } from '../../../src/core/model/a2a.ts';
import { type Answer, readRecorded, type Sdk, service, unknownId } from '../../interop/software/recorded.ts';
import { startGateway } from '../../support/gateway.ts';
import { afterTest, bodyOf, sendJson, serve } from '../../support/peer.ts';
import { startBridge, type UpstreamSettings } from '../../support/upstreams.ts';

/**
 * Files between peers that put different things into `file_with_bytes` of A2A 0.3: the SDK for JavaScript the bytes,
 * those for Python, Go and Java the base64 text of the bytes.
 */

/** The contents of a file, and their encodings on the wire. */
const png = Buffer.from('iVBORw0KGgo=', 'base64');
const twice = (bytes: Buffer): Buffer => Buffer.from(bytes.toString('base64'));

interface WirePart {
  readonly file?: { readonly bytes: Buffer; readonly name?: string | undefined };
}

/** Clients of one binding: each sends a file to the agent that echoes it, and fetches a task. */
interface Client {
  echo(bytes: Buffer): Promise<{ readonly id: string; readonly parts: readonly WirePart[] }>;
  get(id: string): Promise<readonly WirePart[]>;
}

const gateway = await startGateway();

type Json = Record<string, unknown>;

function restClient(userAgent: string): Client {
  const call = async (path: string, body?: object): Promise<Json> => {
    const response = await fetch(`${gateway.origin}/v1/${path}`, {
      method: body ? 'POST' : 'GET',
      headers: { 'content-type': 'application/json', 'user-agent': userAgent },
      ...(body && { body: JSON.stringify(body) }),
    });
    return (await response.json()) as Json;
  };
  const partsOf = (task: unknown): WirePart[] =>
    (task as { artifacts: { parts: { file: { fileWithBytes: string; name?: string } }[] }[] }).artifacts[0]?.parts.map(
      ({ file }) => ({ file: { bytes: Buffer.from(file.fileWithBytes, 'base64'), name: file.name } }),
    ) ?? [];
  return {
    async echo(bytes) {
      const file = { fileWithBytes: bytes.toString('base64'), name: 'a.png' };
      const { task } = await call('message:send', {
        message: { messageId: 'm', role: 'ROLE_USER', content: [{ file }] },
      });
      return { id: (task as { id: string }).id, parts: partsOf(task) };
    },
    get: async (id) => partsOf(await call(`tasks/${id}`)),
  };
}

function grpcClient(userAgent: string): Client {
  const stub = new service(gateway.target, grpc.credentials.createInsecure(), {
    'grpc.primary_user_agent': userAgent,
  }) as unknown as grpc.Client & Record<string, unknown>;
  afterTest(() => stub.close());
  const call = (rpc: string, request: object): Promise<Json> =>
    new Promise((resolve, reject) => {
      const method = stub[rpc] as (...args: unknown[]) => grpc.ClientUnaryCall;
      method.call(stub, request, (error: Error | null, value: Json) => (error ? reject(error) : resolve(value)));
    });
  const partsOf = (task: unknown): WirePart[] =>
    (task as { artifacts: { parts: { file: { fileWithBytes: Buffer; name: string } }[] }[] }).artifacts[0]?.parts.map(
      ({ file }) => ({ file: { bytes: file.fileWithBytes, name: file.name } }),
    ) ?? [];
  return {
    async echo(bytes) {
      const content = [{ file: { fileWithBytes: bytes, name: 'a.png' } }];
      const { task } = await call('SendMessage', { request: { messageId: 'm', role: 'ROLE_USER', content } });
      return { id: (task as { id: string }).id, parts: partsOf(task) };
    },
    get: async (id) => partsOf(await call('GetTask', { name: `tasks/${id}` })),
  };
}

/** The file of a task as A2A 1.0 has it. */
async function rawOf(id: string): Promise<string | undefined> {
  const response = await fetch(`${gateway.origin}/tasks/${id}`, { headers: { 'a2a-version': '1.0' } });
  const { artifacts } = (await response.json()) as { artifacts: { parts: Part[] }[] };
  return artifacts[0]?.parts[0]?.raw;
}

/** The `User-Agent` of an SDK's clients. */
function clientIn(sdk: Sdk, binding: 'gRPC' | 'HTTP+JSON'): string {
  const { userAgents } = readRecorded().find((one) => one.sdk === sdk) ?? expect.fail(`${sdk} was not recorded`);
  return userAgents[binding === 'gRPC' ? 'grpc' : 'http'] ?? expect.fail(`no client in ${sdk} over ${binding}`);
}

const bindings = [
  ['HTTP+JSON', restClient],
  ['gRPC', grpcClient],
] as const;

describe.each(bindings)('a client of 0.3 over %s', (binding, open) => {
  const agents = {
    node: clientIn('JavaScript', binding),
    python: clientIn('Python', binding),
    go: clientIn('Go', binding),
    java: clientIn('Java', binding),
    unknown: 'dart/3.9',
  };

  it.each(['python', 'go', 'java'] as const)(
    `a client of 0.3 over ${binding} in %s writes and reads base64 text`,
    async (software) => {
      const client = open(agents[software]);
      const { id, parts } = await client.echo(twice(png));
      expect(await rawOf(id)).toBe(png.toString('base64'));
      expect(parts[0]?.file?.bytes).toEqual(twice(png));
      expect((await client.get(id))[0]?.file?.bytes).toEqual(twice(png));
    },
  );

  it(`a client of 0.3 over ${binding} in JavaScript writes and reads bytes, also those that look like base64`, async () => {
    const client = open(agents.node);
    for (const bytes of [png, Buffer.from('abcd')]) {
      const { id, parts } = await client.echo(bytes);
      expect(await rawOf(id)).toBe(bytes.toString('base64'));
      expect(parts[0]?.file?.bytes).toEqual(bytes);
    }
  });

  it(`a client of 0.3 over ${binding} in Python without the SDK gets files in the encoding in which it sent them`, async () => {
    const { id, parts } = await open(agents.python).echo(png);
    expect(await rawOf(id)).toBe(png.toString('base64'));
    expect(parts[0]?.file?.bytes).toEqual(png);
  });

  it(`a client of 0.3 over ${binding} of unknown software gets files in the encoding of its request, and bytes otherwise`, async () => {
    const client = open(agents.unknown);
    for (const bytes of [png, twice(png)]) {
      const { id, parts } = await client.echo(bytes);
      expect(await rawOf(id)).toBe(png.toString('base64'));
      expect(parts[0]?.file?.bytes).toEqual(bytes);
      expect((await client.get(id))[0]?.file?.bytes).toEqual(png);
    }
  });

  it(`a client of 0.3 over ${binding} reads the files that other clients sent`, async () => {
    const { id } = await open(agents.python).echo(twice(png));
    expect((await open(agents.node).get(id))[0]?.file?.bytes).toEqual(png);
    const { id: other } = await open(agents.node).echo(png);
    expect((await open(agents.go).get(other))[0]?.file?.bytes).toEqual(twice(png));
  });

  it(`a client of 0.3 over ${binding} gets file names if its SDK reads them`, async () => {
    const named = async (userAgent: string) => (await open(userAgent).echo(twice(png))).parts[0]?.file?.name;
    expect(await named(agents.python)).toBe('a.png');
    expect(await named(agents.go)).toBe('a.png');
    // SDKs without this field reject JSON that contains it, and ignore it in binary messages.
    expect(await named(agents.java)).toBe(binding === 'gRPC' ? 'a.png' : undefined);
    expect(await named(agents.unknown)).toBe(binding === 'gRPC' ? 'a.png' : undefined);
  });
});

/** An agent of no known software: it answers in words of its own. */
const stranger: Answer = {
  unknownTask: { code: 5, details: `no ${unknownId}`, status: 404, body: { message: `no ${unknownId}` } },
  base64Bytes: false,
};

interface Peer {
  readonly settings: UpstreamSettings;
  /** The files as they came. */
  readonly received: { bytes: Buffer; name: string | undefined }[];
}

const completed = { id: 't1', contextId: 'c1', status: { state: 'TASK_STATE_COMPLETED' } };

/** An agent over HTTP+JSON that answers with the file that it got. */
async function restAgent({ unknownTask }: Answer): Promise<Peer> {
  const received: Peer['received'] = [];
  const url = await serve(async (req, res) => {
    const body = await bodyOf(req);
    if (req.method === 'GET') {
      const text = JSON.stringify(unknownTask.body).replaceAll(unknownId, String(req.url?.split('/').at(-1)));
      return sendJson(res, JSON.parse(text), unknownTask.status);
    }
    const { content } = JSON.parse(body).message;
    const { fileWithBytes, name } = content[0].file;
    received.push({ bytes: Buffer.from(fileWithBytes, 'base64'), name });
    sendJson(res, { task: { ...completed, artifacts: [{ artifactId: 'a', parts: content }] } });
  });
  return { settings: { url, dialect: 'a2a-0.3', transport: 'rest' }, received };
}

/** The agent over gRPC. */
async function grpcAgent({ unknownTask: { code = 0, details = '' } }: Answer): Promise<Peer> {
  const received: Peer['received'] = [];
  const server = new grpc.Server();
  type Unary = grpc.handleUnaryCall<object, object>;
  const sendMessage: Unary = ({ request }, callback) => {
    const { content } = (request as { request: { content: { file: { fileWithBytes: Buffer; name: string } }[] } })
      .request;
    const file = content[0]?.file;
    if (file) received.push({ bytes: file.fileWithBytes, name: file.name });
    callback(null, { task: { ...completed, artifacts: [{ artifactId: 'a', parts: content }] } });
  };
  const getTask: Unary = ({ request }, callback) => {
    const id = String((request as { name: string }).name).slice('tasks/'.length);
    callback({ code, details: details.replaceAll(unknownId, id) });
  };
  server.addService(service.service, { SendMessage: sendMessage, GetTask: getTask });
  const port = await new Promise<number>((resolve, reject) =>
    server.bindAsync('127.0.0.1:0', grpc.ServerCredentials.createInsecure(), (error, bound) =>
      error ? reject(error) : resolve(bound),
    ),
  );
  afterTest(() => server.forceShutdown());
  return { settings: { url: `http://127.0.0.1:${port}`, dialect: 'a2a-0.3', transport: 'grpc' }, received };
}

/** Sends a file; what comes back, and the losses that the caller gets. */
async function send(peer: Peer, raw: Buffer, quirks?: UpstreamSettings['quirks']) {
  const bridge = await startBridge({ peer: { ...peer.settings, ...(quirks && { quirks }) } });
  const message = { messageId: 'm', role: 'ROLE_USER', parts: [{ raw: raw.toString('base64'), filename: 'a.png' }] };
  const response = await fetch(`${bridge.origin}/peer/message:send`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'a2a-version': '1.0' },
    body: JSON.stringify({ message }),
  });
  const { task } = (await response.json()) as { task: { artifacts: { parts: Part[] }[] } };
  const losses = response.headers.get('a2a-gateway-loss')?.split(/, ?/) ?? [];
  return { part: task.artifacts[0]?.parts[0], losses };
}

const readers: ReadonlySet<string> = new Set(['Go', 'Python']);
const recorded = readRecorded().map((one) => [`${one.sdk} ${one.version}`, one] as const);

describe('an agent of 0.3 made with the SDK', () => {
  const overRest = recorded.flatMap(([name, { sdk, rest }]) => (rest ? [[name, sdk, rest] as const] : []));
  it.each(overRest)(
    'an agent of 0.3 made with the SDK for %s receives and sends files over HTTP+JSON in the encoding of the SDK',
    async (_, sdk, answer) => {
      const peer = await restAgent(answer);
      const { part, losses } = await send(peer, png);
      expect(part?.raw).toBe(png.toString('base64'));
      const name = readers.has(sdk) ? 'a.png' : undefined;
      expect(peer.received).toEqual([{ bytes: answer.base64Bytes ? twice(png) : png, name }]);
      expect(losses).toEqual(name ? [] : ['message.parts.filename']);
    },
  );

  const overGrpc = recorded.flatMap(([name, { grpc: answer }]) => (answer ? [[name, answer] as const] : []));
  it.each(overGrpc)(
    'an agent of 0.3 made with the SDK for %s receives and sends files over gRPC in the encoding of the SDK',
    async (_, answer) => {
      const peer = await grpcAgent(answer);
      const { part, losses } = await send(peer, png);
      expect(part?.raw).toBe(png.toString('base64'));
      expect(peer.received).toEqual([{ bytes: answer.base64Bytes ? twice(png) : png, name: 'a.png' }]);
      expect(losses).toEqual([]);
    },
  );
});

it.each([
  ['HTTP+JSON', restAgent, ['message.parts.filename', 'message.parts.raw']],
  ['gRPC', grpcAgent, ['message.parts.raw']],
] as const)(
  'an agent of unknown software receives bytes over %s, and the caller gets a loss',
  async (_, agent, losses) => {
    const peer = await agent(stranger);
    const answer = await send(peer, png);
    expect(peer.received[0]?.bytes).toEqual(png);
    expect(answer.losses.toSorted()).toEqual(losses);
    // Once it is known what the agent does with bytes, nothing is in doubt.
    expect((await send(peer, png, { base64Bytes: false, laterFields: true })).losses).toEqual([]);
  },
);

it.each([true, false])('the configuration overrides the detected encoding: base64Bytes %s', async (base64Bytes) => {
  const [javascript, python] = ['JavaScript', 'Python'].map((sdk) => recorded.find(([, one]) => one.sdk === sdk)?.[1]);
  for (const peer of [await restAgent(javascript?.rest as Answer), await grpcAgent(python?.grpc as Answer)]) {
    expect((await send(peer, png, { base64Bytes })).part?.raw).toBe(png.toString('base64'));
    expect(peer.received[0]?.bytes).toEqual(base64Bytes ? twice(png) : png);
  }
});
