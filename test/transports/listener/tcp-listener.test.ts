import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { Agent, get as httpGet, type ServerResponse } from 'node:http';
import { connect as http2Connect } from 'node:http2';
import { request as httpsRequest } from 'node:https';
import { connect, createServer, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { setImmediate as immediate } from 'node:timers/promises';
import { connect as tlsConnect } from 'node:tls';
import {
  Client,
  credentials,
  Server,
  ServerCredentials,
  type ServerUnaryCall,
  type sendUnaryData,
} from '@grpc/grpc-js';
import { afterEach, describe, expect, it } from 'vitest';
import { TcpListener, type TcpListenerOptions } from '../../../src/transports/listener/tcp-listener.ts';
import { paced } from '../../support/pace.ts';
import { freePort } from '../../support/peer.ts';
import { Changes } from '../../support/until.ts';
import { raw } from '../http/serving.ts';

const pem = (name: string) => readFileSync(new URL(`../../support/tls/${name}`, import.meta.url));
const ca = pem('ca.pem');
const tls = { cert: pem('server.pem'), key: pem('server.key') };

/** One rpc that answers with its request's bytes. */
function echoServer() {
  const same = (bytes: Buffer) => bytes;
  const server = new Server();
  server.addService(
    {
      echo: {
        path: '/test.Echo/Echo',
        requestStream: false,
        responseStream: false,
        requestSerialize: same,
        requestDeserialize: same,
        responseSerialize: same,
        responseDeserialize: same,
      },
    },
    { echo: (call: ServerUnaryCall<Buffer, Buffer>, answer: sendUnaryData<Buffer>) => answer(null, call.request) },
  );
  const injector = server.createConnectionInjector(ServerCredentials.createInsecure());
  return { inject: (socket: Socket) => injector.injectConnection(socket), close: () => server.forceShutdown() };
}

const echo = (target: string, secure = credentials.createInsecure()) =>
  new Promise<string>((resolve, reject) => {
    const client = new Client(target, secure);
    const same = (bytes: Buffer) => bytes;
    client.makeUnaryRequest('/test.Echo/Echo', same, same, Buffer.from('ping'), (error, answer) => {
      client.close();
      if (error) reject(error);
      else resolve(String(answer));
    });
  });

const grpc = echoServer();
const open: TcpListener[] = [];
afterEach(async () => {
  for (const port of open.splice(0)) await port.close({ drainMs: 0 });
});

async function listen(over: Partial<TcpListenerOptions> = {}): Promise<{ port: number; server: TcpListener }> {
  const server = new TcpListener({
    host: 'localhost',
    port: 0,
    onRequest: (req, res) => res.end(`${req.method} ${req.url}`),
    onHttp2: grpc.inject,
    ...over,
  });
  open.push(server);
  return { port: await server.listen(), server };
}

const get = 'GET /x HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n';

/** Writes byte by byte, each in a packet of its own. */
async function drip(socket: Socket, bytes: Buffer): Promise<void> {
  socket.setNoDelay(true);
  for (const byte of bytes) {
    await new Promise<void>((resolve) => socket.write(Buffer.of(byte), () => setImmediate(resolve)));
  }
}

it('a plain port speaks HTTP/1.1 and gRPC on both loopback addresses', async () => {
  const { port } = await listen();
  for (const host of ['127.0.0.1', '[::1]', 'localhost']) {
    expect(await (await fetch(`http://${host}:${port}/a`)).text()).toBe('GET /a');
    expect(await echo(`${host}:${port}`)).toBe('ping');
  }
});

it('a plain port keeps connections alive between requests', async () => {
  const sockets = new Set<Socket>();
  const { port } = await listen({ onRequest: (req, res) => res.end(String(sockets.add(req.socket).size)) });
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  for (let i = 0; i < 3; i++) {
    const [answer] = await once(httpGet({ port, host: '127.0.0.1', agent }), 'response');
    expect(await text(answer)).toBe('1');
  }
  agent.destroy();
});

it('a plain port distinguishes HTTP/1.1 from HTTP/2 even byte by byte', async () => {
  const { port } = await listen();
  const http1 = connect(port, '127.0.0.1');
  let answer = '';
  http1.on('data', (data) => {
    answer += data;
  });
  await drip(http1, Buffer.from(`PUT${get.slice(3)}`));
  await once(http1, 'close');
  expect(answer).toMatch(/^HTTP\/1.1 200 .*PUT \/x$/s);

  const http2 = connect(port, '127.0.0.1');
  const settings = once(http2, 'data');
  await drip(http2, Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0', 'latin1'));
  const [frame] = (await settings) as [Buffer];
  // The server's own SETTINGS come first.
  expect(frame[3]).toBe(4);
  http2.destroy();
});

it('a plain port takes many requests in one packet, and bodies that come with the headers', async () => {
  const { port } = await listen({
    onRequest: async (req, res) => {
      let body = '';
      for await (const part of req) body += part;
      res.end(body);
    },
  });
  const one = 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\nabc';
  const answer = await raw(port, `${one}${one}${get}`);
  expect(answer.match(/HTTP\/1.1 200/g)).toHaveLength(3);
  expect(answer.match(/abc/g)).toHaveLength(2);
});

it.each([['P'], ['PR'], ['PRI'], ['PRI * HTT'], ['']])(
  'a plain port survives %j and then nothing',
  async (beginning) => {
    const { port } = await listen();
    const socket = connect(port, '127.0.0.1', () => socket.end(beginning));
    await once(socket.resume(), 'close');
    expect(await raw(port, get)).toContain('GET /x');
  },
);

it.each([
  ['garbage', 'hello\r\n\r\n', 400],
  ['binary', '\x16\x03\x01\x02\0\x01\0', 400],
  ['two lengths', 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n', 400],
  ['huge headers', `GET / HTTP/1.1\r\nHost: x\r\nX: ${'y'.repeat(20_000)}\r\n\r\n`, 431],
])('a plain port answers %s with a well-formed error', async (_, said, status) => {
  const { port } = await listen();
  const answer = await raw(port, said);
  expect(answer).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
  expect(JSON.parse(answer.split('\r\n\r\n')[1] ?? '')).toMatchObject({ error: { code: status } });
});

it('a plain port answers a broken preface of HTTP/2 by closing', async () => {
  const { port } = await listen();
  await raw(port, `PRI * HTTP/2.0\r\n\r\nXX\r\n\r\n${'z'.repeat(100)}`);
  expect(await echo(`127.0.0.1:${port}`)).toBe('ping');
});

it('a plain port closes who says nothing, or never finishes its headers', async () => {
  const { port } = await listen({ limits: { firstBytes: 40, headers: 60 } });
  expect(await raw(port, '')).toBe('');
  expect(await raw(port, 'PR')).toBe('');
  expect(await raw(port, 'GET / HTTP/1.1\r\nHost')).toMatch(/^HTTP\/1.1 408 /);
});

it('a plain port serves a client whose first bytes arrive in time and are read late, because the event loop was busy', async () => {
  const firstBytes = paced(400);
  const { port } = await listen({ limits: { firstBytes } });
  const socket = connect(port, '127.0.0.1');
  const answer = text(socket).catch(String);
  await once(socket, 'connect');
  // The listener has accepted the connection in this turn or the next.
  for (let turn = 0; turn < 3; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  socket.end('GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n');
  for (const until = performance.now() + 1.5 * firstBytes; performance.now() < until; );
  expect(await answer).toMatch(/^HTTP\/1.1 200 /);
});

it('a plain port closes HTTP/2 connections when there is no handler for them', async () => {
  const { port } = await listen({ onHttp2: undefined });
  const session = http2Connect(`http://127.0.0.1:${port}`);
  session.on('error', () => {});
  await once(session, 'close');
});

it('a plain port says when it is taken, on either address', async () => {
  const { port } = await listen();
  await expect(listen({ port })).rejects.toThrow(expect.objectContaining({ code: 'EADDRINUSE' }));
  const other = createServer().listen(await freePort(), '::1');
  await once(other, 'listening');
  const taken = (other.address() as { port: number }).port;
  await expect(listen({ port: taken })).rejects.toThrow(expect.objectContaining({ code: 'EADDRINUSE' }));
  // The address that was free is free again.
  const again = createServer().listen(taken, '127.0.0.1');
  await once(again, 'listening');
  again.close();
  other.close();
});

it('a plain port lets what is under way end when it closes, and takes nothing new', async () => {
  let finish = (): void => {};
  const begun = new Promise<void>((started) => {
    void listen({
      onRequest: (_, res) => {
        finish = () => res.end('done');
        started();
      },
    });
  });
  await expect.poll(() => open.length).toBe(1);
  const [server] = open.splice(0) as [TcpListener];
  const port = await server.listen();
  const idle = connect(port, '127.0.0.1');
  await once(idle, 'connect');
  const answer = fetch(`http://127.0.0.1:${port}/`);
  await begun;
  const closed = server.close({ drainMs: 10_000 });
  await once(idle.resume(), 'close');
  await expect(raw(port, get)).rejects.toThrow(/ECONNREFUSED|ECONNRESET/);
  finish();
  expect(await (await answer).text()).toBe('done');
  await closed;
});

it('a plain port serves every connection that was made before it closes', async () => {
  const { port, server } = await listen();
  const sockets = Array.from({ length: 50 }, () => connect(port, '127.0.0.1'));
  await Promise.all(sockets.map((socket) => once(socket, 'connect')));
  server.stopAccepting();
  const answers = await Promise.all(
    sockets.map((socket) => {
      socket.write(get);
      return text(socket);
    }),
  );
  expect(answers.filter((answer) => !answer.startsWith('HTTP/1.1 200'))).toEqual([]);
});

it('a plain port serves every connection that was made before it closes, while clients open others without a pause', async () => {
  const { port, server } = await listen();
  const failures: string[] = [];
  const answered = new Changes();
  let answers = 0;
  /** Makes connections of one request each, until they are refused. */
  const callUntilRefused = async (): Promise<void> => {
    for (;;) {
      const socket = connect(port, '127.0.0.1');
      const isConnected = await once(socket, 'connect').then(
        () => true,
        () => false,
      );
      if (!isConnected) return;
      socket.write(get);
      const answer = await text(socket).catch(String);
      if (!answer.startsWith('HTTP/1.1 200')) failures.push(answer);
      answers += 1;
      answered.happened();
    }
  };
  const load = Promise.all(Array.from({ length: 50 }, callUntilRefused));
  await answered.until(() => answers > 200);
  await server.stopAccepting();
  await load;
  expect(failures).toEqual([]);
});

it('a plain port awaits requests as long as a connection has sent nothing', async () => {
  const { port, server } = await listen();
  expect(server.awaitsRequests()).toBe(false);
  const socket = connect(port, '127.0.0.1');
  // The listener accepts connections in their order.
  await raw(port, get);
  expect(server.awaitsRequests()).toBe(true);
  socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
  await once(socket, 'data');
  expect(server.awaitsRequests()).toBe(false);
  socket.destroy();
});

it('a plain port finds out that a program has its port before it opens it', async () => {
  const taken = createServer().listen(0, '127.0.0.1');
  await once(taken, 'listening');
  const { port } = taken.address() as { port: number };
  const another = (host: string, at: number) => new TcpListener({ host, port: at, onRequest: () => undefined });
  for (const host of ['localhost', '127.0.0.1', '0.0.0.0']) {
    await expect(another(host, port).requireFree()).rejects.toMatchObject({ code: 'EADDRINUSE', port });
  }
  await another('localhost', await freePort()).requireFree();
  await another('localhost', 0).requireFree();
  taken.close();
});

it('a plain port cuts what does not end in time', async () => {
  const { port, server } = await listen({ onRequest: () => {} });
  const answer = raw(port, get);
  const session = http2Connect(`http://127.0.0.1:${port}`);
  session.on('error', () => {});
  await once(session, 'remoteSettings');
  await server.close({ drainMs: 20 });
  expect(await answer.catch(() => '')).toBe('');
  await expect.poll(() => session.closed).toBe(true);
});

describe('a port with TLS', () => {
  const offering = (port: number, ALPNProtocols?: string[], more = {}) =>
    new Promise<string | false | null>((resolve, reject) => {
      const socket = tlsConnect(
        { port, host: 'localhost', ca, ...(ALPNProtocols && { ALPNProtocols }), ...more },
        () => {
          resolve(socket.alpnProtocol);
          socket.destroy();
        },
      );
      socket.on('error', reject);
    });

  it('a port with TLS gives HTTP/2 to clients that offer it, and HTTP/1.1 to those that offer that alone', async () => {
    const { port } = await listen({ tls });
    expect(await offering(port, ['http/1.1', 'h2'])).toBe('h2');
    expect(await offering(port, ['http/1.1'])).toBe('http/1.1');
    expect(await offering(port, ['h2'])).toBe('h2');
    expect(await offering(port)).toBe(false);
    await expect(offering(port, ['spdy/3'])).rejects.toThrow();
  });

  it('a port with TLS serves fetch, gRPC, and clients without ALPN of either kind', async () => {
    const { port } = await listen({ tls, onRequest: (req, res) => res.end(String('encrypted' in req.socket)) });
    const both = { port, host: 'localhost', ca, agent: false, ALPNProtocols: ['http/1.1'] };
    const [response] = await once(httpsRequest(both).end(), 'response');
    expect(await text(response)).toBe('true');
    expect(await echo(`localhost:${port}`, credentials.createSsl(ca))).toBe('ping');
    const plain = tlsConnect({ port, host: 'localhost', ca }, () => plain.write(get));
    const [answer] = (await once(plain, 'data')) as [Buffer];
    expect(answer.toString()).toMatch(/^HTTP\/1.1 200/);
    plain.destroy();
    const socket = tlsConnect({ port, host: 'localhost', ca });
    const session = http2Connect(`https://localhost:${port}`, { createConnection: () => socket });
    await once(session, 'remoteSettings');
    session.destroy();
  });

  it('a port with TLS awaits requests during a handshake, and until the first byte after it', async () => {
    const { port, server } = await listen({ tls });
    expect(server.awaitsRequests()).toBe(false);
    const secure = tlsConnect({ port, host: 'localhost', ca, ALPNProtocols: ['http/1.1'] });
    const ended = once(secure, 'session');
    await once(secure, 'secureConnect');
    // The last message of the handshake is on its way to the listener.
    expect(server.awaitsRequests()).toBe(true);
    // The listener sends a session when it has received this message.
    await ended;
    expect(server.awaitsRequests()).toBe(true);
    await immediate();
    secure.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
    await once(secure, 'data');
    expect(server.awaitsRequests()).toBe(false);
    secure.destroy();
  });

  it('a port with TLS awaits nothing of a connection that ended during its handshake', async () => {
    const { port, server } = await listen({ tls });
    const socket = connect(port, 'localhost');
    while (!server.awaitsRequests()) await immediate();
    socket.resetAndDestroy();
    while (server.awaitsRequests()) await immediate();
    expect(await offering(port)).toBe(false);
  });

  it('a port with TLS cuts connections that have sent nothing when it closes, and serves the others', async () => {
    const requested = Promise.withResolvers<ServerResponse>();
    const { port, server } = await listen({ tls, onRequest: (_, res) => requested.resolve(res) });
    const shaken = async (more: { readonly ALPNProtocols?: string[] }) => {
      const socket = tlsConnect({ port, host: 'localhost', ca, ...more });
      // The listener sends a session when it has received the last message of the handshake.
      await once(socket, 'session');
      return socket;
    };
    const plain = connect(port, 'localhost');
    const stuck = connect(port, 'localhost', () => stuck.write('\x16\x03\x01\x02\0'));
    const secure = [{}, { ALPNProtocols: ['http/1.1'] }, { ALPNProtocols: ['h2'] }].map(shaken);
    const sockets = [plain, stuck, ...(await Promise.all(secure))];
    // A connection that is cut before its bytes are read is reset.
    const silent = sockets.map((socket) => once(socket.resume(), 'close').catch(() => {}));
    const called = httpsRequest({ port, host: 'localhost', ca, agent: false }).end();
    const answer = once(called, 'response');
    const session = http2Connect(`https://localhost:${port}`, { ca });
    await Promise.all([requested.promise, once(session, 'remoteSettings')]);
    const closed = server.close({ drainMs: 60_000 });
    await Promise.all(silent);
    await new Promise((resolve) => session.ping(resolve));
    (await requested.promise).end('served');
    const [response] = await answer;
    expect(await text(response)).toBe('served');
    expect(session.destroyed).toBe(false);
    session.close();
    await closed;
  });

  it('a port with TLS survives who speaks no TLS, or stops in the middle of it', async () => {
    const { port } = await listen({ tls, limits: { firstBytes: 100 } });
    await raw(port, get).catch(() => '');
    expect(await raw(port, '\x16\x03\x01')).toBe('');
    const socket = connect(port, '127.0.0.1', () => {
      socket.write('\x16\x03\x01\x02\0');
      socket.resetAndDestroy();
    });
    await once(socket, 'close');
    // A handshake may take longer than the limit on a busy machine.
    await expect.poll(() => offering(port, ['h2'])).toBe('h2');
  });

  it('a port with TLS serves a request whose body comes while a large answer is not read', async () => {
    let received = 0;
    const { port } = await listen({
      tls,
      onRequest: (req, res) => {
        req.on('data', (chunk: Buffer) => (received += chunk.length)).on('end', () => res.end('x'.repeat(8 << 20)));
      },
    });
    const socket = tlsConnect({ port, host: 'localhost', ca });
    socket.pause();
    await once(socket, 'secureConnect');
    // Several records of TLS.
    const body = 'y'.repeat(60_000);
    const head = (more: string) =>
      `POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${body.length}\r\n${more}\r\n`;
    socket.write(head('') + body);
    await expect.poll(() => received).toBe(body.length);
    socket.write(head('Connection: close\r\n') + body);
    // The gateway has received the request, and cannot have written the answer.
    await new Promise((resolve) => setTimeout(resolve, 50));
    const size = Buffer.byteLength(await text(socket));
    expect(received).toBe(2 * body.length);
    expect(size).toBeGreaterThan(16 << 20);
  });

  it('a port with TLS refuses a certificate that cannot be read before it listens', () => {
    expect(
      () => new TcpListener({ host: 'localhost', port: 0, onRequest: () => {}, tls: { cert: 'x', key: 'y' } }),
    ).toThrow();
  });
});
