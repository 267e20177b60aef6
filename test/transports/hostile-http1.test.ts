import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { afterEach, describe, expect, it } from 'vitest';
import { api } from '../../src/core/model/a2a.ts';
import { encode } from '../../src/wire/protobuf.ts';
import { startGateway } from '../support/gateway.ts';
import { grpcError, RawGrpc, RawHttp, restError, rpcError } from '../support/raw.ts';
import { ask, frame, session } from './grpc/raw.ts';
import { raw } from './http/serving.ts';

/** HTTP/1.1 as no library writes it. Whatever it is, honest clients are served meanwhile and afterwards. */

/** One that gives up soon. */
const sockets: Socket[] = [];
const gateway = await startGateway({ settings: 'limits: { body: 1MiB }' });
const hasty = await startGateway({ settings: 'limits: { requestTimeout: 300ms, slowReader: 100ms, headers: 2KiB }' });
const http = new RawHttp(gateway.port);
const grpc = new RawGrpc(gateway.target);
afterEach(async () => {
  expect(restError(await http.send(post('hello')))).toBeUndefined();
  for (const socket of sockets.splice(0)) socket.destroy();
});

const v1 = { 'content-type': 'application/json', 'a2a-version': '1.0' };
const service = '/lf.a2a.v1.A2AService';
const message = (text: string): object => ({ message: { messageId: 'm', role: 'ROLE_USER', parts: [{ text }] } });
const post = (text: string) => ({ path: '/message:send', headers: v1, body: JSON.stringify(message(`say ${text}`)) });

/** Opens a connection, says something, and reads until it is closed or `quiet` milliseconds pass without a byte. */
async function say(text: string, { port } = gateway, quiet = 150): Promise<string> {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true });
  sockets.push(socket);
  const done = Promise.withResolvers<void>();
  let answer = '';
  let timer: NodeJS.Timeout | undefined;
  socket.on('data', (data) => {
    answer += data.toString('latin1');
    clearTimeout(timer);
    timer = setTimeout(() => done.resolve(), quiet);
  });
  socket.on('error', () => {}).on('close', () => done.resolve());
  socket.write(text, 'latin1');
  await done.promise;
  clearTimeout(timer);
  socket.destroy();
  return answer;
}

const statuses = (answer: string): number[] =>
  [...answer.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status));

/** A request that leaves a trace when it is taken for one: a task. */
const smuggledBody = JSON.stringify(message('smuggled'));
const smuggled = [
  'POST /message:send HTTP/1.1',
  'Host: localhost',
  'Content-Type: application/json',
  'A2A-Version: 1.0',
  `Content-Length: ${smuggledBody.length}`,
  '',
  smuggledBody,
].join('\r\n');
const head = 'POST /message:send HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n';

const tasks = async (): Promise<number> => {
  const answer = await http.send({ method: 'GET', path: '/tasks', headers: v1 });
  return JSON.parse(answer.body.toString()).totalSize;
};

