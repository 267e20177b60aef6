import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hashOf, shownHash } from '../../../src/auth/hash.ts';
import type { Gateway } from '../../../src/gateway/compose/gateway.ts';
import { openGateway } from '../../support/gateway.ts';
import {
  type KnowledgeClient,
  overConnectEs,
  overJsonRpc,
  overRest,
  type Refused,
  transports,
} from '../../support/knowledge-clients.ts';

/** Permission to query the knowledge of agents, and the limit of subscriptions. */

const keys = {
  reader: ['knowledge:read'],
  writer: ['knowledge'],
  other: ['knowledge'],
};
type Key = keyof typeof keys;

const secret = 'https://example.org/secret';

let gateway: Gateway;
let origin: string;
beforeAll(async () => {
  const apiKeys = Object.entries(keys).map(
    ([name, scopes]) =>
      `{ name: ${name}, hash: "${shownHash(hashOf(name))}", scopes: [${scopes.map((s) => `"${s}"`).join(', ')}] }`,
  );
  const config = `
listen: { port: 0 }
store: "memory:"
auth: { anonymous: false, apiKeys: [${apiKeys.join(', ')}] }
limits: { streams: 1 }
agents:
  facts:
    kind: reference
    knowledge: { protected: { predicates: { "${secret}": { read: [reader, "writ*"], write: ["writ*"] } } } }
`;
  ({ gateway, url: origin } = await openGateway(config));
});
afterAll(() => gateway.close({ drainMs: 0 }));

const bindings: readonly (readonly [string, (key: Key) => KnowledgeClient])[] = [
  ['JSON-RPC', (key) => overJsonRpc(`${origin}/facts`, { 'X-API-Key': key })],
  ['HTTP+JSON', (key) => overRest(`${origin}/facts`, { 'X-API-Key': key })],
  ['gRPC', (key) => overConnectEs(transports.gRPC?.(origin) as never, 'facts', { 'X-API-Key': key })],
  ['gRPC-Web', (key) => overConnectEs(transports['gRPC-Web']?.(origin) as never, 'facts', { 'X-API-Key': key })],
];

const fateOf = (promise: Promise<unknown>): Promise<string> =>
  promise.then(
    () => 'done',
    ({ reason, message }: Refused) => reason || message,
  );

/** A stream that its client has left is a stream until its server hears of it. */
async function onceAdmitted<T>(attempt: () => Promise<T>): Promise<T> {
  for (let left = 100; ; left--) {
    try {
      return await attempt();
    } catch (thrown) {
      if ((thrown as Refused).reason !== 'TOO_MANY_REQUESTS' || left === 0) throw thrown;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }
}

const subscription = { subscriptionQuery: 'subscription { statementChanged { op } }' };
const statement = { subject: { id: 'urn:a' }, predicate: { id: 'urn:p' }, object: { value: 1 } };

const followed = async (client: KnowledgeClient): Promise<void> => {
  const events = await client.subscribe(subscription, 0);
  await events.next();
  await events.return?.();
};

describe.each(bindings)('knowledge over %s', (name, make) => {
  it(`knowledge over ${name} counts subscriptions as streams of their caller`, async () => {
    const client = make('writer');
    await client.update({ mutations: [{ op: 'replace', statement }] });
    const events = await onceAdmitted(() => client.subscribe(subscription));
    const second = async () => (await client.subscribe(subscription)).next();
    expect(await fateOf(second())).toBe('TOO_MANY_REQUESTS');
    await events.return?.();
    expect(await fateOf(onceAdmitted(() => followed(client)))).toBe('done');
  });
});

it('a protected predicate is written and read by the callers that its rules name, and hidden from others', async () => {
  const write = (key: Key): Promise<string> => {
    const guarded = { subject: { id: `urn:${key}` }, predicate: { id: secret }, object: { value: key } };
    const client = overJsonRpc(`${origin}/facts`, { 'X-API-Key': key });
    return fateOf(client.update({ mutations: [{ op: 'add', statement: guarded }] }));
  };
  expect(await Promise.all((['writer', 'other'] as const).map(write))).toEqual(['done', 'ALIGNMENT_VIOLATION']);
  const seen = async (key: Key): Promise<unknown> => {
    const client = overJsonRpc(`${origin}/facts`, { 'X-API-Key': key });
    return (await client.query({ query: `{ statements(predicate: "${secret}") { totalCount } }` })).data;
  };
  const counts = await Promise.all((['reader', 'writer', 'other'] as const).map(seen));
  expect(counts).toEqual([1, 1, 0].map((totalCount) => ({ statements: { totalCount } })));
});

it('a gateway that stops ends knowledge subscriptions with an error', async () => {
  const client = overConnectEs(transports.gRPC?.(origin) as never, 'facts', { 'X-API-Key': 'reader' });
  const events = await onceAdmitted(() => client.subscribe(subscription));
  const ended = expect(events.next()).rejects.toMatchObject({ reason: 'UNAVAILABLE' });
  await gateway.close({ drainMs: 100 });
  await ended;
});
