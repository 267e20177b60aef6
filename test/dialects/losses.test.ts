import { beforeAll, expect, it } from 'vitest';
import { api as v03 } from '../../src/gen/a2a-v0_3/index.ts';
import { encode } from '../../src/wire/protobuf.ts';
import { type Running, startGateway } from '../support/gateway.ts';
import { RawGrpc, RawHttp } from '../support/raw.ts';

/** The losses of answers in every dialect: the header `A2A-Gateway-Loss`, on gRPC a trailer. */

let gateway: Running;
let http: RawHttp;
let grpc: RawGrpc;
/** A task of which every older dialect has no place for something. */
let id: string;

const json = { 'content-type': 'application/json' };

beforeAll(async () => {
  gateway = await startGateway();
  http = new RawHttp(gateway.port);
  grpc = new RawGrpc(gateway.target);
  const message = {
    messageId: 'm',
    role: 'ROLE_USER',
    parts: [{ text: 'hi', mediaType: 'text/markdown', filename: 'hi.md', metadata: { secret: 1 } }],
    extensions: ['urn:secret'],
    referenceTaskIds: ['secret'],
    metadata: { secret: { secret: 1 } },
  };
  const sent = await http.send({ path: '/message:send', headers: json, body: JSON.stringify({ message }) });
  id = JSON.parse(sent.body.toString()).task.id;
});

const files = 'history.parts.mediaType, history.parts.filename';
const artifacts = 'artifacts.parts.mediaType, artifacts.parts.filename';

it.each([
  ['a2a-1.0', undefined],
  ['a2a-0.3', [files, artifacts]],
  ['a2a-0.2', [files, artifacts]],
  ['a2a-php-0.3', [files, artifacts]],
  ['a2a-0.1', ['history.extensions, history.referenceTaskIds', files, artifacts]],
  [
    'agentvault-0.2',
    [
      'history.extensions, history.referenceTaskIds',
      'history.parts.metadata, history.parts.mediaType, history.parts.filename',
      'artifacts.parts.metadata, artifacts.parts.filename',
    ],
  ],
] as const)('losses of %s are reported over JSON-RPC', async (name, lost) => {
  const method = name === 'a2a-1.0' ? 'GetTask' : 'tasks/get';
  const body = JSON.stringify({
    jsonrpc: '2.0',
    id: 1,
    method,
    params: { id, historyLength: name === 'a2a-0.1' ? 9 : undefined },
  });
  const { headers } = await http.send({ path: `/as/${name}`, headers: json, body });
  const reported = headers['a2a-gateway-loss'] as string | undefined;
  expect(reported?.split(', ').sort()).toEqual(lost?.join(', ').split(', ').sort());
});

const ofProto = ['history.referenceTaskIds', files, artifacts].join(', ').split(', ').sort();

it('losses of A2A 0.3 are reported over HTTP+JSON', async () => {
  const { headers } = await http.send({ method: 'GET', path: `/v1/tasks/${id}` });
  const later = ['artifacts.parts.metadata', 'history.parts.metadata'];
  expect((headers['a2a-gateway-loss'] as string).split(', ').sort()).toEqual([...ofProto, ...later].sort());
});

it('losses of A2A 0.3 are reported over gRPC and Connect', async () => {
  const path = '/a2a.v1.A2AService/GetTask';
  const name = `tasks/${id}`;
  const bytes = encode(v03, 'a2a.v1.GetTaskRequest', { name });
  const { trailers, status } = await grpc.send(path, bytes);
  expect(status).toBe('OK');
  expect(String(trailers.get('a2a-gateway-loss')[0]).split(', ').sort()).toEqual(ofProto);
  const { headers } = await http.send({ path, headers: json, body: JSON.stringify({ name }) });
  expect((headers['a2a-gateway-loss'] as string).split(', ').sort()).toEqual(ofProto);
});

it('no header is sent when nothing is lost', async () => {
  const sent = await http.send({
    path: '/v1/message:send',
    headers: json,
    body: '{"message":{"messageId":"m","role":"ROLE_USER","content":[{"text":"hello"}]}}',
  });
  expect(sent.status).toBe(201);
  expect(sent.headers['a2a-gateway-loss']).toBeUndefined();
});
