import type { IncomingMessage } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import express, { type RequestHandler } from 'express';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hashOf, shownHash } from '../../src/auth/hash.ts';
import { parseConfig } from '../../src/config/parse.ts';
import { api } from '../../src/core/model/a2a.ts';
import { createGateway, type Gateway } from '../../src/gateway/compose/gateway.ts';
import { encode } from '../../src/wire/protobuf.ts';
import { silent } from '../support/core.ts';
import { serve } from '../support/peer.ts';

/** Every binding that reads a body, mounted in an app whose middleware has read the body before. */

interface Sent {
  readonly path: string;
  readonly type: string;
  readonly body: string | Uint8Array;
  readonly headers?: Readonly<Record<string, string>>;
  /** In the answer. */
  readonly answered: string;
  /** Whether the body is no text, and lost where it is taken for one. */
  readonly binary?: true;
}

const request = { message: { messageId: 'm1', role: 'ROLE_USER', parts: [{ text: 'say good day' }] } };
const json = JSON.stringify(request);
const proto = encode(api, 'lf.a2a.v1.SendMessageRequest', request);

function enveloped(message: Uint8Array): Buffer {
  const head = Buffer.alloc(5);
  head.writeUInt32BE(message.length, 1);
  return Buffer.concat([head, message]);
}

const connect = '/lf.a2a.v1.A2AService/SendMessage';
const streaming = '/lf.a2a.v1.A2AService/SendStreamingMessage';
const answered = 'good day';

const requests: Readonly<Record<string, Sent>> = {
  'JSON-RPC': {
    path: '/',
    type: 'application/json',
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'SendMessage', params: request }),
    answered,
  },
  'HTTP+JSON': { path: '/message:send', type: 'application/json', body: json, answered },
  'HTTP+JSON with its own media type': { path: '/message:send', type: 'application/a2a+json', body: json, answered },
  'HTTP+JSON without a body': {
    path: '/tasks/nothing:cancel',
    type: 'application/json',
    body: '',
    answered: 'TASK_NOT_FOUND',
  },
  'Connect, JSON': { path: connect, type: 'application/json', body: json, answered },
  'Connect, JSON, compressed': {
    path: connect,
    type: 'application/json',
    body: gzipSync(json),
    headers: { 'content-encoding': 'gzip' },
    answered,
  },
  'Connect, protobuf': { path: connect, type: 'application/proto', body: proto, answered, binary: true },
  'Connect, a stream': {
    path: streaming,
    type: 'application/connect+json',
    body: enveloped(Buffer.from(json)),
    answered,
  },
  'gRPC-Web': { path: connect, type: 'application/grpc-web+proto', body: enveloped(proto), answered, binary: true },
  'gRPC-Web, text': {
    path: connect,
    type: 'application/grpc-web-text+proto',
    body: enveloped(proto).toString('base64'),
    answered: '',
  },
  MCP: {
    path: '/mcp',
    type: 'application/json',
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'demo__echo', arguments: { message: 'say good day' } },
    }),
    headers: { accept: 'application/json, text/event-stream', 'mcp-protocol-version': '2025-06-18' },
    answered,
  },
  OAuth: {
    path: '/oauth/token',
    type: 'application/x-www-form-urlencoded',
    body: 'grant_type=client_credentials&client_id=bob&client_secret=secret',
    answered: 'access_token',
  },
};

const any = () => true;

/** Reads the body, and keeps it elsewhere. */
const keeping =
  (keep: (req: IncomingMessage & { body?: unknown; rawBody?: unknown }, bytes: Buffer) => void): RequestHandler =>
  (req, _, next) => {
    void buffer(req).then((bytes) => {
      keep(req, bytes);
      next();
    });
  };

const parsers: Readonly<Record<string, readonly RequestHandler[]>> = {
  'no parser': [],
  'express.json()': [express.json()],
  'express.json() and express.urlencoded()': [express.json(), express.urlencoded({ extended: true })],
  'express.raw()': [express.raw({ type: any })],
  'express.text()': [express.text({ type: any })],
};

let gateway: Gateway;

async function mount(handlers: readonly RequestHandler[]): Promise<string> {
  const app = express();
  for (const handler of handlers) app.use(handler);
  app.use(gateway.middleware);
  return serve(app);
}

const post = (url: string, { path, type, body, headers }: Sent): Promise<Response> =>
  fetch(url + path, {
    method: 'POST',
    headers: { 'content-type': type, 'a2a-version': '1.0', ...headers },
    body: body as string,
  });

beforeAll(async () => {
  const secret = shownHash(hashOf('secret'));
  const config = parseConfig(
    `
store: "memory:"
defaultAgent: demo
agents: { demo: { kind: reference } }
auth:
  anonymous: true
  tokenEndpoint: { clients: [{ id: bob, hash: "${secret}" }] }
`,
    { file: 'gateway.yaml' },
  );
  gateway = createGateway(config, { logger: silent });
  await gateway.start();
});
afterAll(() => gateway.close({ drainMs: 0 }));

describe.each(Object.entries(parsers))('a gateway mounted behind %s', (parser, handlers) => {
  let url = '';
  beforeAll(async () => {
    url = await mount(handlers);
  });

  it.each(Object.entries(requests))(`a gateway mounted behind ${parser} serves %s`, async (_, sent) => {
    const response = await post(url, sent);
    const text = await response.text();
    // Bytes that were taken for text are not what they were, and are answered with an error.
    if (parser === 'express.text()' && sent.binary) expect(response.headers.has('x-request-id')).toBe(true);
    else expect(text).toContain(sent.answered);
  });
});

describe.each(Object.entries(requests).filter(([, { body }]) => body.length > 0))('%s', (name, sent) => {
  it(`${name} is served from \`rawBody\` where \`body\` is something else`, async () => {
    const url = await mount([
      keeping((req, bytes) => {
        const encoding = req.headers['content-encoding'];
        delete req.headers['content-encoding'];
        req.rawBody = encoding === undefined ? bytes : Buffer.from(json);
        req.body = { something: 'else' };
      }),
    ]);
    expect(await (await post(url, sent)).text()).toContain(sent.answered);
  });

  it(`${name} is refused with an explanation for the developer when a middleware discarded the body`, async () => {
    const url = await mount([keeping(() => undefined)]);
    const response = await post(url, sent);
    const errorText = `${decodeURIComponent(response.headers.get('grpc-message') ?? '')}${await response.text()}`;
    expect(errorText).toContain('mount the gateway before that middleware');
  });
});