describe('what two servers could read in two ways', () => {
  const ended = `0\r\n\r\n${smuggled}`;
  it.each([
    ['a length and chunks', `${head}Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n${ended}`],
    ['chunks and a length', `${head}Transfer-Encoding: chunked\r\nContent-Length: 4\r\n\r\n${ended}`],
    ['two lengths', `${head}Content-Length: 0\r\nContent-Length: ${smuggled.length}\r\n\r\n${smuggled}`],
    ['the same length twice', `${head}Content-Length: 0\r\nContent-Length: 0\r\n\r\n${smuggled}`],
    ['a list of lengths', `${head}Content-Length: 0, 0\r\n\r\n${smuggled}`],
    ['a length with a sign', `${head}Content-Length: +0\r\n\r\n${smuggled}`],
    ['a negative length', `${head}Content-Length: -1\r\n\r\n${smuggled}`],
    ['a length in hexadecimal', `${head}Content-Length: 0x0\r\n\r\n${smuggled}`],
    ['a length with an exponent', `${head}Content-Length: 0e1\r\n\r\n${smuggled}`],
    ['a length beyond 64 bits', `${head}Content-Length: 18446744073709551616\r\n\r\n${smuggled}`],
    ['an empty length', `${head}Content-Length:\r\n\r\n${smuggled}`],
    ['a length in two words', `${head}Content-Length: 0 0\r\n\r\n${smuggled}`],
    ['a space before the colon', `${head}Content-Length : 0\r\n\r\n${smuggled}`],
    ['a folded Transfer-Encoding', `${head}Transfer-Encoding:\r\n chunked\r\n\r\n${ended}`],
    ['a folded header', `${head}X: a\r\n b\r\nContent-Length: 0\r\n\r\n${smuggled}`],
    ['a coding like chunked', `${head}Transfer-Encoding: xchunked\r\n\r\n${ended}`],
    ['chunked behind a control character', `${head}Transfer-Encoding: \x0bchunked\r\n\r\n${ended}`],
    ['a coding after chunked', `${head}Transfer-Encoding: chunked, identity\r\n\r\n${ended}`],
    ['two codings in two lines', `${head}Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n\r\n${ended}`],
    ['identity and a length', `${head}Transfer-Encoding: identity\r\nContent-Length: 0\r\n\r\n${smuggled}`],
    ['lines that end with LF', `${head.replaceAll('\r\n', '\n')}Content-Length: 0\n\n${smuggled}`],
    ['one line that ends with LF', `${head}X: a\nContent-Length: 0\r\n\r\n${smuggled}`],
    ['a line that ends with CR', `${head}X: a\rContent-Length: 0\r\n\r\n${smuggled}`],
    ['a NUL', `${head}X: a\0b\r\nContent-Length: 0\r\n\r\n${smuggled}`],
    ['a name with a space', `${head}X y: z\r\nContent-Length: 0\r\n\r\n${smuggled}`],
    ['a chunk extension that ends with LF', `${head}Transfer-Encoding: chunked\r\n\r\n2;\n{}\r\n${ended}`],
    ['chunks that end with LF', `${head}Transfer-Encoding: chunked\r\n\r\n2\n{}\n0\n\n${smuggled}`],
    ['a negative chunk', `${head}Transfer-Encoding: chunked\r\n\r\n-2\r\n{}\r\n${ended}`],
    ['a chunk with 0x', `${head}Transfer-Encoding: chunked\r\n\r\n0x2\r\n{}\r\n${ended}`],
    ['a chunk beyond 64 bits', `${head}Transfer-Encoding: chunked\r\n\r\nFFFFFFFFFFFFFFFFF\r\n{}\r\n${ended}`],
    ['a chunk that is longer than it says', `${head}Transfer-Encoding: chunked\r\n\r\n1\r\n{}\r\n${ended}`],
    [
      'a length among the trailers',
      `${head}Transfer-Encoding: chunked\r\n\r\n0\r\nContent-Length: 9\r\n\r\n${smuggled}`,
    ],
    ['chunks in HTTP/1.0', `${head.replace('1.1', '1.0')}Transfer-Encoding: chunked\r\n\r\n${ended}`],
    [
      'chunks in HTTP/1.0 that keeps the connection',
      `${head.replace('1.1', '1.0')}Connection: keep-alive\r\nTransfer-Encoding: chunked\r\n\r\n${ended}`,
    ],
    ['another host in the target', smuggled.replace('/message:send', 'http://evil.example/message:send') + smuggled],
    ['another port in the target', smuggled.replace('/message:send', 'http://localhost:81/message:send') + smuggled],
    ['a user in the target', smuggled.replace('/message:send', 'http://a@localhost/message:send') + smuggled],
    ['a target without authority', smuggled.replace('/message:send', 'http:///message:send') + smuggled],
    ['a target of another scheme', smuggled.replace('/message:send', 'ftp://localhost/message:send') + smuggled],
    ['two Hosts', `${head}Host: other\r\nContent-Length: 0\r\n\r\n${smuggled}`],
    ['no Host', `GET /agents HTTP/1.1\r\n\r\n${smuggled}`],
    ['HTTP/0.9', `GET /agents\r\n\r\n${smuggled}`],
    ['an HTTP that is not there yet', `${head.replace('1.1', '1.2')}Content-Length: 0\r\n\r\n${smuggled}`],
    ['the end of the connection first', `${head}Connection: close\r\nContent-Length: 0\r\n\r\n${smuggled}`],
    ['CONNECT', `CONNECT localhost:80 HTTP/1.1\r\nHost: localhost:80\r\n\r\n${smuggled}`],
  ])('%s is refused, and nothing after it is read', async (_, text) => {
    const before = await tasks();
    const answer = await say(text);
    for (const status of statuses(answer)) expect(status).toBeGreaterThanOrEqual(400);
    expect(statuses(answer).length).toBeLessThanOrEqual(2);
    expect(await tasks()).toBe(before);
  });

  it.each(['http://localhost', 'HTTP://LOCALHOST:80', 'https://localhost:443'])(
    'a request with %s as the Host is served',
    async (at) => {
      expect(statuses(await say(smuggled.replace('/message:send', `${at}/message:send`)))).toEqual([200]);
    },
  );

  it('a refused request target gets the reason', async () => {
    const answer = await say('GET http://evil.example/tasks HTTP/1.1\r\nHost: localhost\r\n\r\n');
    expect(answer).toContain('The request target and the Host name different authorities');
  });

  it.each(['gzip, chunked', 'foo, chunked', 'Gzip,Chunked'])(
    'the transfer coding %s is refused with 501 at every path',
    async (coding) => {
      for (const line of ['POST /message:send', 'GET /tasks', 'GET /healthz', 'POST /nowhere']) {
        const request = `${line} HTTP/1.1\r\nHost: localhost\r\nA2A-Version: 1.0\r\nTransfer-Encoding: ${coding}\r\n\r\n`;
        const answer = await say(`${request}2\r\n{}\r\n0\r\n\r\n${smuggled}`);
        expect(statuses(answer)).toEqual([501]);
        expect(answer).toContain('The only supported transfer coding is chunked');
        expect(answer).toContain('Connection: close');
      }
    },
  );

  it('an upgrade to h2c is not made', async () => {
    const upgrade = 'Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAAP__\r\n';
    const answer = await say(`GET /healthz HTTP/1.1\r\nHost: localhost\r\n${upgrade}\r\n`);
    expect(statuses(answer)).toEqual([200]);
  });

  it('chunk extensions and trailers are passed over', async () => {
    const [first, rest] = [smuggledBody.slice(0, 5), smuggledBody.slice(5)];
    const body = `5;a=b\r\n${first}\r\n${rest.length.toString(16)}\r\n${rest}\r\n0\r\nX-Trailer: a\r\n\r\n`;
    expect(statuses(await say(`${head}A2A-Version: 1.0\r\nTransfer-Encoding: chunked\r\n\r\n${body}`))).toEqual([200]);
  });

  it('two credentials are not taken for one of them', async () => {
    const answer = await say(`GET /tasks HTTP/1.1\r\nHost: localhost\r\nVia: a\r\nVia: b\r\n\r\n`);
    expect(statuses(answer)).toEqual([401]);
  });
});

