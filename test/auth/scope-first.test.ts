import { beforeAll, expect, it } from 'vitest';
import { hashOf, shownHash } from '../../src/auth/hash.ts';
import { allDialects } from '../../src/client/index.ts';
import { api } from '../../src/core/model/a2a.ts';
import { api as knowledge } from '../../src/gen/knowledge-v1/index.ts';
import { type Running, startGateway } from '../support/gateway.ts';
import { RawGrpc, RawHttp } from '../support/raw.ts';

/** Callers without the scope get that error, and no validation errors: every operation, every binding. */

let gateway: Running;
let http: RawHttp;
let grpc: RawGrpc;
beforeAll(async () => {
  const hash = shownHash(hashOf('a key for nothing'));
  gateway = await startGateway({
    settings: `auth: { anonymous: false, apiKeys: [{ name: nobody, hash: "${hash}", scopes: [] }] }`,
  });
  http = new RawHttp(gateway.port);
  grpc = new RawGrpc(gateway.target);
});

const key = { 'x-api-key': 'a key for nothing' };
const headers = { ...key, 'content-type': 'application/json', 'a2a-version': '1.0' };
const lacking = /lacks the scope/;

const methods = allDialects().flatMap(({ name, jsonrpc }) =>
  [...(jsonrpc?.methods.keys() ?? [])].map((one) => [name, one]),
);

it.each(methods)('a caller without scopes gets no validation errors in %s: %s', async (name, method) => {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 'i', method, params: { message: 7, mutations: 7, id: {} } });
  const answer = await http.send({
    path: `/as/${name}`,
    headers: { ...key, 'content-type': 'application/json' },
    body,
  });
  expect(answer.body.toString()).not.toMatch(/must be|expected|required|violation/i);
});

it.each(['knowledge/query', 'knowledge/update', 'knowledge/subscribe', 'SendMessage'])(
  'a caller without the scope is refused before the params of %s are validated',
  async (method) => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 'i', method, params: { query: 7, mutations: 7, message: 7 } });
    const { body: answerBody } = await http.send({ path: '/', headers, body });
    expect(answerBody.toString()).toMatch(lacking);
  },
);

it.each(['/message:send', '/message:stream', '/knowledge:query', '/knowledge:update', '/knowledge:subscribe'])(
  'a caller without the scope is refused before the body of POST %s is validated',
  async (path) => {
    const answer = await http.send({ path, headers, body: '{"message":7,"mutations":7,"query":7}' });
    expect([answer.status, answer.body.toString()]).toEqual([403, expect.stringMatching(lacking)]);
  },
);

const rpcs = [api, knowledge].flatMap(({ operations }) => operations.map(({ grpcPath }) => grpcPath));

it.each(rpcs)(
  'a caller without the scope is refused before the message of %s is decoded, over Connect and gRPC',
  async (path) => {
    const sent = { ...key, 'content-type': 'application/proto' };
    const connect = await http.send({ path, headers: sent, body: Buffer.from([0xff]) });
    if (connect.status !== 415) expect(connect.body.toString()).toMatch(lacking);
    const called = await grpc.send(path, Buffer.from([0xff]), key);
    expect([called.status, called.message]).toEqual(['PERMISSION_DENIED', expect.stringMatching(lacking)]);
  },
);
