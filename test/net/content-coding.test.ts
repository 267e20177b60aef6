import { once } from 'node:events';
import { promisify } from 'node:util';
import zlib, { brotliCompressSync, deflateRawSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decoded } from '../../src/net/content-coding.ts';
import { createHttpClient, type HttpClient } from '../../src/net/http-client.ts';
import type { HttpRequest } from '../../src/net/http-exchange.ts';
import type { WireLine } from '../../src/net/wire-log.ts';
import { afterTest, serve } from '../support/peer.ts';

function client(...options: Parameters<typeof createHttpClient>): HttpClient {
  const made = createHttpClient(...options);
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

const text = '{"héllo":"world"}';

const encoders: Readonly<Record<string, (data: Buffer) => Buffer>> = {
  gzip: gzipSync,
  'x-gzip': gzipSync,
  deflate: deflateSync,
  'deflate without a header': deflateRawSync,
  br: brotliCompressSync,
  zstd: zstdCompressSync,
};

/** A server that answers every request with the same body. */
const serving = (coding: string | string[], body: Buffer): Promise<string> =>
  serve((_, res) => res.setHeader('content-encoding', coding).setHeader('content-length', body.length).end(body));

const readAt = async (url: string, limit = 1_000): Promise<string> =>
  String(await (await client().request(get(url))).read(limit));

it('the HTTP client asks for answers without a content coding, unless a request says otherwise', async () => {
  const asked: unknown[] = [];
  const url = await serve((req, res) => {
    asked.push(req.headers['accept-encoding']);
    res.end();
  });
  const http = client();
  await (await http.request(get(url))).read(0);
  await (await http.request(get(url, { headers: { 'accept-encoding': 'gzip' } }))).read(0);
  expect(asked).toEqual(['identity', 'gzip']);
});

it.each(Object.entries(encoders))('the HTTP client decodes an answer in %s all the same', async (name, encode) => {
  const body = encode(Buffer.from(text));
  const [coding = ''] = name.split(' ');
  expect(await readAt(await serving(coding, body))).toBe(text);
  expect(await readAt(await serving(` ${coding.toUpperCase()} , identity`, body))).toBe(text);
  expect(await readAt(await serving([coding, coding], body))).toBe(text);
});

it('the HTTP client decodes codings around codings, at any boundary of chunks', async () => {
  const codings = fc.constantFrom(...Object.entries(encoders));
  await fc.assert(
    fc.asyncProperty(
      fc.array(codings, { minLength: 1, maxLength: 4 }),
      fc.uint8Array({ maxLength: 300 }),
      fc.integer({ min: 1, max: 40 }),
      async (applied, data, size) => {
        let body: Buffer = Buffer.from(data);
        for (const [, encode] of applied) body = encode(body);
        const url = await serve(async (_, res) => {
          res.writeHead(200, { 'content-encoding': applied.map(([name]) => name.split(' ')[0]).join(', ') });
          for (let at = 0; at < body.length; at += size) {
            if (!res.write(body.subarray(at, at + size))) await once(res, 'drain');
          }
          res.end();
        });
        const read = await (await client().request(get(url))).read(1_000);
        expect(read.equals(Buffer.from(data))).toBe(true);
      },
    ),
    { numRuns: 15 },
  );
});

it('the HTTP client has each part of a stream that is encoded as soon as it arrives', async () => {
  const makers = {
    gzip: zlib.createGzip,
    deflate: zlib.createDeflate,
    br: zlib.createBrotliCompress,
    zstd: zlib.createZstdCompress,
  };
  for (const [coding, make] of Object.entries(makers)) {
    let more = (): void => {};
    const url = await serve(async (_, res) => {
      const encoder = make();
      encoder.pipe(res.writeHead(200, { 'content-encoding': coding }));
      const flush = promisify((done: (error?: Error | null) => void) => encoder.flush(done));
      encoder.write('data: 1\n\n');
      await flush();
      more = () => encoder.end('data: 2\n\n');
    });
    const parts: string[] = [];
    for await (const part of (await client().request(get(url, { silence: 5000 }))).chunks()) {
      parts.push(String(part));
      if (parts.length === 1) more();
    }
    expect(parts).toEqual(['data: 1\n\n', 'data: 2\n\n']);
  }
});

it('the HTTP client bounds what it decodes, however little was sent', async () => {
  for (const encode of [gzipSync, brotliCompressSync, zstdCompressSync]) {
    const bomb = encode(Buffer.alloc(20_000_000));
    const coding = encode === gzipSync ? 'gzip' : encode === brotliCompressSync ? 'br' : 'zstd';
    expect(bomb.length).toBeLessThan(100_000);
    const url = await serving(coding, bomb);
    await expect(readAt(url, 100_000)).rejects.toThrow('The answer is larger than 100000 bytes');
    let seen = 0;
    for await (const { length } of (await client().request(get(url))).chunks()) {
      seen += length;
      if (seen > 100_000) break;
    }
    expect(seen).toBeLessThan(1_000_000);
  }
});

it('the HTTP client names a coding that it does not know, and too many', async () => {
  const url = await serving('compress', Buffer.from('x'));
  await expect(readAt(url)).rejects.toMatchObject({
    kind: 'invalidAgentResponse',
    message: `${url} answered with the content coding "compress", which cannot be read (Accept-Encoding: identity was sent)`,
  });
  const many = await serving('gzip, gzip, gzip, gzip, gzip, gzip', Buffer.from('x'));
  await expect(readAt(many)).rejects.toThrow('more than 5 content codings');
  // Without a body there is nothing to decode.
  for (const coding of ['compress', 'gzip', 'gzip, gzip, gzip, gzip, gzip, gzip']) {
    expect(await readAt(await serving(coding, Buffer.alloc(0)))).toBe('');
  }
});

it('the HTTP client takes a body that is not encoded, whatever its header says', async () => {
  for (const coding of ['gzip', 'zstd']) expect(await readAt(await serving(coding, Buffer.from(text)))).toBe(text);
  const url = await serving('br', Buffer.alloc(40, 0xff));
  await expect(readAt(url)).rejects.toThrow(`${url} answered with a body that is not valid br`);
});

it('the HTTP client gives what arrived of an encoded body before it broke off, then says so', async () => {
  for (const encode of [gzipSync, deflateSync, zstdCompressSync]) {
    const coding = encode === gzipSync ? 'gzip' : encode === deflateSync ? 'deflate' : 'zstd';
    const body = encode(Buffer.from(text));
    const url = await serve((_, res) => {
      res.writeHead(200, { 'content-encoding': coding, 'content-length': body.length + 10 });
      res.write(body, () => res.destroy());
    });
    const { bytes, failure } = await (await client().request(get(url))).readAvailable(1_000);
    expect([String(bytes), failure?.kind]).toEqual([text, 'upstreamUnreachable']);
    let read = '';
    const reading = async (): Promise<void> => {
      for await (const part of (await client().request(get(url))).chunks()) read += String(part);
    };
    await expect(reading()).rejects.toMatchObject({ kind: 'upstreamUnreachable' });
    expect(read).toBe(text);
  }
});

it('the HTTP client shows the size of an encoded body to who watches the connection', async () => {
  const lines: WireLine[] = [];
  const body = gzipSync(text);
  const url = await serve((_, res) =>
    res.writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' }).end(body),
  );
  const http = client({ onWire: (line) => lines.push(line) });
  expect(String(await (await http.request(get(url))).read(100))).toBe(text);
  expect(lines.map((line) => line.text)).toEqual(
    expect.arrayContaining(['accept-encoding: identity', `[${body.length} bytes]`]),
  );
});

describe('a body whose Content-Encoding does not tell how it is encoded', () => {
  const text = '{"a":1}';
  it.each([
    ['utf-8', Buffer.from(text)],
    ['none', Buffer.from(text)],
    ['aws-chunked', Buffer.from(text)],
    ['br', Buffer.from(text)],
    ['deflate', Buffer.from(text)],
    ['deflate', gzipSync(text)],
    ['br', gzipSync(text)],
  ])('a body whose Content-Encoding does not tell how it is encoded is read that is called %s', async (name, body) => {
    async function* chunks() {
      yield body;
    }
    const parts: Uint8Array[] = [];
    for await (const part of decoded(chunks(), name, 'here')) parts.push(part);
    expect(Buffer.concat(parts).toString()).toBe(text);
  });
});
