import { beforeAll, describe, expect, test } from 'vitest';
import { A2AError } from '../../../src/core/model/errors.ts';
import { RefusedUpdates } from '../../../src/extensions/knowledge/refused-updates.ts';
import type { KnowledgeGraphPatch } from '../../../src/gen/knowledge-v1/types.ts';
import { askAdmin } from '../../support/admin.ts';
import { silent } from '../../support/core.ts';
import { adminHeaders, type Opened, openGateway } from '../../support/gateway.ts';

type Json = Record<string, unknown>;

const statement = (subject: string, predicate = 'urn:name', more: Json = {}) => ({
  subject: { id: subject },
  predicate: { id: predicate },
  object: { value: 'x' },
  ...more,
});
const add = (...args: Parameters<typeof statement>): KnowledgeGraphPatch => ({
  op: 'add',
  statement: statement(...args) as KnowledgeGraphPatch['statement'],
});

const rejected = {
  success: false,
  verificationStatus: 'Rejected - Constraint Violation',
  verificationDetails: 'minCertainty: urn:a',
};

describe('the record of refused updates', () => {
  const refuse = (record: RefusedUpdates, agent: string, mutations: KnowledgeGraphPatch[], principal = 'key:alice') =>
    record.watch({ agent, principal }, { mutations }, async () => rejected);

  test('the record of refused updates has what was proposed, by which caller, and what the rules said', async () => {
    const record = new RefusedUpdates();
    await refuse(record, 'facts', [add('urn:a')]);
    expect(record.list()).toEqual([
      {
        time: expect.stringMatching(/^\d{4}-.*Z$/),
        agent: 'facts',
        principal: 'key:alice',
        verificationStatus: 'Rejected - Constraint Violation',
        verificationDetails: 'minCertainty: urn:a',
        mutations: [add('urn:a')],
        proposed: 1,
      },
    ]);
  });

  test('the record of refused updates has forbidden updates, and passes their error on', async () => {
    const record = new RefusedUpdates();
    const forbidden = new A2AError('alignmentViolation', 'protected: urn:secret');
    const update = async () => Promise.reject(forbidden);
    const proposal = { mutations: [add('urn:a')] };
    await expect(record.watch({ agent: 'facts', principal: 'anonymous' }, proposal, update)).rejects.toBe(forbidden);
    expect(record.list()).toMatchObject([
      { verificationStatus: 'Forbidden', verificationDetails: 'protected: urn:secret' },
    ]);
  });

  test('the record of refused updates has neither accepted updates nor those that failed for another reason', async () => {
    const record = new RefusedUpdates();
    const who = { agent: 'facts', principal: 'anonymous' };
    const proposal = { mutations: [add('urn:a')] };
    await record.watch(who, proposal, async () => ({ success: true }));
    const away = async () => Promise.reject(new A2AError('unavailable', 'away'));
    await expect(record.watch(who, proposal, away)).rejects.toThrow('away');
    expect(record.list()).toEqual([]);
  });

  test('the record of refused updates keeps the latest of each agent, so that one agent cannot displace those of another', async () => {
    const record = new RefusedUpdates();
    await refuse(record, 'quiet', [add('urn:quiet')]);
    for (let i = 0; i < 200; i++) await refuse(record, 'busy', [add(`urn:${i}`)]);
    const busy = record.list('busy');
    expect(busy).toHaveLength(50);
    expect(busy[0]?.mutations).toEqual([add('urn:199')]);
    expect(busy.at(-1)?.mutations).toEqual([add('urn:150')]);
    expect(record.list('quiet')).toHaveLength(1);
    expect(record.list('unknown')).toEqual([]);
    expect(record.list().map(({ agent }) => agent)).toContain('quiet');
  });

  test('the record of refused updates keeps no more of a large update than its first changes', async () => {
    const record = new RefusedUpdates();
    const many = Array.from({ length: 10_000 }, (_, i) => add(`urn:${i}`));
    const large = [add('urn:a', 'urn:name', { object: { value: 'x'.repeat(100_000) } }), add('urn:b')];
    await refuse(record, 'facts', many);
    await refuse(record, 'facts', large);
    const [ofLarge, ofMany] = record.list();
    expect(ofMany).toMatchObject({ proposed: 10_000 });
    expect(JSON.stringify(ofMany?.mutations).length).toBeLessThan(8_500);
    expect(ofMany?.mutations?.length).toBeGreaterThan(50);
    expect(ofLarge).toMatchObject({ proposed: 2, mutations: [] });
  });
});

describe('a gateway with rules', () => {
  const lines: object[] = [];
  const logged = (fields: object) => void lines.push(fields);
  let gateway: Opened;

  beforeAll(async () => {
    gateway = await openGateway(
      `
defaultAgent: facts
agents:
  facts:
    kind: reference
    knowledge:
      minCertainty: 0.5
      protected: { predicates: { "urn:secret": { write: [] } } }
  other: { kind: reference, knowledge: { requireJustification: true } }
`,
      { logger: { ...silent, info: logged, warn: logged } },
    );
  });

  const post = async (path: string, body: Json): Promise<Json> => {
    const headers = { 'content-type': 'application/json' };
    const response = await fetch(`${gateway.url}${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
    return (await response.json()) as Json;
  };

  const propose = (agent: string, ...mutations: KnowledgeGraphPatch[]) =>
    post(`/${agent}/knowledge:update`, { mutations });

  const list = async (query = ''): Promise<Json[]> => {
    const response = await fetch(`${gateway.url}/admin/v1/knowledge/refusals${query}`, {
      headers: adminHeaders(gateway.url),
    });
    return ((await response.json()) as { updates?: Json[] }).updates ?? [];
  };

  test('a gateway with rules lists refused updates by HTTP+JSON and JSON-RPC, of one agent or of all', async () => {
    expect(await list()).toEqual([]);
    await propose('facts', add('urn:good'));
    await propose('facts', add('urn:doubtful', 'urn:name', { certainty: 0.1 }));
    await propose('facts', add('urn:mine', 'urn:secret'));
    await propose('other', add('urn:unjustified'));
    expect(await list()).toMatchObject([
      { agent: 'other', verificationDetails: expect.stringContaining('requireJustification') },
      { agent: 'facts', verificationStatus: 'Forbidden', verificationDetails: expect.stringContaining('protected') },
      { agent: 'facts', verificationDetails: expect.stringContaining('minCertainty'), principal: 'anonymous' },
    ]);
    const facts = await list('?agent=facts');
    expect(facts.map(({ agent }) => agent)).toEqual(['facts', 'facts']);
    expect(facts[1]).toMatchObject({ mutations: [add('urn:doubtful', 'urn:name', { certainty: 0.1 })], proposed: 1 });
    const params = { agent: 'facts' };
    expect(await askAdmin(gateway.url, 'ListRefusedUpdates', params)).toEqual({ updates: facts });
  });

  test('a gateway with rules writes a line of the audit log for each answer that an operator has not read before', async () => {
    await propose('facts', add('urn:new', 'urn:name', { certainty: 0.1 }));
    lines.length = 0;
    await list('?agent=facts');
    await list('?agent=facts');
    const audited = lines.filter((line) => 'security' in line);
    expect(audited).toMatchObject([
      { security: 'admin.read', operation: 'ListRefusedUpdates', principal: 'admin-key', subject: 'facts' },
    ]);
  });
});
