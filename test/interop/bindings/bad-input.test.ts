import { BinaryWriter } from '@bufbuild/protobuf/wire';
import { describe, expect, it } from 'vitest';
import { api } from '../../../src/core/model/a2a.ts';
import { connectError, decoded, grpcError, type HttpAnswer, restError, rpcError } from '../../support/raw.ts';
import { limit, message, request, service, targetGateway, v1 } from './target-gateway.ts';

/** Whatever comes in, an error in the binding's own form goes out, and nothing breaks. */

const target = targetGateway();
const { rpc } = target;

const rest = (body: string | Uint8Array, path = '/message:send'): Promise<HttpAnswer> =>
  target.http.send({ path, body, headers: v1 });
const unaryConnect = (body: string | Uint8Array, method = 'SendMessage'): Promise<HttpAnswer> =>
  target.http.send({
    path: `${service}/${method}`,
    body,
    headers: { 'content-type': 'application/json', 'connect-protocol-version': '1' },
  });

const bytes = (type: string, json: object): Uint8Array =>
  api.codecs[`lf.a2a.v1.${type}`]?.encode(json).finish() ?? expect.fail(`no codec for ${type}`);

const nested = (depth: number): string => `${'['.repeat(depth)}${']'.repeat(depth)}`;

/** Parameters of a send with this JSON as the data of its only part. */
const withData = (json: string): string =>
  `{"message":{"messageId":"m","role":"ROLE_USER","parts":[{"data":${json}}]}}`;

/** JSON that parsers agree on and that is refused all the same, or that they do not even agree on. */
const refused: readonly (readonly [name: string, params: string | Buffer])[] = [
  ['nested deeper than 64', withData(nested(65))],
  ['nested very deep', withData(nested(20_000))],
  ['a __proto__ key', withData('{"__proto__":{"polluted":true}}')],
  ['an escaped __proto__ key', withData('{"\\u005f_proto__":{"polluted":true}}')],
  ['a __proto__ key at the top', `{"__proto__":{"polluted":true},${withData('1').slice(1)}`],
  ['an unpaired surrogate', withData('"\\ud800"')],
  ['an unpaired surrogate as a key', withData('{"\\udfff":1}')],
  ['invalid UTF-8', Buffer.concat([Buffer.from('{"x":"'), Buffer.from([0xff, 0xfe]), Buffer.from('"}')])],
];

