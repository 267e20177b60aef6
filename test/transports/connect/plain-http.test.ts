import { once } from 'node:events';
import { request } from 'node:http';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { EnvelopeReader, envelope } from '../../../src/transports/rpc/envelope.ts';
import { encode } from '../../../src/wire/protobuf.ts';
import { api, chunk, logged, message, reply } from '../rpc-support.ts';
import { connectForEach, errorIn, post } from './support.ts';

/** Requests of clients that do not use a Connect library, and their answers. */

const servers = connectForEach();

const path = '/lf.a2a.v1.A2AService/SendMessage';
const streamPath = '/lf.a2a.v1.A2AService/SendStreamingMessage';

describe('plain HTTP', () => {
  const json = JSON.stringify({ message });

  test('curl needs no more than JSON', async () => {
    const snake = JSON.stringify({
      message: { message_id: 'm1', role: 'ROLE_USER', parts: [{ text: 'hello' }], new: 1 },
    });
    const answer = await post(servers.running.url + path, 'application/json; charset=utf-8', snake);
    expect(answer.status).toBe(200);
    expect(answer.headers['content-type']).toBe('application/json');
    expect(JSON.parse(answer.body.toString())).toEqual(reply);
    expect(servers.running.core.last.request).toEqual({ message });
  });

  test.each([
    ['gzip', gzipSync(json)],
    ['br', brotliCompressSync(json)],
    ['identity', Buffer.from(json)],
  ])('a body compressed with %s is read', async (encoding, body) => {
    const answer = await post(servers.running.url + path, 'application/json', body, { 'content-encoding': encoding });
    expect(answer.status).toBe(200);
    const proto = gzipSync(encode(api, 'lf.a2a.v1.SendMessageRequest', { message }));
    const web = await post(servers.running.url + path, 'application/grpc-web+proto', envelope(proto, 1), {
      'grpc-encoding': 'gzip',
    });
    expect(web.body.toString('latin1')).toContain('grpc-status: 0');
  });

  test('gRPC-Web as text is read', async () => {
    const proto = envelope(encode(api, 'lf.a2a.v1.SendMessageRequest', { message }));
    const body = proto.subarray(0, 4).toString('base64') + proto.subarray(4).toString('base64');
    const answer = await post(servers.running.url + path, 'application/grpc-web-text', body);
    expect(answer.headers['content-type']).toBe('application/grpc-web-text');
    const pieces = answer.body.toString('latin1').match(/[^=]+=*/g) ?? [];
    const bytes = Buffer.concat(pieces.map((piece) => Buffer.from(piece, 'base64')));
    const [first, last] = [...new EnvelopeReader({ limit: 1 << 20 }).read(bytes)];
    expect(first?.data).toEqual(Buffer.from(encode(api, 'lf.a2a.v1.SendMessageResponse', reply)));
    expect(last?.flags).toBe(0x80);
    expect(last?.data.toString()).toBe('grpc-status: 0\r\n');
  });

  test('an unknown rpc of a known service is UNIMPLEMENTED', async () => {
    const answer = await post(`${servers.running.url}/lf.a2a.v1.A2AService/Nothing`, 'application/json', '{}');
    expect(answer.status).toBe(501);
    expect(errorIn(answer.body).code).toBe('unimplemented');
    const web = await post(`${servers.running.url}/lf.a2a.v1.A2AService/Nothing`, 'application/grpc-web+proto', '');
    expect(web.headers['grpc-status']).toBe('12');
  });

  test('the wrong verb and the wrong type are refused', async () => {
    const get = await fetch(servers.running.url + path);
    expect(get.status).toBe(405);
    expect(get.headers.get('x-request-id')).toMatch(/./);
    expect(get.headers.get('allow')).toBe('POST');
    for (const type of ['text/plain', 'application/connect+json', undefined]) {
      const answer = await post(servers.running.url + path, type, json);
      expect(answer.status).toBe(415);
      expect(answer.headers['accept-post']).toContain('application/json');
    }
    expect((await post(servers.running.url + streamPath, 'application/json', json)).status).toBe(415);
  });

  test('a body over the limit is refused', async () => {
    const small = await servers.serve({ limits: { body: 1_000 } });
    const big = JSON.stringify({ message: { ...message, parts: [{ text: 'x'.repeat(2_000) }] } });
    const answer = await post(small.url + path, 'application/json', big);
    expect(errorIn(answer.body).code).toBe('resource_exhausted');
    const bomb = await post(small.url + path, 'application/json', gzipSync(big), { 'content-encoding': 'gzip' });
    expect(errorIn(bomb.body).code).toBe('resource_exhausted');
    const claimed = Buffer.from([0, 0xff, 0xff, 0xff, 0xff, 1]);
    const web = await post(small.url + path, 'application/grpc-web', claimed);
    expect(web.headers['grpc-status']).toBe('8');
    expect(small.core.calls).toEqual([]);
  });

  test.each([
    ['no JSON', 'application/json', '{'],
    ['nested too deeply', 'application/json', `{"message":${'['.repeat(200)}${']'.repeat(200)}}`],
    ['nested deep enough to overflow a stack', 'application/json', '['.repeat(30_000) + ']'.repeat(30_000)],
    ['__proto__', 'application/json', '{"message":{"__proto__":{"x":1}}}'],
    ['not an object', 'application/json', '7'],
    ['bytes that are none', 'application/proto', Buffer.from([0xff, 0xff])],
  ])('a body is refused: %s', async (_, type, body) => {
    const answer = await post(servers.running.url + path, type, body);
    expect(answer.status).toBe(400);
    expect(errorIn(answer.body).code).toBe('invalid_argument');
    expect(errorIn(answer.body).details.length).toBeGreaterThan(0);
    expect(servers.running.core.calls).toEqual([]);
    expect(({} as { x?: number }).x).toBeUndefined();
  });

  test.each([
    ['half a message', '3', 'invalid_argument', Buffer.from([0, 0, 0, 0, 9, 1])],
    ['half a prefix', '3', 'invalid_argument', Buffer.from([0, 0])],
    ['no message', '12', 'unimplemented', Buffer.alloc(0)],
    ['two messages', '12', 'unimplemented', Buffer.concat([envelope(Buffer.alloc(0)), envelope(Buffer.alloc(0))])],
    ['an odd flag', '3', 'invalid_argument', envelope(Buffer.alloc(0), 4)],
    ['compressed with nothing', '13', 'internal', envelope(Buffer.from('x'), 1)],
  ])('a broken stream of requests is refused: %s', async (_, status, code, body) => {
    const web = await post(servers.running.url + streamPath, 'application/grpc-web', body);
    expect(web.headers['grpc-status']).toBe(status);
    const connect = await post(servers.running.url + streamPath, 'application/connect+proto', body);
    const [end] = [...new EnvelopeReader({ limit: 1 << 20 }).read(connect.body)];
    expect(end?.flags).toBe(2);
    expect(JSON.parse(end?.data.toString() ?? '')).toMatchObject({ error: { code } });
  });

  test.each([
    ['application/json', 'content-encoding', 'accept-encoding'],
    ['application/connect+json', 'connect-content-encoding', 'connect-accept-encoding'],
    ['application/grpc-web+json', 'grpc-encoding', 'grpc-accept-encoding'],
  ])('%s with an unknown compression is UNIMPLEMENTED', async (type, name, accepted) => {
    const target = type.includes('connect') ? streamPath : path;
    const body = type === 'application/json' ? json : envelope(Buffer.from(json));
    const answer = await post(servers.running.url + target, type, body, { [name]: 'lzma' });
    expect(answer.headers[accepted]).toBe('gzip, br, deflate');
    expect(answer.headers['grpc-status'] ?? answer.body.toString()).toMatch(/^12$|"unimplemented"/);
    expect(servers.running.core.calls).toEqual([]);
  });

  test('a message may be as large as the limit, and no larger', async () => {
    const size = Buffer.byteLength(json);
    const exact = await servers.serve({ limits: { body: size } });
    const send = (type: string, body: Buffer | string) => post(exact.url + path, type, body);
    expect(
      (await send('application/grpc-web+json', envelope(Buffer.from(json)))).headers['grpc-status'],
    ).toBeUndefined();
    expect((await send('application/grpc-web+json', envelope(Buffer.from(`${json} `)))).headers['grpc-status']).toBe(
      '8',
    );
    expect(exact.core.calls).toHaveLength(1);
  });

  test('headers and trailers of the handler reach the client', async () => {
    servers.running.core.answer = ({ context: { notes } }) => {
      notes.headers = ['x-own', 'a', 'x-own', 'b'];
      notes.trailers = ['x-last', 'c'];
      return { value: reply };
    };
    const unary = await post(servers.running.url + path, 'application/json', json);
    expect(unary.headers).toMatchObject({ 'x-own': 'a, b', 'trailer-x-last': 'c' });
    const web = await post(servers.running.url + path, 'application/grpc-web+json', envelope(Buffer.from(json)));
    expect(web.headers['x-own']).toBe('a, b');
    expect(web.body.toString()).toContain('grpc-status: 0\r\nx-last: c\r\n');
  });

  test.each([
    ['connect-timeout-ms', 'application/json', 'soon', json],
    ['grpc-timeout', 'application/grpc-web+json', '10', envelope(Buffer.from(json))],
  ])('the header %s without a valid time is refused', async (name, type, value, body) => {
    const answer = await post(servers.running.url + path, type, body, { [name]: value });
    expect(answer.status === 400 || answer.headers['grpc-status'] === '3').toBe(true);
  });

  test('a client that does not read is cut off, and its source released', async () => {
    const impatient = await servers.serve({ limits: { slowReader: 50 } });
    const released = Promise.withResolvers<void>();
    impatient.core.answer = () => ({
      events: (async function* () {
        try {
          for (let i = 0; ; i++) yield logged(chunk(i, 'x'.repeat(16 * 1024)));
        } finally {
          released.resolve();
        }
      })(),
    });
    const req = request(impatient.url + streamPath, {
      method: 'POST',
      headers: { 'content-type': 'application/connect+json' },
    });
    req.on('error', () => {});
    req.end(envelope(Buffer.from(json)));
    await once(req, 'response');
    await released.promise;
    req.destroy();
  });
});