it.each([
  ['one long header', `X: ${'y'.repeat(40_000)}\r\n`],
  ['many headers', Array.from({ length: 5_000 }, (_, i) => `a${i}: b\r\n`).join('')],
  ['many headers of one name', 'a:b\r\n'.repeat(5_000)],
])('floods of %s are refused', async (_, headers) => {
  expect(statuses(await say(`GET /healthz HTTP/1.1\r\nHost: localhost\r\n${headers}\r\n`))).toEqual([431]);
});

it('floods of chunk extensions and trailers are refused', async () => {
  for (const flood of [`1;${'a'.repeat(30_000)}\r\nx\r\n`, `0\r\n${'X: y\r\n'.repeat(5_000)}\r\n`]) {
    const answer = await say(`${head}Transfer-Encoding: chunked\r\n\r\n${flood}`);
    for (const status of statuses(answer)) expect(status).toBeGreaterThanOrEqual(400);
  }
});

it('floods of requests in one packet are answered one after the other', async () => {
  const head = 'GET /healthz HTTP/1.1\r\nHost: localhost\r\n';
  // The end of the connection says that no answer follows.
  const answer = await raw(gateway.port, `${`${head}\r\n`.repeat(499)}${head}Connection: close\r\n\r\n`);
  expect(statuses(answer)).toHaveLength(500);
});

it('floods of tiny chunks take no more memory than the body has', async () => {
  const socket = connect(gateway.port, '127.0.0.1');
  sockets.push(socket);
  await once(socket, 'connect');
  socket.write(`${head}A2A-Version: 1.0\r\nTransfer-Encoding: chunked\r\n\r\n`);
  const body = JSON.stringify(message(`say ${'x'.repeat(100_000)}`));
  socket.write([...body].map((character) => `1\r\n${character}\r\n`).join(''));
  socket.write('0\r\n\r\n');
  const [answer] = await once(socket, 'data');
  expect(statuses(String(answer))).toEqual([200]);
});

describe('slowness', () => {
  it.each([
    ['headers', 'GET /healthz HTTP/1.1\r\nHost: localhost\r\nX-'],
    ['a body', `${head}A2A-Version: 1.0\r\nContent-Length: 1000\r\n\r\n{`],
    ['chunks', `${head}A2A-Version: 1.0\r\nTransfer-Encoding: chunked\r\n\r\n1\r\n{\r\n`],
  ])('a request with slow %s is ended with 408, though a byte comes now and then', async (_, beginning) => {
    const socket = connect(hasty.port, '127.0.0.1');
    sockets.push(socket);
    socket.on('error', () => {});
    await once(socket, 'connect');
    socket.write(beginning);
    const drip = setInterval(() => socket.write(beginning.includes('chunked') ? '1\r\n \r\n' : 'a'), 50);
    const [answer] = (await once(socket, 'data')) as [Buffer];
    clearInterval(drip);
    expect(statuses(String(answer))).toEqual([408]);
  });

  it('the slowness of a hundred clients delays no other client', async () => {
    for (let i = 0; i < 100; i++) {
      const socket = connect(hasty.port, '127.0.0.1');
      socket.on('error', () => {}).resume();
      socket.write(i % 2 ? 'GET / HTTP/1.1\r\nHost' : `${head}Content-Length: 9\r\n\r\n{`);
      sockets.push(socket);
    }
    const other = new RawHttp(hasty.port);
    expect(restError(await other.send(post('hello')))).toBeUndefined();
    other.close();
    await expect.poll(() => sockets.filter((_, i) => i % 2).every(({ destroyed }) => destroyed)).toBe(true);
  });

  it('headers are bounded as configured', async () => {
    const long = `GET /healthz HTTP/1.1\r\nHost: localhost\r\nX: ${'y'.repeat(3_000)}\r\n\r\n`;
    expect(statuses(await say(long, hasty))).toEqual([431]);
    expect(statuses(await say(long))).toEqual([200]);
  });
});

