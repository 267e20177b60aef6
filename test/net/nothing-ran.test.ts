import { createServer as createHttp2Server, type OutgoingHttpHeaders, type ServerHttp2Stream } from 'node:http2';
import { describe, expect, it } from 'vitest';
import { type Binding, bindings } from '../../src/client/bindings.ts';
import { callContext } from '../../src/client/caller.ts';
import { allDialects } from '../../src/client/dialects.ts';
import { isStream } from '../../src/core/model/call.ts';
import { A2AError } from '../../src/core/model/errors.ts';
import { encodeDetail, encodeStatus } from '../../src/dialects/kernel/rpc-status.ts';
import { createHttpClient } from '../../src/net/http-client.ts';
import { type NothingRan, proofOf, proofs } from '../../src/net/nothing-ran.ts';
import { flag, frame, frameType, settings, uint32 } from '../support/http2-frames.ts';
import { afterTest, closedPortUrl, listenOn, serve, serveTcp } from '../support/peer.ts';

/** Tests of the answers that prove that a message has not run, over each binding. */

type Name = Binding['name'];
type Operation = 'SendMessage' | 'SendStreamingMessage';

/** Proof, in the failure of a message, that the server has run nothing; of a stream, after it was read. */
async function proofAt(url: string, name: Name, operation: Operation = 'SendMessage') {
  const dialect = allDialects().find((one) => one.name === 'a2a-1.0') ?? expect.fail();
  const binding = bindings.find((one) => one.name === name) ?? expect.fail();
  const http = createHttpClient();
  const client = await binding.open({ url, dialect, http, headers: () => ({}), timeout: 3_000, strict: false });
  afterTest(async () => {
    await client.close();
    http.close();
  });
  const message = { messageId: 'm', role: 'ROLE_USER' as const, parts: [{ text: 'book' }] };
  try {
    const context = callContext('', '', {});
    const reply = await client.invoke({ operation, request: { message }, context });
    if (isStream(reply)) for await (const _ of reply.events) void _;
  } catch (thrown) {
    expect(thrown).toBeInstanceOf(A2AError);
    return proofOf(thrown);
  }
  return expect.fail('it succeeded');
}