describe('bad input', () => {
  const _around = (params: string | Buffer): Buffer =>
    Buffer.concat([
      Buffer.from('{"jsonrpc":"2.0","id":7,"method":"SendMessage","params":'),
      Buffer.from(params),
      Buffer.from('}'),
    ]);

  describe('a JSON-RPC server', () => {
    it('names the faulty fields', async () => {
      const faulty = { message: { messageId: '', role: 'NOBODY', parts: [{ text: 5 }] } };
      const body = { jsonrpc: '2.0', id: 1, method: 'SendMessage', params: faulty };
      const error = rpcError(await rpc(JSON.stringify(body)));
      expect(error).toMatchObject({ code: -32602, reason: 'INVALID_PARAMS' });
      expect(error?.fields).toContain('message.role');
    });

    it('accepts U+0000 in texts', async () => {
      const answer = JSON.parse((await rpc(request('say a\u0000b'))).body.toString());
      expect(answer.result.message.parts[0].text).toBe('a\u0000b');
    });

    it.each(['1', 'one', '99.0', '1.0.0.0', '0.3.0.1', '\u00e9'])('refuses the version %s', async (version) => {
      const headers = { ...v1, 'a2a-version': version };
      expect(rpcError(await rpc(request('hi'), '/', headers))).toMatchObject({ code: -32009 });
      expect(rpcError(await rpc(request('hi'), '/as/a2a-1.0', headers))).toMatchObject({ code: -32009 });
    });

    it('accepts a patch version, and reads the version from the query', async () => {
      expect(rpcError(await rpc(request('say hi'), '/', { ...v1, 'a2a-version': '1.0.3' }))).toBeUndefined();
      const { 'a2a-version': _, ...none } = v1;
      expect(rpcError(await rpc(request('hi'), '/?A2A-Version=99.0', none))).toMatchObject({ code: -32009 });
    });
  });

  describe('an HTTP+JSON server', () => {
    it.each([
      ['not JSON', 'not json', 400, 'PARSE_ERROR'],
      ['a string', '"hello"', 400, undefined],
      ['an array', '[]', 400, undefined],
      ['no message', '{}', 400, undefined],
      ['too much', JSON.stringify(message('x'.repeat(limit))), 413, 'PAYLOAD_TOO_LARGE'],
    ])('refuses %s', async (_, body, status, reason) => {
      const error = restError(await rest(body));
      expect(error?.status).toBe(status);
      if (reason) expect(error?.reason).toBe(reason);
    });

    it.each(refused)('refuses %s', async (_, params) => {
      expect(restError(await rest(params))).toMatchObject({ status: 400 });
    });

    it('names the faulty fields, of the body and of the query', async () => {
      expect(restError(await rest('{"message":{"messageId":"m","role":"ROLE_USER"}}'))?.fields).toContain(
        'message.parts',
      );
      const error = restError(await target.http.send({ method: 'GET', path: '/tasks?pageSize=many', headers: v1 }));
      expect(error).toMatchObject({ status: 400, fields: ['pageSize'] });
    });

    it.each([
      ['GET', '/no/such/path', 404],
      ['GET', '/nobody/tasks', 404],
      ['GET', '/tasks/none', 404],
      ['GET', '/tasks/%zz', 400],
      ['GET', '/tasks/%ff%fe', 400],
      ['DELETE', '/tasks/none', 405],
      ['PUT', '/message:send', 405],
      ['GET', '/message:send', 405],
      ['POST', '/tasks/none:frobnicate', 405],
    ])('refuses %s %s', async (method, path, status) => {
      const body = method === 'GET' ? {} : { body: '{}' };
      const error = restError(await target.http.send({ method, path, headers: v1, ...body }));
      expect(error?.status).toBe(status);
    });

    it('accepts POST requests without a body', async () => {
      const answer = await target.http.send({ path: '/tasks/none:cancel', headers: { 'a2a-version': '1.0' } });
      expect(restError(answer)).toMatchObject({ status: 404, reason: 'TASK_NOT_FOUND' });
    });
  });

  describe('a gRPC server', () => {
    const send = (method: string, content: Uint8Array, metadata = {}) =>
      target.grpc.send(`${service}/${method}`, content, metadata);

    it('refuses bytes that are not a protobuf message', async () => {
      const error = grpcError(await send('GetTask', Buffer.from([0xff, 0xff, 0xff, 0xff])));
      expect(error?.status).toBe('INVALID_ARGUMENT');
    });

    it('names the faulty fields', async () => {
      const content = bytes('SendMessageRequest', { message: { messageId: 'm', role: 'ROLE_USER', parts: [] } });
      const error = grpcError(await send('SendMessage', content));
      expect(error).toMatchObject({ status: 'INVALID_ARGUMENT', reason: 'INVALID_PARAMS', fields: ['message.parts'] });
    });

    it('refuses a message over the limit', async () => {
      const content = bytes('SendMessageRequest', message('x'.repeat(limit)));
      expect((await send('SendMessage', content)).status).toBe('RESOURCE_EXHAUSTED');
    });

    it('refuses an unknown agent', async () => {
      const content = bytes('SendMessageRequest', { tenant: 'nobody', ...message('hi') });
      const error = grpcError(await send('SendMessage', content));
      expect(error).toMatchObject({ status: 'NOT_FOUND', reason: 'AGENT_NOT_FOUND' });
      expect(error?.message).toContain('nobody');
    });

    it('refuses invalid UTF-8', async () => {
      const content = new BinaryWriter()
        .uint32((1 << 3) | 2)
        .bytes(Buffer.from([0xff, 0xfe]))
        .finish();
      expect(grpcError(await send('GetTask', content))?.status).toBe('INVALID_ARGUMENT');
    });

    it.each([65, 1_500])('refuses data nested %i deep', async (depth) => {
      // google.protobuf.Value: list_value = 6, ListValue: values = 1.
      let value: Uint8Array = new BinaryWriter().uint32(8).int32(0).finish();
      for (let i = 0; i < depth; i += 1) {
        const list = new BinaryWriter()
          .uint32((1 << 3) | 2)
          .bytes(value)
          .finish();
        value = new BinaryWriter()
          .uint32((6 << 3) | 2)
          .bytes(list)
          .finish();
      }
      const part = new BinaryWriter()
        .uint32((4 << 3) | 2)
        .bytes(value)
        .finish();
      const inner = new BinaryWriter()
        .uint32((1 << 3) | 2)
        .string('m')
        .uint32((4 << 3) | 0)
        .int32(1)
        .uint32((5 << 3) | 2)
        .bytes(part)
        .finish();
      const content = new BinaryWriter()
        .uint32((1 << 3) | 2)
        .bytes(inner)
        .finish();
      expect(grpcError(await send('SendMessage', content))?.status).toBe('INVALID_ARGUMENT');
    });

    it('accepts U+0000 in texts', async () => {
      const { status, messages } = await send('SendMessage', bytes('SendMessageRequest', message('say a\u0000b')));
      expect(status).toBe('OK');
      const answer = decoded('lf.a2a.v1.SendMessageResponse', messages[0] as Buffer);
      expect(answer).toMatchObject({ message: { parts: [{ text: 'a\u0000b' }] } });
    });
  });

  describe('a Connect server', () => {
    it.each([
      ['not JSON', 'not json', 400, 'invalid_argument'],
      ['an array', '[]', 400, 'invalid_argument'],
      ['no message', '{}', 400, 'invalid_argument'],
      ['too much', JSON.stringify(message('x'.repeat(limit))), 429, 'resource_exhausted'],
      ['an unknown agent', JSON.stringify({ tenant: 'nobody', ...message('x') }), 404, 'not_found'],
    ])('refuses %s', async (_, body, status, code) => {
      expect(connectError(await unaryConnect(body))).toMatchObject({ status, code });
    });

    it.each(refused)('refuses %s', async (_, params) => {
      expect(connectError(await unaryConnect(params))).toMatchObject({ code: 'invalid_argument' });
    });

    it('refuses an unknown method', async () => {
      expect(connectError(await unaryConnect('{}', 'Frobnicate'))).toMatchObject({ code: 'unimplemented' });
    });
  });
});
