import { BinaryWriter } from '@bufbuild/protobuf/wire';
import { describe, expect, it } from 'vitest';
import { api } from '../../../src/core/model/a2a.ts';
import { connectError, decoded, grpcError, type HttpAnswer, restError, rpcError } from '../../support/raw.ts';
import { agentVault, limit, message, request, service, underFire, v1 } from './under-fire.ts';

/** Whatever comes in, an error in the binding's own form goes out, and nothing breaks. */

const fire = underFire();
const { rpc } = fire;

const rest = (body: string | Uint8Array, path = '/message:send'): Promise<HttpAnswer> =>
  fire.http.send({ path, body, headers: v1 });
const unaryConnect = (body: string | Uint8Array, method = 'SendMessage'): Promise<HttpAnswer> =>
  fire.http.send({
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

describe('the table of bad input', () => {
  const around = (params: string | Buffer): Buffer =>
    Buffer.concat([
      Buffer.from('{"jsonrpc":"2.0","id":7,"method":"SendMessage","params":'),
      Buffer.from(params),
      Buffer.from('}'),
    ]);

  describe('JSON-RPC', () => {
    it.each([
      ['not JSON', 'not json', -32700],
      ['nothing', '', -32700],
      ['half of it', request('hi').slice(0, -3), -32700],
      ['a string', '"hello"', -32600],
      ['null', 'null', -32600],
      ['a batch', `[${request('hi')}]`, -32600],
      ['an empty batch', '[]', -32600],
      ['an empty object', '{}', -32600],
      ['another jsonrpc', request('hi').replace('2.0', '1.0'), -32600],
      ['no jsonrpc', '{"id":1,"method":"GetTask"}', -32600],
      ['a method that is no string', '{"jsonrpc":"2.0","id":1,"method":5}', -32600],
      ['an id that is an object', '{"jsonrpc":"2.0","id":{},"method":"GetTask","params":{"id":"x"}}', -32600],
      ['an unknown method', '{"jsonrpc":"2.0","id":1,"method":"Frobnicate"}', -32601],
      ['a method of the prototype', '{"jsonrpc":"2.0","id":1,"method":"constructor"}', -32601],
      ['params that are an array', '{"jsonrpc":"2.0","id":1,"method":"GetTask","params":["x"]}', -32602],
      ['params that are a string', '{"jsonrpc":"2.0","id":1,"method":"GetTask","params":"x"}', -32602],
      ['no params', '{"jsonrpc":"2.0","id":1,"method":"GetTask"}', -32602],
    ])('%s', async (_, body, code) => {
      const answer = await rpc(body);
      expect(answer.status).toBe(200);
      expect(rpcError(answer)?.code).toBe(code);
    });

    it.each(refused)('%s', async (_, params) => {
      expect([-32700, -32602]).toContain(rpcError(await rpc(around(params)))?.code);
    });

    it.each(['"seven"', '7', '7.5', 'null', '-1'])('gives the id %s back as it was', async (id) => {
      const body = `{"jsonrpc":"2.0","id":${id},"method":"GetTask","params":{"id":"none"}}`;
      expect(rpcError(await rpc(body))?.id).toBe(JSON.parse(id));
    });

    it('says nothing to a notification', async () => {
      const answer = await rpc('{"jsonrpc":"2.0","method":"GetTask","params":{"id":"none"}}');
      expect([answer.status, answer.body.length]).toEqual([204, 0]);
    });

    it('names the faulty fields', async () => {
      const faulty = { message: { messageId: '', role: 'NOBODY', parts: [{ text: 5 }] } };
      const body = { jsonrpc: '2.0', id: 1, method: 'SendMessage', params: faulty };
      const error = rpcError(await rpc(JSON.stringify(body)));
      expect(error).toMatchObject({ code: -32602, reason: 'INVALID_PARAMS' });
      expect(error?.fields).toContain('message.role');
    });

    it('refuses a body over the limit with 413', async () => {
      const answer = await rpc(request('x'.repeat(limit)));
      expect(answer.status).toBe(413);
      expect(rpcError(answer)).toMatchObject({ code: -32600, reason: 'PAYLOAD_TOO_LARGE' });
    });

    it('names the agent that it does not know', async () => {
      const answer = await rpc(request('hi'), '/nobody');
      expect([200, 404]).toContain(answer.status);
      const error = rpcError({ ...answer, status: 200 });
      expect(error).toMatchObject({ code: -32601, reason: 'AGENT_NOT_FOUND' });
      expect(error?.message).toContain('nobody');
    });

    it('takes U+0000', async () => {
      const answer = JSON.parse((await rpc(request('say a\u0000b'))).body.toString());
      expect(answer.result.message.parts[0].text).toBe('a\u0000b');
    });

    it.each(['1', 'one', '99.0', '1.0.0.0', '0.3.0.1', '\u00e9'])('refuses the version %s', async (version) => {
      const headers = { ...v1, 'a2a-version': version };
      expect(rpcError(await rpc(request('hi'), '/', headers))).toMatchObject({ code: -32009 });
      expect(rpcError(await rpc(request('hi'), '/as/a2a-1.0', headers))).toMatchObject({ code: -32009 });
    });

    it('takes a patch version, and a version in the query', async () => {
      expect(rpcError(await rpc(request('say hi'), '/', { ...v1, 'a2a-version': '1.0.3' }))).toBeUndefined();
      const { 'a2a-version': _, ...none } = v1;
      expect(rpcError(await rpc(request('hi'), '/?A2A-Version=99.0', none))).toMatchObject({ code: -32009 });
    });
  });

  describe('HTTP+JSON', () => {
    it.each([
      ['not JSON', 'not json', 400, 'PARSE_ERROR'],
      ['a string', '"hello"', 400, undefined],
      ['an array', '[]', 400, undefined],
      ['no message', '{}', 400, undefined],
      ['too much', JSON.stringify(message('x'.repeat(limit))), 413, 'PAYLOAD_TOO_LARGE'],
    ])('%s', async (_, body, status, reason) => {
      const error = restError(await rest(body));
      expect(error?.status).toBe(status);
      if (reason) expect(error?.reason).toBe(reason);
    });

    it.each(refused)('%s', async (_, params) => {
      expect(restError(await rest(params))).toMatchObject({ status: 400 });
    });

    it('names the faulty fields, of the body and of the query', async () => {
      expect(restError(await rest('{"message":{"messageId":"m","role":"ROLE_USER"}}'))?.fields).toContain(
        'message.parts',
      );
      const error = restError(await fire.http.send({ method: 'GET', path: '/tasks?pageSize=many', headers: v1 }));
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
    ])('%s %s', async (method, path, status) => {
      const body = method === 'GET' ? {} : { body: '{}' };
      const error = restError(await fire.http.send({ method, path, headers: v1, ...body }));
      expect(error?.status).toBe(status);
    });

    it('takes POSTs without a body', async () => {
      const answer = await fire.http.send({ path: '/tasks/none:cancel', headers: { 'a2a-version': '1.0' } });
      expect(restError(answer)).toMatchObject({ status: 404, reason: 'TASK_NOT_FOUND' });
    });
  });

  describe('gRPC', () => {
    const send = (method: string, content: Uint8Array, metadata = {}) =>
      fire.grpc.send(`${service}/${method}`, content, metadata);

    it('refuses bytes that are no message', async () => {
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

    it('does not know every agent', async () => {
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

    it('takes U+0000', async () => {
      const { status, messages } = await send('SendMessage', bytes('SendMessageRequest', message('say a\u0000b')));
      expect(status).toBe('OK');
      const answer = decoded('lf.a2a.v1.SendMessageResponse', messages[0] as Buffer);
      expect(answer).toMatchObject({ message: { parts: [{ text: 'a\u0000b' }] } });
    });
  });

  describe('Connect', () => {
    it.each([
      ['not JSON', 'not json', 400, 'invalid_argument'],
      ['an array', '[]', 400, 'invalid_argument'],
      ['no message', '{}', 400, 'invalid_argument'],
      ['too much', JSON.stringify(message('x'.repeat(limit))), 429, 'resource_exhausted'],
      ['an unknown agent', JSON.stringify({ tenant: 'nobody', ...message('x') }), 404, 'not_found'],
    ])('%s', async (_, body, status, code) => {
      expect(connectError(await unaryConnect(body))).toMatchObject({ status, code });
    });

    it.each(refused)('%s', async (_, params) => {
      expect(connectError(await unaryConnect(params))).toMatchObject({ code: 'invalid_argument' });
    });

    it('does not know every method', async () => {
      expect(connectError(await unaryConnect('{}', 'Frobnicate'))).toMatchObject({ code: 'unimplemented' });
    });
  });

  describe('AgentVault', () => {
    it.each([
      ['not JSON', 'not json', -32700],
      ['a batch', '[]', -32600],
      ['an unknown method', '{"jsonrpc":"2.0","id":1,"method":"tasks/frobnicate"}', -32601],
      ['bad params', '{"jsonrpc":"2.0","id":1,"method":"tasks/send","params":{"message":{}}}', -32602],
      ['an unknown task', '{"jsonrpc":"2.0","id":1,"method":"tasks/get","params":{"id":"none"}}', -32001],
    ])('%s', async (_, body, code) => {
      const answer = await rpc(body, agentVault, { 'content-type': 'application/json' });
      expect(answer.status).toBe(200);
      expect(rpcError(answer)?.code).toBe(code);
    });

    it.each(refused)('%s', async (_, params) => {
      const body = around(params).toString('latin1').replace('SendMessage', 'tasks/send');
      const answer = await rpc(Buffer.from(body, 'latin1'), agentVault, { 'content-type': 'application/json' });
      expect([-32700, -32602]).toContain(rpcError(answer)?.code);
    });
  });
});
