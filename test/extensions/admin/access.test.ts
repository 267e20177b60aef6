import { fromJson, type JsonObject, type JsonValue, toBinary } from '@bufbuild/protobuf';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newKey } from '../../../src/auth/hash.ts';
import { api } from '../../../src/gen/admin-v1/index.ts';
import { operations } from '../../../src/gen/admin-v1/operations.ts';
import { registry } from '../../support/descriptors.ts';
import { adminHeaders, type Opened, openGateway } from '../../support/gateway.ts';
import { RawGrpc, RawHttp } from '../../support/raw.ts';

/** Access to the admin service: every operation, every binding, refused in the binding's own form. */

const keys = {
  tasks: { ...newKey(), scopes: ['tasks', 'knowledge', 'metrics'] },
  none: newKey(),
  reading: { ...newKey(), scopes: ['admin:read'] },
  operator: { ...newKey(), scopes: ['admin'] },
  ofAgents: { ...newKey(), scopes: ['admin'], agents: ['demo'] },
  ofTenants: { ...newKey(), scopes: ['admin'], tenants: ['acme'] },
};

let gateway: Opened;
let local: Opened;
let http: { readonly gateway: RawHttp; readonly local: RawHttp };
let grpc: { readonly gateway: RawGrpc; readonly local: RawGrpc };

beforeAll(async () => {
  const apiKeys = Object.entries(keys).map(([name, { key: _, ...more }]) => ({ name: name.toLowerCase(), ...more }));
  const common = { store: 'memory:', defaultAgent: 'demo', agents: { demo: { kind: 'reference' } } };
  const listen = { host: 'localhost', port: 0 };
  gateway = await openGateway(JSON.stringify({ ...common, listen, auth: { anonymous: false, apiKeys } }));
  local = await openGateway(JSON.stringify({ ...common, listen }));
  http = { gateway: new RawHttp(gateway.port), local: new RawHttp(local.port) };
  grpc = { gateway: new RawGrpc(gateway.target), local: new RawGrpc(local.target) };
});
afterAll(() => {
  for (const client of [http.gateway, http.local, grpc.gateway, grpc.local]) client.close();
});

/** The HTTP status or code of a refusal. Undefined: the call was let in, whatever came of it. */
type Refusals = Readonly<Record<'HTTP+JSON' | 'JSON-RPC' | 'Connect' | 'gRPC', unknown>>;

type Row = (typeof operations)[number];

const denied: Refusals = {
  'HTTP+JSON': [403, 'PERMISSION_DENIED'],
  'JSON-RPC': 'PERMISSION_DENIED',
  Connect: [403, 'permission_denied'],
  gRPC: 'PERMISSION_DENIED',
};
const unauthenticated: Refusals = {
  'HTTP+JSON': [401, 'UNAUTHENTICATED'],
  'JSON-RPC': 'UNAUTHENTICATED',
  Connect: [401, 'unauthenticated'],
  gRPC: 'UNAUTHENTICATED',
};

/** Parameters about what does not exist. */
function parametersOf({ name, request }: Row): JsonObject {
  const fields = api.fields.messages[request]?.fields ?? [];
  const required = fields.filter((field) => field.required).map(({ jsonName }) => jsonName);
  const values: JsonObject = {
    name: 'none',
    key: 'none',
    mode: 'AGENT_MODE_ENABLED',
    parts: [{ text: 'a' }],
    url: 'http://localhost:1',
    revision: 'none',
    catalog: 'http://localhost:1',
    reason: 'none',
    principal: 'none',
  };
  expect(Object.keys(values), name).toEqual(expect.arrayContaining(required));
  return Object.fromEntries(required.map((field) => [field, values[field] as JsonValue]));
}

const refusal = /PERMISSION_DENIED|UNAUTHENTICATED/;

