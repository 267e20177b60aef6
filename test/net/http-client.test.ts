import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { setImmediate } from 'node:timers/promises';
import { afterEach, expect, it, vi } from 'vitest';
import { createHttpClient, type HttpClient } from '../../src/net/http-client.ts';
import type { HttpRequest } from '../../src/net/http-exchange.ts';
import { afterTest, closedPortUrl, serve, serveTcp } from '../support/peer.ts';

afterEach(() => void vi.useRealTimers());

function client(): HttpClient {
  const made = createHttpClient();
  afterTest(() => made.close());
  return made;
}

const get = (url: string, more: Partial<HttpRequest> = {}): HttpRequest => ({
  method: 'GET',
  url: new URL(url),
  headers: {},
  signal: new AbortController().signal,
  timeout: 5000,
  ...more,
});

it('the HTTP client sends and reads, keeps the connection, and does not follow redirects', async () => {
  const ports = new Set<number | undefined>();
  const url = await serve((req, res) => {
    ports.add(req.socket.remotePort);
    if (req.url === '/moved') res.writeHead(302, { location: '/' }).end();
    else req.pipe(res.writeHead(200, { 'content-type': 'Text/Plain; charset=utf-8' }));
  });
  const http = client();
  const answer = await http.request(get(url, { method: 'POST', body: 'grüß' }));
  expect([answer.status, answer.mediaType, String(await answer.read(100))]).toEqual([200, 'text/plain', 'grüß']);
  // It is taken up again from the next turn of the loop on.
  await setImmediate();
  const moved = await http.request(get(`${url}/moved`));
  expect(moved.status).toBe(302);
  await moved.read(0);
  expect(ports.size).toBe(1);
});

it('the HTTP client reports a closed port', async () => {
  const url = await closedPortUrl();
  await expect(client().request(get(url))).rejects.toMatchObject({
    kind: 'upstreamUnreachable',
    message: `cannot reach ${url}: connection refused`,
  });
});

it('the HTTP client takes what cannot be sent for its own fault', async () => {
  const url = await serve((_, res) => res.end());
  await expect(client().request(get(url, { headers: { 'x-name': '\u2603' } }))).rejects.toMatchObject({
    kind: 'internal',
  });
});

it('the HTTP client holds a server up that sends faster than is read', async () => {
  const piece = Buffer.alloc(64 * 1024);
  let sent = 0;
  const url = await serve(async (_, res) => {
    for (; sent < 512; sent++) if (!res.write(piece)) await once(res, 'drain');
    res.end();
  });
  const answer = await client().request(get(url));
  let read = 0;
  for await (const chunk of answer.chunks()) {
    if (read === 0) await expect.poll(() => sent).toBeGreaterThan(8);
    expect(sent).toBeLessThan(read === 0 ? 512 : 513);
    read += chunk.length;
  }
  expect(read).toBe(512 * piece.length);
});

it('the HTTP client says that there is no such host', async () => {
  await expect(client().request(get('http://nowhere.invalid'))).rejects.toMatchObject({
    kind: 'upstreamUnreachable',
  });
  await expect(client().request(get('ftp://127.0.0.1'))).rejects.toMatchObject({ kind: 'invalidParams' });
});

it('the HTTP client gives up on a server that never answers', async () => {
  const url = await serve(() => {});
  await expect(client().request(get(url, { timeout: 30 }))).rejects.toMatchObject({ kind: 'upstreamTimeout' });
});

it('the HTTP client gives up on a body that never ends', async () => {
  const url = await serve((_, res) => res.write('a'));
  const http = client();
  // On a busy machine the time may be over before the answer has begun.
  const failure = async () => (await http.request(get(url, { timeout: 60 }))).read(100).catch((error) => error.kind);
  await expect.poll(failure).toBe('upstreamTimeout');
});

it('the HTTP client gives up on a stream that has fallen silent, but not on a slow reader', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const responding = Promise.withResolvers<ServerResponse>();
  const url = await serve((_, res) => {
    res.write('a');
    responding.resolve(res);
  });
  const answer = await client().request(get(url, { silence: 120 }));
  const chunks = answer.chunks()[Symbol.asyncIterator]();
  expect(String((await chunks.next()).value)).toBe('a');
  // The reader takes its time.
  vi.advanceTimersByTime(200);
  const second = chunks.next();
  await setImmediate();
  vi.advanceTimersByTime(119);
  (await responding.promise).write('b');
  expect(String((await second).value)).toBe('b');
  const third = chunks.next();
  await setImmediate();
  vi.advanceTimersByTime(120);
  await expect(third).rejects.toMatchObject({ kind: 'upstreamTimeout' });
});

