import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { api } from '../../../src/core/model/a2a.ts';
import { envelope } from '../../../src/transports/rpc/envelope.ts';
import { encode as encodeMessage } from '../../../src/wire/protobuf.ts';
import { startGateway } from '../../support/gateway.ts';
import { type HttpAnswer, type HttpCall, RawHttp } from '../../support/raw.ts';

/** Bodies of requests with a content coding, on every binding over HTTP. */

const body = (text: string) => ({ message: { messageId: 'm', role: 'ROLE_USER', parts: [{ text }] } });
const older = (text: string) => ({
  message: { kind: 'message', messageId: 'm', role: 'user', parts: [{ kind: 'text', text }] },
});
const json = { 'content-type': 'application/json' };
const v1 = { ...json, 'a2a-version': '1.0' };
const rpc = (method: string, params: object) => ({ jsonrpc: '2.0', id: 'r-7', method, params });

interface Sent extends Omit<HttpCall, 'body'> {
  /** A request with a text. */
  of(text: string): object;
  /** Status of a coding that is not known. */
  readonly refused: number;
}

const bindings: Readonly<Record<string, Sent>> = {
  'JSON-RPC': { headers: v1, of: (text) => rpc('SendMessage', body(text)), refused: 200 },
  'JSON-RPC of 0.3': { headers: json, of: (text) => rpc('message/send', older(text)), refused: 200 },
  'HTTP+JSON': { path: '/message:send', headers: v1, of: body, refused: 415 },
  // Connect has an error of its own.
  Connect: {
    path: '/lf.a2a.v1.A2AService/SendMessage',
    headers: { ...json, 'connect-protocol-version': '1' },
    of: body,
    refused: 501,
  },
  MCP: {
    path: '/mcp',
    headers: { ...json, accept: 'application/json, text/event-stream' },
    of: (text) => rpc('tools/call', { name: 'send_message', arguments: { agent: 'demo', message: text } }),
    refused: 415,
  },
};

const codings: Readonly<Record<string, (text: string) => Buffer>> = {
  gzip: gzipSync,
  'X-Gzip': gzipSync,
  deflate: deflateSync,
  br: brotliCompressSync,
  zstd: zstdCompressSync,
  identity: Buffer.from,
  ' ': Buffer.from,
};

/** A few kilobytes that become 50 MiB. */
const bombBytes = gzipSync(Buffer.alloc(50 << 20, ' '));

async function start(settings = ''): Promise<RawHttp> {
  return new RawHttp((await startGateway({ settings })).port);
}

const textOf = ({ body: bytes }: HttpAnswer): string => bytes.toString();

describe.each(Object.entries(bindings))('%s', (name, { of, refused, ...call }) => {
  const send = (http: RawHttp, coding: string, bytes: Buffer) =>
    http.send({ ...call, headers: { ...call.headers, 'content-encoding': coding }, body: bytes });
  const text = (words: string) => JSON.stringify(of(words));

  it(`${name} reads a body with any coding that Node knows`, async () => {
    const http = await start();
    for (const [coding, encode] of Object.entries(codings)) {
      // Connect has the names of its compressions alone.
      if (name === 'Connect' && !['gzip', 'deflate', 'br', 'identity'].includes(coding)) continue;
      const answer = await send(http, coding, encode(text('say good day')));
      expect([coding, answer.status, textOf(answer)]).toEqual([coding, 200, expect.stringContaining('good day')]);
    }
    const raw = await send(http, 'deflate', deflateRawSync(text('say good day')));
    expect(textOf(raw)).toContain('good day');
  });

  it(`${name} takes a decoded body up to the limit, and refuses what a few bytes become beyond it`, async () => {
    const http = await start('limits: { body: 100KiB }\n');
    const room = 102_400 - Buffer.byteLength(text('say '));
    expect((await send(http, 'gzip', gzipSync(text(`say ${'x'.repeat(room)}`)))).status).toBe(200);
    const large = await send(http, 'gzip', gzipSync(text(`say ${'x'.repeat(room + 1)}`)));
    expect(large.status).toBe(name === 'Connect' ? 429 : 413);
    const bomb = await send(http, 'gzip', bombBytes);
    expect(bomb.status).toBe(name === 'Connect' ? 429 : 413);
    expect(textOf(bomb)).toContain('larger than 102400 bytes');
  });

  it(`${name} refuses other codings with the names of those that it reads, and bodies that their coding does not fit`, async () => {
    const http = await start();
    for (const coding of ['compress', 'gzip, br']) {
      const answer = await send(http, coding, gzipSync(text('say good day')));
      expect([answer.status, answer.headers['accept-encoding']]).toEqual([refused, expect.stringContaining('gzip, ')]);
      expect(textOf(answer)).toMatch(/gzip, /);
    }
    for (const bytes of [Buffer.from(text('a')), gzipSync(text('a')).subarray(0, -9)]) {
      const answer = await send(http, 'gzip', bytes);
      expect([200, 400]).toContain(answer.status);
      expect(textOf(answer)).toContain('is not valid gzip');
    }
  });
});

describe('a body of gRPC-Web', () => {
  const path = '/lf.a2a.v1.A2AService/SendMessage';
  const headers = { 'content-type': 'application/grpc-web+proto' };
  const message = envelope(encodeMessage(api, 'lf.a2a.v1.SendMessageRequest', body('say good day')));

  it('a body of gRPC-Web is decoded as a whole, besides the compression of its message', async () => {
    const http = await start();
    const coded = { ...headers, 'content-encoding': 'gzip' };
    const answer = await http.send({ path, headers: coded, body: gzipSync(message) });
    expect([answer.status, textOf(answer)]).toEqual([200, expect.stringContaining('good day')]);
    const unknown = await http.send({ path, headers: { ...coded, 'content-encoding': 'compress' }, body: message });
    expect(unknown.headers).toMatchObject({ 'grpc-status': '12', 'grpc-message': expect.stringContaining('gzip') });
  });
});