describe('a bomb', () => {
  // Eight times the bound.
  const zeros = Buffer.alloc(8 << 20, 0x20);
  const enveloped = (bytes: Uint8Array): Buffer => frame(bytes, bytes.length, 1);

  it('a bomb over gRPC is RESOURCE_EXHAUSTED', async () => {
    const bombs = { gzip: gzipSync(zeros), deflate: deflateSync(zeros) };
    for (const [encoding, bomb] of Object.entries(bombs)) {
      const socket = session(gateway.target);
      const answer = await ask(socket, `${service}/SendMessage`, enveloped(bomb), { 'grpc-encoding': encoding });
      expect(answer.status).toBe(8);
      socket.destroy();
    }
    const hello = encode(api, 'lf.a2a.v1.SendMessageRequest', message('say hello'));
    expect(grpcError(await grpc.send(`${service}/SendMessage`, hello))).toBeUndefined();
  });

  it('a bomb over gRPC-Web and Connect is RESOURCE_EXHAUSTED, too', async () => {
    const compressed = { gzip: gzipSync(zeros), br: brotliCompressSync(zeros), deflate: deflateSync(zeros) };
    for (const [encoding, bomb] of Object.entries(compressed)) {
      const web = await http.send({
        path: `${service}/SendMessage`,
        headers: { 'content-type': 'application/grpc-web+proto', 'grpc-encoding': encoding },
        body: enveloped(bomb),
      });
      expect(web.headers['grpc-status']).toBe('8');
      const unary = await http.send({
        path: `${service}/SendMessage`,
        headers: { 'content-type': 'application/json', 'connect-protocol-version': '1', 'content-encoding': encoding },
        body: bomb,
      });
      expect([unary.status, JSON.parse(unary.body.toString()).code]).toEqual([429, 'resource_exhausted']);
      const stream = await http.send({
        path: `${service}/SendStreamingMessage`,
        headers: { 'content-type': 'application/connect+json', 'connect-content-encoding': encoding },
        body: enveloped(bomb),
      });
      expect(stream.body.toString()).toContain('resource_exhausted');
    }
  });

  it('a bomb over JSON-RPC and HTTP+JSON is unpacked up to the limit of a body', async () => {
    const headers = { ...v1, 'content-encoding': 'gzip' };
    const bomb = gzipSync(zeros);
    expect(rpcError(await http.send({ headers, body: bomb }))?.message).toContain('larger than');
    expect(restError(await http.send({ path: '/message:send', headers, body: bomb }))?.status).toBe(413);
  });

  it('a bomb of a hundred thousand pieces of base64 is refused', async () => {
    const answer = await http.send({
      path: `${service}/SendMessage`,
      headers: { 'content-type': 'application/grpc-web-text+proto' },
      body: 'AA=='.repeat(100_000),
    });
    expect(answer.headers['grpc-status']).toBe('3');
  });
});

describe('numbers and depth', () => {
  const withData = (json: string): string =>
    `{"message":{"messageId":"m","role":"ROLE_USER","parts":[{"data":${json}}]},"configuration":{"historyLength":HISTORY}}`;

  it.each(['1e400', '-1e400', '9'.repeat(100_000), `0.${'0'.repeat(100_000)}1`, '1e-400', '-0'])(
    'the number %.20s ends no process',
    async (number) => {
      for (const [data, history] of [
        [number, '1'],
        ['1', number],
      ] as const) {
        const body = withData(data).replace('HISTORY', history);
        const answer = await http.send({ path: '/message:send', headers: v1, body });
        expect([200, 400]).toContain(answer.status);
        restError(answer);
      }
    },
  );

  it.each([
    ['arrays', '['.repeat(500_000)],
    ['objects', '{"a":'.repeat(100_000)],
    ['arrays in objects', '[{"a":'.repeat(80_000)],
  ])('%s within one another without end are refused', async (_, json) => {
    expect(rpcError(await http.send({ headers: v1, body: json }))?.code).toBe(-32700);
    const rest = await http.send({ path: '/message:send', headers: v1, body: withData(json) });
    expect(restError(rest)?.status).toBe(400);
  });
});
