import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { openGateway } from '../support/gateway.ts';
import { RawGrpc, RawHttp } from '../support/raw.ts';
import { credentials } from './credentials.ts';

/** The extended card where callers without credentials are admitted, and the public card declares ways to authenticate. */

const agent = fileURLToPath(new URL('../../examples/conformance-agent.ts', import.meta.url));
const gateway = await openGateway(`${credentials.replace('anonymous: false', 'anonymous: true')}
defaultAgent: tck
agents: { tck: { kind: module, path: ${JSON.stringify(agent)} }, hello: { kind: reference } }
`);
const http = new RawHttp(gateway.port);
const key = { 'x-api-key': 'key of alice' };

/** A request for the card by path and method, or by JSON-RPC method. */
const requests: Readonly<Record<string, (headers: object) => ReturnType<RawHttp['send']>>> = {
  'HTTP+JSON of 1.0': (headers) =>
    http.send({ method: 'GET', path: '/extendedAgentCard', headers: { 'a2a-version': '1.0', ...headers } }),
  'HTTP+JSON of 0.3': (headers) => http.send({ method: 'GET', path: '/v1/card', headers: { ...headers } }),
  'JSON-RPC of 1.0': (headers) => rpc('GetExtendedAgentCard', { 'a2a-version': '1.0', ...headers }),
  'JSON-RPC of 0.3': (headers) => rpc('agent/getAuthenticatedExtendedCard', headers),
};

function rpc(method: string, headers: object) {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: {} });
  return http.send({ method: 'POST', path: '/', body, headers: { 'content-type': 'application/json', ...headers } });
}

describe.each(Object.entries(requests))('over %s', (_, request) => {
  it('the extended card is refused to callers without credentials', async () => {
    const { status, body, headers } = await request({});
    expect([status, body.toString()]).toEqual([401, expect.stringContaining('Authentication required')]);
    expect(headers['www-authenticate']).toContain('ApiKey');
  });

  it('the extended card is served to callers with credentials', async () => {
    expect((await request(key)).status).toBe(200);
  });
});

it('other operations stay open to callers without credentials', async () => {
  const { status } = await http.send({ method: 'GET', path: '/tasks', headers: { 'a2a-version': '1.0' } });
  expect(status).toBe(200);
});

it('the extended card is refused to callers without credentials over gRPC', async () => {
  const grpc = new RawGrpc(gateway.target);
  const path = '/lf.a2a.v1.A2AService/GetExtendedAgentCard';
  const version = { 'a2a-version': '1.0' };
  expect((await grpc.send(path, Buffer.alloc(0), version)).status).toBe('UNAUTHENTICATED');
  expect((await grpc.send(path, Buffer.alloc(0), { ...version, ...key })).status).toBe('OK');
});
