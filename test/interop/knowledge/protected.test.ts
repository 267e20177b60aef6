import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hashOf, shownHash } from '../../../src/auth/hash.ts';
import type { Gateway } from '../../../src/gateway/compose/gateway.ts';
import { openGateway } from '../../support/gateway.ts';
import { type KnowledgeClient, overJsonRpc, type Refused } from '../../support/knowledge-clients.ts';

/** Protected graphs and predicates, for callers with API keys that are named as the configuration has them. */

const secret = 'https://example.org/secret';

let gateway: Gateway;
let origin: string;
beforeAll(async () => {
  const keys = ['alice', 'bob', 'hr-jobs'].map((name) => `{ name: ${name}, hash: "${shownHash(hashOf(name))}" }`);
  const config = `
listen: { port: 0 }
store: "memory:"
auth: { anonymous: false, apiKeys: [${keys.join(', ')}] }
agents:
  facts:
    kind: reference
    knowledge:
      protected:
        predicates: { "${secret}": { read: [alice, "hr-*"], write: ["hr-*"] } }
`;
  ({ gateway, url: origin } = await openGateway(config));
});
afterAll(() => gateway.close({ drainMs: 0 }));

const clientOf = (key: string): KnowledgeClient => overJsonRpc(`${origin}/facts`, { 'X-API-Key': key });

const write = (key: string): Promise<unknown> => {
  const statement = { subject: { id: `urn:${key}` }, predicate: { id: secret }, object: { value: key } };
  return clientOf(key).update({ mutations: [{ op: 'add', statement }] });
};

async function seen(key: string): Promise<number> {
  const { data } = (await clientOf(key).query({ query: `{ statements(predicate: "${secret}") { totalCount } }` })) as {
    data: { statements: { totalCount: number } };
  };
  return data.statements.totalCount;
}

describe('a protected predicate', () => {
  it('is written by the callers that its `write` names, and by no others', async () => {
    expect(await write('hr-jobs')).toMatchObject({ success: true });
    for (const key of ['alice', 'bob']) {
      const refused = (await write(key).catch((thrown: unknown) => thrown)) as Refused;
      expect(refused.reason).toBe('ALIGNMENT_VIOLATION');
    }
  });

  it('is read by the callers that its `read` names, and hidden from others', async () => {
    expect(await Promise.all(['alice', 'hr-jobs', 'bob'].map(seen))).toEqual([1, 1, 0]);
  });
});
