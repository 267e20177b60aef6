import { readFileSync } from 'node:fs';
import { createServer as createHttp2Server, type ServerHttp2Stream } from 'node:http2';
import { createServer as createTlsServer } from 'node:https';
import { setImmediate } from 'node:timers/promises';
import { inspect } from 'node:util';
import { expect, it } from 'vitest';
import type { Call } from '../../src/core/model/call.ts';
import { A2AError } from '../../src/core/model/errors.ts';
import { createDialects } from '../../src/dialects/registry.ts';
import { createHttpClient } from '../../src/net/http-client.ts';
import type { HttpRequest } from '../../src/net/http-exchange.ts';
import { isNetworkFailure, neverArrived, transient } from '../../src/net/network-errors.ts';
import { createGrpcClient } from '../../src/transports/grpc/client.ts';
import { afterTest, closedPortUrl, listenOn, serve, serveTcp } from '../support/peer.ts';

const pem = (name: string) => readFileSync(new URL(`../support/tls/${name}`, import.meta.url));

/** The failure of a POST over HTTP. */
async function post(url: string, more: Partial<HttpRequest> = {}): Promise<unknown> {
  const http = createHttpClient({ connectTimeout: 100 });
  afterTest(() => http.close());
  const request = { method: 'POST', url: new URL(url), headers: {}, body: '{}', timeout: 3_000, ...more };
  return http
    .request({ signal: new AbortController().signal, ...request })
    .then((answer) => answer.read(1_000))
    .catch((error: unknown) => error);
}

/** The failure of a call over gRPC. */
async function call(url: string, timeout = 3_000, connectTimeout = 10_000): Promise<unknown> {
  const dialect = createDialects().byName.get('a2a-1.0');
  if (dialect === undefined) throw new TypeError('no a2a-1.0');
  const client = createGrpcClient({ url, dialect, connectTimeout, timeout });
  afterTest(() => client.close());
  const context = {
    requestId: 'r',
    signal: new AbortController().signal,
    extensions: [],
    hops: 0,
    notes: { extensions: new Set(), losses: new Set() },
  };
  const request = { operation: 'GetTask', request: { id: 'x' }, context } as unknown as Call;
  return client.invoke(request).catch((error: unknown) => error);
}

async function serveHttp2(onStream: (stream: ServerHttp2Stream) => void): Promise<string> {
  const server = createHttp2Server();
  server.on('stream', (stream) => {
    stream.on('error', () => {});
    onStream(stream);
  });
  return (await listenOn(server)).origin;
}

const secure = (url: string): string => url.replace('http://127.0.0.1', 'https://localhost');

it('a request that cannot have arrived is recognized over HTTP: closed port, unknown host, no TLS, unknown certificate, timeout', async () => {
  const hangsUp = await serveTcp((socket) => socket.destroy());
  const garbage = await serveTcp((socket) => socket.end('SSH-2.0-OpenSSH_9.6\r\n'));
  const silent = await serveTcp(() => {});
  const tls = createTlsServer({ cert: pem('server.pem'), key: pem('server.key') });
  const { port } = await listenOn(tls);
  const errors = await Promise.all([
    post(await closedPortUrl()),
    post('http://nowhere.invalid'),
    post(secure(garbage)),
    post(secure(hangsUp)),
    post(secure(silent)),
    post(`https://127.0.0.1:${port}`),
  ]);
  expect(errors.map(neverArrived)).toEqual(errors.map(() => true));
  expect(errors.map(transient)).toEqual(errors.map(() => true));
});

it('a request that cannot have arrived is known over gRPC', async () => {
  const hangsUp = await serveTcp((socket) => socket.destroy());
  const silent = await serveTcp(() => {});
  const errors = await Promise.all([
    call(await closedPortUrl()),
    call('http://nowhere.invalid'),
    call(hangsUp),
    call(secure(hangsUp)),
    call(silent, 3_000, 200),
    call(secure(silent), 3_000, 200),
  ]);
  expect(errors.map((error) => (error as A2AError).kind)).toEqual(errors.map(() => 'upstreamUnreachable'));
  expect(errors.map(neverArrived)).toEqual(errors.map(() => true));
});

it('a request that may have arrived is known over HTTP: hung up on, never answered, answered in part or with nonsense', async () => {
  const hangsUp = await serveTcp((socket) => socket.once('data', () => socket.resetAndDestroy()));
  const silent = await serve(() => {});
  const half = await serveTcp((socket) =>
    socket.once('data', () => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nhalf')),
  );
  const garbage = await serveTcp((socket) => socket.end('SSH-2.0-OpenSSH_9.6\r\n'));
  const errors = await Promise.all([post(hangsUp), post(silent, { timeout: 200 }), post(half), post(garbage)]);
  expect(errors.map(neverArrived)).toEqual(errors.map(() => false));
  expect(errors.map(transient)).toEqual([true, true, true, false]);
  expect(errors.map(isNetworkFailure)).toEqual([true, true, true, false]);
});

it('a request that may have arrived is known over a connection that was there already', async () => {
  const url = await serveTcp((socket) => {
    let requests = 0;
    socket.on('data', () => {
      if (++requests === 1) socket.write('HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n');
      else socket.resetAndDestroy();
    });
  });
  const http = createHttpClient();
  afterTest(() => http.close());
  const send = () =>
    http.request({
      method: 'POST',
      url: new URL(url),
      headers: {},
      signal: new AbortController().signal,
      timeout: 3_000,
    });
  await (await send()).read(10);
  // A connection is taken up again from the next turn of the loop on.
  await setImmediate();
  const error = await send().catch((thrown: unknown) => thrown);
  expect([(error as A2AError).kind, neverArrived(error)]).toEqual(['upstreamUnreachable', false]);
});

it('a request that may have arrived is known over gRPC, also where an agent says of another what is said of agents', async () => {
  const told = await serveHttp2((stream) =>
    stream.respond(
      {
        ':status': 200,
        'content-type': 'application/grpc',
        'grpc-status': '14',
        'grpc-message': 'No connection established',
      },
      { endStream: true },
    ),
  );
  const silent = await serveHttp2(() => {});
  const resets = await serveHttp2((stream) => stream.close(2));
  const errors = await Promise.all([call(told), call(silent, 400), call(resets)]);
  expect(errors.map(neverArrived)).toEqual([false, false, false]);
});

it('an error of the network is of another kind when the agent said it', () => {
  expect(neverArrived(new A2AError('upstreamUnreachable'))).toBe(false);
  expect(neverArrived(new Error('x'))).toBe(false);
  const kinds = ['unavailable', 'tooManyRequests', 'upstreamTimeout', 'taskNotFound', 'internal'] as const;
  expect(kinds.map((kind) => transient(new A2AError(kind)))).toEqual([true, true, true, false, false]);
  expect(kinds.map((kind) => isNetworkFailure(new A2AError(kind)))).toEqual([false, false, true, false, false]);
  expect([transient(undefined), isNetworkFailure('x')]).toEqual([false, false]);
});

it('an error of the network keeps no bytes of an answer that is no HTTP', async () => {
  const url = await serveTcp((socket) => socket.end('your key is hunter2\r\n'));
  const error = await post(url);
  expect(error).toMatchObject({
    kind: 'invalidAgentResponse',
    cause: { message: expect.stringContaining('HTTPParserError') },
  });
  expect(inspect(error, { depth: 9 })).not.toMatch(/hunter2|68 75 6e 74/);
});