const details = [{ '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason: 'X', domain: 'a2a-protocol.org' }];
const rpc = (code: number) => ({ jsonrpc: '2.0', id: '1', error: { code, message: 'no' } });

/** An answer over HTTP: its status, its body, and what it proves. */
type HttpRow = readonly [status: number, body: object | string, proof: NothingRan | undefined];

const httpRows: Readonly<Partial<Record<Name, readonly HttpRow[]>>> = {
  jsonrpc: [
    [200, rpc(-32601), 'absent'],
    [404, rpc(-32601), 'absent'],
    [404, 'Not Found', 'absent'],
    [405, 'Method Not Allowed', 'absent'],
    [404, { detail: 'Not Found' }, 'absent'],
    [404, { status: 404, error: 'Not Found', path: '/' }, 'absent'],
    [404, { error: { code: 404, message: 'Requested entity was not found.', status: 'NOT_FOUND' } }, 'absent'],
    [404, { error: { code: 404, message: 'x', details } }, undefined],
    [404, rpc(-32001), undefined],
    [404, rpc(-32603), undefined],
    [200, rpc(-32600), undefined],
    [200, rpc(-32602), undefined],
    [200, rpc(-32004), undefined],
    [200, rpc(-32009), undefined],
    [400, 'Bad Request', undefined],
    [401, 'Unauthorized', undefined],
    [403, 'Forbidden', undefined],
    [408, 'Request Timeout', undefined],
    [410, 'Gone', undefined],
    [429, 'Too Many Requests', undefined],
    [500, 'Internal Server Error', undefined],
    [501, 'Not Implemented', undefined],
    [502, 'Bad Gateway', undefined],
    [503, 'Service Unavailable', undefined],
    [504, 'Gateway Timeout', undefined],
    [200, '<html>', undefined],
  ],
  rest: [
    [404, 'Not Found', 'absent'],
    [405, '', 'absent'],
    [404, { detail: 'Not Found' }, 'absent'],
    [404, { message: 'Route POST:/message:send not found', error: 'Not Found', statusCode: 404 }, 'absent'],
    [404, { type: 'about:blank', title: 'Not Found', status: 404 }, 'absent'],
    [404, { error: { code: 404, status: 'NOT_FOUND', message: 'no task', details } }, undefined],
    [404, { error: { code: 404, status: 'NOT_FOUND', message: 'no task' } }, undefined],
    [404, { code: -32001, message: 'no task' }, undefined],
    [404, { code: 5, message: 'no task', details: [] }, undefined],
    [404, { type: 'https://a2a-protocol.org/errors/task-not-found', title: 'no task', status: 404 }, undefined],
    [400, { error: { code: 400, status: 'FAILED_PRECONDITION', message: 'x', details } }, undefined],
    [401, '', undefined],
    [429, '', undefined],
    [501, '', undefined],
    [503, '', undefined],
  ],
  connect: [
    [404, '404 page not found', 'absent'],
    [405, '', 'absent'],
    [404, { code: 'unimplemented', message: 'no such service' }, 'absent'],
    [404, { code: 'not_found', message: 'no task' }, undefined],
    [501, { code: 'unimplemented', message: 'x' }, undefined],
    [400, { code: 'failed_precondition', message: 'x' }, undefined],
    [429, { code: 'resource_exhausted', message: 'x' }, undefined],
    [503, { code: 'unavailable', message: 'x' }, undefined],
  ],
};

describe.each(['SendMessage', 'SendStreamingMessage'] as const)('an answer to %s', (operation) => {
  const rows = Object.entries(httpRows).flatMap(([name, list]) => list.map((row) => [name as Name, ...row] as const));

  it.each(rows)(
    `an answer to ${operation} over %s with HTTP %i and %j proves: %s`,
    async (name, status, body, proof) => {
      const text = typeof body === 'string' ? body : JSON.stringify(body);
      const type = typeof body === 'string' ? 'text/plain' : 'application/json';
      const url = await serve((req, res) => {
        req.resume();
        res.writeHead(status, { 'content-type': type }).end(text);
      });
      expect(await proofAt(url, name, operation)).toBe(proof);
    },
  );

  it.each(['jsonrpc', 'rest', 'connect'] as const)(
    `an answer to ${operation} over %s proves nothing where the connection closes without one`,
    async (name) => {
      const url = await serve((req) => void req.on('data', () => req.socket.destroy()));
      expect(await proofAt(url, name, operation)).toBeUndefined();
    },
  );

  it.each(['jsonrpc', 'rest', 'connect', 'grpc'] as const)(
    `an answer to ${operation} over %s is not needed where nothing listens`,
    async (name) => {
      expect(await proofAt(await closedPortUrl(), name, operation)).toBe('unsent');
      expect(await proofAt('http://nowhere.invalid', name, operation)).toBe('unsent');
      const plain = await serveTcp((socket) => socket.destroy());
      expect(await proofAt(plain.replace('http://127.0.0.1', 'https://localhost'), name, operation)).toBe('unsent');
    },
  );
});

describe('a JSON-RPC error in an event stream', () => {
  const event = (value: object): string => `data: ${JSON.stringify(value)}\n\n`;
  const task = { id: 't', contextId: 'c', status: { state: 'TASK_STATE_WORKING' } };
  const first = event({ jsonrpc: '2.0', id: '1', result: { task } });

  it.each([
    ['-32601 at once', event(rpc(-32601)), 'absent'],
    ['-32601 after an event', first + event(rpc(-32601)), undefined],
    ['-32004 at once', event(rpc(-32004)), undefined],
  ] as const)('a JSON-RPC error %s in an event stream proves: %j', async (_, body, proof) => {
    const url = await serve((req, res) => {
      req.resume();
      res.writeHead(200, { 'content-type': 'text/event-stream' }).end(body);
    });
    expect(await proofAt(url, 'jsonrpc', 'SendStreamingMessage')).toBe(proof);
  });
});

describe('an answer over gRPC', () => {
  async function serveGrpc(answer: (stream: ServerHttp2Stream) => void): Promise<string> {
    const server = createHttp2Server();
    server.on('stream', (stream) => {
      stream.on('error', () => {});
      stream.resume();
      answer(stream);
    });
    return (await listenOn(server)).origin;
  }

  const head = { ':status': 200, 'content-type': 'application/grpc' };
  const info = { reason: 'UNSUPPORTED_OPERATION', domain: 'a2a-protocol.org' };
  const typeUrl = 'type.googleapis.com/google.rpc.ErrorInfo';
  const packed = [{ typeUrl, value: encodeDetail(typeUrl, info) ?? expect.fail() }];
  const status = (code: number): OutgoingHttpHeaders => ({
    'grpc-status-details-bin': Buffer.from(encodeStatus({ code, message: 'x', details: packed })).toString('base64'),
  });

  const trailersOnly =
    (code: number, more: OutgoingHttpHeaders = {}) =>
    (stream: ServerHttp2Stream): void =>
      stream.respond({ ...head, 'grpc-status': String(code), ...more }, { endStream: true });
  const afterHeaders =
    (code: number) =>
    (stream: ServerHttp2Stream): void => {
      stream.respond(head, { waitForTrailers: true });
      stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': String(code) }));
      stream.end();
    };

  it.each([
    ['Trailers-Only UNIMPLEMENTED', trailersOnly(12), 'absent'],
    ['Trailers-Only UNIMPLEMENTED with an error of A2A', trailersOnly(12, status(12)), undefined],
    [
      'Trailers-Only UNIMPLEMENTED with the name of an error of A2A',
      trailersOnly(12, { 'grpc-message': 'UnsupportedOperationError: no' }),
      undefined,
    ],
    ['Trailers-Only FAILED_PRECONDITION', trailersOnly(9), undefined],
    ['Trailers-Only NOT_FOUND', trailersOnly(5), undefined],
    ['Trailers-Only UNAVAILABLE', trailersOnly(14), undefined],
    ['Trailers-Only RESOURCE_EXHAUSTED', trailersOnly(8), undefined],
    ['UNIMPLEMENTED after headers', afterHeaders(12), undefined],
    ['HTTP 404', (stream: ServerHttp2Stream) => stream.respond({ ':status': 404 }, { endStream: true }), 'absent'],
    ['HTTP 503', (stream: ServerHttp2Stream) => stream.respond({ ':status': 503 }, { endStream: true }), undefined],
    ['REFUSED_STREAM', (stream: ServerHttp2Stream) => stream.close(7), 'unsent'],
    ['INTERNAL_ERROR', (stream: ServerHttp2Stream) => stream.close(2), undefined],
    ['CANCEL', (stream: ServerHttp2Stream) => stream.close(8), undefined],
    ['the end of the connection', (stream: ServerHttp2Stream) => stream.session?.destroy(), undefined],
  ] as const)('%s over gRPC proves: %s', async (_, answer, proof) => {
    const url = await serveGrpc(answer);
    for (const operation of ['SendMessage', 'SendStreamingMessage'] as const) {
      expect(await proofAt(url, 'grpc', operation)).toBe(proof);
    }
  });

  it.each([
    ['below the stream', 0, 0, 'unsent'],
    ['below the stream, with an error', 0, 2, 'unsent'],
    ['at the stream', 1, 0, undefined],
    ['at the stream, with an error', 1, 2, undefined],
  ] as const)('GOAWAY whose last stream is %s proves: %s', async (_, last, code, proof) => {
    const url = await serveTcp((socket) => {
      socket.write(settings());
      socket.on('data', (data) => {
        if (!hasHeaders(data)) return;
        socket.write(frame(frameType.settings, flag.ack));
        socket.end(frame(frameType.goaway, 0, 0, Buffer.concat([uint32(last), uint32(code)])));
      });
    });
    expect(await proofAt(url, 'grpc')).toBe(proof);
  });
});

/** Whether frames that a client sent, after its preface perhaps, have headers of a request. */
function hasHeaders(data: Buffer): boolean {
  let at = data.subarray(0, 3).toString() === 'PRI' ? 24 : 0;
  while (at + 9 <= data.length) {
    if (data[at + 3] === frameType.headers) return true;
    at += 9 + data.readUIntBE(at, 3);
  }
  return false;
}

it('every proof names the specification that it follows', () => {
  for (const { source } of proofs) expect(source).toMatch(/RFC \d+|JSON-RPC 2\.0|gRPC|tables/);
});