/** The refusal of a call over each binding. */
async function called(row: Row, at: 'gateway' | 'local', headers: Readonly<Record<string, string>>): Promise<Refusals> {
  const { name, service, rpc, http: rules, grpcPath, request, streaming } = row;
  const [{ verb, path }] = rules;
  const params = parametersOf(row);
  const json = { 'content-type': 'application/json', ...headers };
  const body = Object.fromEntries(Object.entries(params).filter(([field]) => !path.includes(`{${field}`)));
  const rest = await http[at].send({
    method: verb,
    path: path.replace(/\{[^}]*\}/, 'none'),
    headers: verb === 'GET' ? headers : json,
    ...(verb === 'GET' ? {} : { body: JSON.stringify(body) }),
  });
  const method = `admin/${name.charAt(0).toLowerCase()}${name.slice(1)}`;
  const jsonRpc = await http[at].send({
    headers: json,
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  });
  const text = JSON.stringify(params);
  const connect = await http[at].send({
    path: `/${service}/${rpc}`,
    headers: { ...json, ...(streaming && { 'content-type': 'application/connect+json' }) },
    body: streaming ? Buffer.concat([Buffer.from([0, 0, 0, 0, text.length]), Buffer.from(text)]) : text,
  });
  const input = registry.getMessage(request);
  if (!input) throw new Error(`no message ${request}`);
  const { status } = await grpc[at].send(grpcPath, toBinary(input, fromJson(input, params, { registry })), headers);
  // A list of calls has the refusals of others.
  const restWord = rest.status === 200 ? undefined : refusal.exec(rest.body.toString())?.[0];
  const connectWord = /"code":"(permission_denied|unauthenticated)"/.exec(connect.body.toString())?.[1];
  return {
    'HTTP+JSON': restWord && [rest.status, restWord],
    'JSON-RPC': /"error":\{"code"/.test(jsonRpc.body.toString())
      ? refusal.exec(jsonRpc.body.toString())?.[0]
      : undefined,
    // The status of a stream is in its last envelope.
    Connect: connectWord && [
      streaming && connect.status === 200 ? wordStatus[connectWord] : connect.status,
      connectWord,
    ],
    gRPC: refusal.exec(status)?.[0],
  };
}

const wordStatus: Readonly<Record<string, number>> = { permission_denied: 403, unauthenticated: 401 };

const letIn: Refusals = { 'HTTP+JSON': undefined, 'JSON-RPC': undefined, Connect: undefined, gRPC: undefined };

/** Streams of those who are let in would not end: no task, or nothing happens. */
const endless = new Set(['WatchTasks', 'WatchCalls', 'WatchStatus']);

describe.each(operations.map((row) => [row.name, row] as const))('%s', (name, row) => {
  it(`${name} is refused without the scope, and for credentials that are limited to agents or tenants`, async () => {
    for (const key of ['tasks', 'none', 'ofAgents', 'ofTenants'] as const) {
      expect([key, await called(row, 'gateway', { 'x-api-key': keys[key].key })]).toEqual([key, denied]);
    }
  });

  it(`${name} is refused without credentials on this machine too, where anonymous callers may call agents`, async () => {
    for (const headers of [{}, { 'x-api-key': 'wrong' }, { origin: `http://localhost:${local.port}` }]) {
      expect(await called(row, 'local', headers)).toEqual(unauthenticated);
    }
  });

  it.skipIf(endless.has(name))(`${name} is let in with the key that the gateway made, in both headers`, async () => {
    const { 'x-api-key': key = '' } = adminHeaders(local.url);
    expect(await called(row, 'local', { 'x-api-key': key })).toEqual(letIn);
    expect(await called(row, 'local', { authorization: `Bearer ${key}` })).toEqual(letIn);
  });
});

it('streams end when their callers lose access', async () => {
  const { key } = keys.reading;
  const ending = await fetch(`${gateway.url}/admin/v1/tasks:watch`, { headers: { 'x-api-key': key } });
  expect(ending.status).toBe(200);
  const apiKeys = [{ name: 'operator', hash: keys.operator.hash, scopes: ['admin'] }];
  const listen = { host: 'localhost', port: 0 };
  const rest = { store: 'memory:', defaultAgent: 'demo', agents: { demo: { kind: 'reference' as const } } };
  await gateway.gateway.reload({ ...rest, listen, auth: { anonymous: false, apiKeys } });
  expect(await ending.text()).toContain('UNAUTHENTICATED');
});