it('the HTTP client stops at once when its signal aborts: before, while waiting, in the body', async () => {
  const url = await serve((req, res) => {
    if (req.url === '/body') res.write('a');
  });
  const http = client();
  await expect(http.request(get(url, { signal: AbortSignal.abort() }))).rejects.toMatchObject({ kind: 'canceled' });
  const waiting = new AbortController();
  const call = http.request(get(url, { signal: waiting.signal }));
  waiting.abort();
  await expect(call).rejects.toMatchObject({ kind: 'canceled' });
  const reading = new AbortController();
  const answer = await http.request(get(`${url}/body`, { signal: reading.signal }));
  const body = answer.read(100);
  reading.abort();
  await expect(body).rejects.toMatchObject({ kind: 'canceled' });
});

it('the HTTP client bounds what it reads', async () => {
  const url = await serve((_, res) => res.end('x'.repeat(1000)));
  const http = client();
  await expect((await http.request(get(url))).read(999)).rejects.toMatchObject({ kind: 'invalidAgentResponse' });
  expect((await (await http.request(get(url))).read(1000)).length).toBe(1000);
});

it('the HTTP client distinguishes a broken answer from none', async () => {
  const garbage = await serveTcp((socket) => socket.end('SSH-2.0-OpenSSH_9.6\r\n'));
  await expect(client().request(get(garbage))).rejects.toMatchObject({ kind: 'invalidAgentResponse' });
  const hangUp = await serveTcp((socket) => socket.once('data', () => socket.resetAndDestroy()));
  await expect(client().request(get(hangUp))).rejects.toMatchObject({ kind: 'upstreamUnreachable' });
  const half = await serveTcp((socket) =>
    socket.once('data', () => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nhalf')),
  );
  const answer = await client().request(get(half));
  await expect(answer.read(100)).rejects.toMatchObject({ kind: 'upstreamUnreachable' });
});

it('the HTTP client reads interim responses over that it did not ask for', async () => {
  const interim = [
    'HTTP/1.1 100 Continue\r\n\r\n',
    'HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n',
    'HTTP/1.1 100 Continue\r\ndate: now\r\n\r\n',
  ];
  // In a body, the same text is left alone.
  const body = 'HTTP/1.1 100 Continue\r\n\r\n';
  const bytes = `${interim.join('')}HTTP/1.1 200 OK\r\ncontent-length: ${body.length}\r\n\r\n${body}`;
  for (const size of [1, 7, bytes.length]) {
    const url = await serveTcp((socket) =>
      socket.on('data', async () => {
        for (let at = 0; at < bytes.length; at += size) {
          await new Promise((resolve) => socket.write(bytes.slice(at, at + size), resolve));
        }
      }),
    );
    const http = client();
    // The second request uses the same connection.
    for (const method of ['POST', 'GET']) {
      const answer = await http.request(get(url, { method }));
      expect([answer.status, String(await answer.read(100))]).toEqual([200, body]);
      await setImmediate();
    }
  }
});

it('the HTTP client gives up on a server that sends nothing but interim responses', async () => {
  const url = await serveTcp((socket) =>
    socket.once('data', () => socket.write('HTTP/1.1 100 Continue\r\n\r\n'.repeat(200))),
  );
  await expect(client().request(get(url))).rejects.toThrow('sent more than 100 interim responses');
});

it('the HTTP client counts headers that are repeated once where they are equal, and the last media type of several', async () => {
  const url = await serveTcp((socket) =>
    socket.on('data', (request) => {
      const [, path] = String(request).split(' ');
      const types =
        path === '/equal' ? ['Application/JSON', 'Application/JSON'] : ['text/html; charset="a,b"', 'application/json'];
      const lines = path === '/joined' ? [types.join(', ')] : types;
      const headers = [...lines.map((type) => `content-type: ${type}`), 'retry-after: 5', 'retry-after: 5'];
      socket.write(`HTTP/1.1 200 OK\r\n${headers.join('\r\n')}\r\ncontent-length: 0\r\n\r\n`);
    }),
  );
  for (const path of ['/equal', '/joined', '/several']) {
    const { mediaType, headers } = await client().request(get(url + path));
    expect([mediaType, headers['retry-after']]).toEqual(['application/json', '5']);
  }
});

it('the HTTP client repeats a GET, and never a POST, that met a connection just closed', async () => {
  let connections = 0;
  const url = await serveTcp((socket) => {
    connections++;
    let requests = 0;
    socket.on('data', () => {
      if (++requests === 1) socket.write('HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n');
      else socket.resetAndDestroy();
    });
  });
  const http = client();
  await (await http.request(get(url))).read(0);
  await setImmediate();
  const second = await http.request(get(url));
  await second.read(0);
  await setImmediate();
  expect([second.status, connections]).toEqual([200, 2]);
  await expect(http.request(get(url, { method: 'POST', body: '{}' }))).rejects.toMatchObject({
    kind: 'upstreamUnreachable',
  });
  expect(connections).toBe(2);
});
