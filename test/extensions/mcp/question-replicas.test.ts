import { beforeAll, expect, it } from 'vitest';
import type { Agent } from '../../../src/core/model/agent.ts';
import { sharedPostgres } from '../../support/postgres.ts';
import { openReplica, type Replica } from '../../support/replicas.ts';
import formAsker from './agents/form-asker.ts';
import { askedClient } from './asking-clients.ts';

/** Clients of both eras at two gateways on one database. */

beforeAll(() => sharedPostgres(), 60_000);

const agents: Readonly<Record<string, Agent>> = { asker: formAsker };
async function replicas(): Promise<[Replica, Replica]> {
  const database = await (await sharedPostgres()).migrated();
  const options = { agents };
  return [await openReplica(database, 'one', options), await openReplica(database, 'two', options)];
}
const accepted = { action: 'accept' as const, content: { answer: 'so' } };

it('a requestState of MCP 2026-07-28 continues the call at another replica', async () => {
  const [one, two] = await replicas();
  const { call } = await askedClient('2026-07-28', `${one.url}/asker/mcp`, () => accepted, {
    route: (body) => (body.includes('"requestState"') ? `${two.url}/asker/mcp` : undefined),
  });
  expect((await call('send_message', { message: 'word' })).structured).toMatchObject({
    state: 'completed',
    text: '"so"',
  });
}, 60_000);

it('a client of MCP 2025-11-25 may respond at another replica than the one that waits', async () => {
  const [one, two] = await replicas();
  const elsewhere: string[] = [];
  const { call } = await askedClient('2025-11-25', `${one.url}/asker/mcp`, () => accepted, {
    route: (body) => {
      if (!body.includes('"result"')) return undefined;
      elsewhere.push(body);
      return `${two.url}/asker/mcp`;
    },
  });
  const { structured, text } = await call('send_message', { message: 'word' });
  expect(structured).toMatchObject({ state: 'completed', text: '"so"' });
  expect(text).toContain('The question has been answered, by');
  expect(elsewhere).toHaveLength(1);
}, 60_000);
