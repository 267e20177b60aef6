import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hashOf, shownHash } from '../../../src/auth/hash.ts';
import type { Gateway } from '../../../src/gateway/compose/gateway.ts';
import { openGateway } from '../../support/gateway.ts';
import {
  type KnowledgeFace,
  overConnectEs,
  overJsonRpc,
  overRest,
  type Refused,
  transports,
} from '../../support/knowledge-faces.ts';

/** Who may ask for what agents know, and how many may follow it at the same time. */

const keys = {
  reader: ['knowledge:read'],
  writer: ['knowledge'],
  sender: ['tasks'],
  looker: ['tasks:read'],
};
type Key = keyof typeof keys;

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
agents: { facts: { kind: reference, knowledge: true } }
`;
  ({ gateway, url: origin } = await openGateway(config));
});
afterAll(() => gateway.close({ drainMs: 0 }));

const faces: readonly (readonly [string, (key: Key) => KnowledgeFace])[] = [
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
async function onceThereIsRoom<T>(attempt: () => Promise<T>): Promise<T> {
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

const followed = async (face: KnowledgeFace): Promise<void> => {
  const events = await face.subscribe(subscription, 0);
  await events.next();
  await events.return?.();
};

describe.each(faces)('over %s', (_, make) => {
  const all = async (key: Key): Promise<string[]> => {
    const face = make(key);
    return [
      await fateOf(face.update({ mutations: [{ op: 'replace', statement }] })),
      await fateOf(face.query({ query: '{ statements { totalCount } }' })),
      await fateOf(onceThereIsRoom(() => followed(face))),
    ];
  };

  it('knowledge admits to everything, knowledge:read to what only reads, and other scopes to nothing', async () => {
    const no = 'PERMISSION_DENIED';
    expect(await all('writer')).toEqual(['done', 'done', 'done']);
    expect(await all('reader')).toEqual([no, 'done', 'done']);
    expect(await all('sender')).toEqual([no, no, no]);
    expect(await all('looker')).toEqual([no, no, no]);
  });

  it('subscriptions count among the streams of their caller', async () => {
    const face = make('writer');
    const events = await onceThereIsRoom(() => face.subscribe(subscription));
    const second = async () => (await face.subscribe(subscription)).next();
    expect(await fateOf(second())).toBe('TOO_MANY_REQUESTS');
    await events.return?.();
    expect(await fateOf(onceThereIsRoom(() => followed(face)))).toBe('done');
  });
});

it('callers who are not known have their requests answered with 401', async () => {
  const face = overRest(`${origin}/facts`);
  await expect(face.query({ query: '{ statements { totalCount } }' })).rejects.toMatchObject({ status: 401 });
});

it('a gateway that stops says so to those who follow', async () => {
  const face = overConnectEs(transports.gRPC?.(origin) as never, 'facts', { 'X-API-Key': 'reader' });
  const events = await onceThereIsRoom(() => face.subscribe(subscription));
  const ended = expect(events.next()).rejects.toMatchObject({ reason: 'UNAVAILABLE' });
  await gateway.close({ drainMs: 100 });
  await ended;
});
