import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { createHttpClient } from '../../src/net/http-client.ts';
import type { WireLine } from '../../src/net/wire-log.ts';
import { afterTest, closedPortUrl, serve } from '../support/peer.ts';

const { signal } = new AbortController();

/** Sends a request; what was written of it. */
async function linesOf(url: string, headers: Record<string, string> = {}, body?: string | Uint8Array) {
  const lines: WireLine[] = [];
  const http = createHttpClient({ onWire: (line) => lines.push(line) });
  afterTest(() => http.close());
  const request = {
    method: body === undefined ? 'GET' : 'POST',
    url: new URL(url),
    headers,
    body,
    signal,
    timeout: 5_000,
  };
  const answer = await http.request(request).catch((error: Error) => error);
  const read = answer instanceof Error ? undefined : await answer.read(1 << 20);
  return { read, sent: textOf(lines, 'sent'), received: textOf(lines, 'received'), notes: textOf(lines, 'note') };
}

const textOf = (lines: readonly WireLine[], wanted: WireLine['direction']): string[] =>
  lines.filter(({ direction }) => direction === wanted).map(({ text }) => text);

it('the log of bytes writes lines as they arrive, also when a chunk ends in the midst of a character', async () => {
  const bytes = Buffer.from('data: grüße\n\ndata: zwei');
  const url = await serve(async (_, res) => {
    res.writeHead(200, { 'content-type': 'text/event-stream' });
    const middle = bytes.indexOf(0xc3) + 1;
    res.write(bytes.subarray(0, middle));
    await sleep(20);
    res.end(bytes.subarray(middle));
  });
  const { read, received } = await linesOf(`${url}/path?a=1`);
  expect(read).toEqual(bytes);
  expect(received[0]).toBe('HTTP/1.1 200 OK');
  expect(received.slice(received.indexOf('') + 1)).toEqual(['data: grüße', 'data: zwei']);
});

it('the log of bytes hides credentials in headers, and wherever they appear again', async () => {
  const url = await serve((req, res) =>
    res
      .writeHead(200, { 'content-type': 'text/plain', 'set-cookie': ['id=cookie-secret', 'b=other-secret'] })
      .end(`you sent ${req.headers.authorization} and ${req.headers['x-weather-key']}`),
  );
  const headers = {
    authorization: `Basic ${Buffer.from('me:my-password').toString('base64')}`,
    'x-weather-key': 'weather-secret',
    'idempotency-key': 'not-a-secret',
    'content-type': 'application/json',
  };
  const { sent, received } = await linesOf(url, headers, '{"password":"my-password","key":"weather-secret"}');
  expect(sent).toContain('authorization: Basic [secret]');
  expect(sent).toContain('x-weather-key: [secret]');
  expect(sent).toContain('idempotency-key: not-a-secret');
  expect(sent.at(-1)).toBe('{"password":"[secret]","key":"[secret]"}');
  expect(received.filter((line) => line.startsWith('set-cookie'))).toEqual([
    'set-cookie: [secret]',
    'set-cookie: [secret]',
  ]);
  expect(received.at(-1)).toBe('you sent [secret] and [secret]');
});

it('the log of bytes hides credentials in the query of a URL, and shows the rest of it', async () => {
  const url = await serve((req, res) =>
    res.writeHead(200, { 'content-type': 'text/plain' }).end(`you asked for ${req.url}`),
  );
  const { sent, received } = await linesOf(
    `${url}/path?alt=sse&api_key=weather-secret&pwd=pass%20word&page_token=shown`,
  );
  expect(sent[0]).toBe('GET /path?alt=sse&api_key=[secret]&pwd=[secret]&page_token=shown HTTP/1.1');
  expect(received.at(-1)).toBe('you asked for /path?alt=sse&api_key=[secret]&pwd=[secret]&page_token=shown');
});

it('the log of bytes cuts long lines, and writes the size of what is no text', async () => {
  const url = await serve((req, res) => {
    const isText = req.url === '/text';
    res.writeHead(200, { 'content-type': isText ? 'application/json' : 'image/png' });
    res.end(isText ? JSON.stringify('x'.repeat(5_000)) : Buffer.alloc(300));
  });
  expect((await linesOf(`${url}/text`)).received.at(-1)).toMatch(/^"x{3999}… \(1002 more characters\)$/);
  const { sent, received } = await linesOf(url, { 'content-type': 'application/octet-stream' }, Buffer.alloc(12));
  expect([sent.at(-1), received.at(-1)]).toEqual(['[12 bytes]', '[300 bytes]']);
});

it('the log of bytes notes connections, and why there is none', async () => {
  const url = await serve((_, res) => res.end());
  expect((await linesOf(url)).notes).toEqual([
    expect.stringMatching(/^Connected to 127\.0\.0\.1 \(127\.0\.0\.1\) port \d+$/),
  ]);
  expect((await linesOf(await closedPortUrl())).notes).toEqual([expect.stringContaining('ECONNREFUSED')]);
});
