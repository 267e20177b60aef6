import { setTimeout as delay } from 'node:timers/promises';
import { beforeAll, expect, it } from 'vitest';
import type { Agent } from '../../../src/core/model/agent.ts';
import { sharedPostgres } from '../../support/postgres.ts';
import { type Replica, startReplica } from '../../support/replicas.ts';
import formAsker from './agents/form-asker.ts';
import { askedClient } from './asking-clients.ts';

/** Clients of both eras at two gateways on one database. */

beforeAll(() => sharedPostgres());

/** Says nothing about an answer for a while. */
const silentAsker: Agent = {
  ...formAsker,
  async *execute(request, context) {
    if (context.task) await delay(500);
    yield* formAsker.execute(request, context);
  },
};
const agents: Readonly<Record<string, Agent>> = { asker: formAsker, silent: silentAsker };
async function replicas(): Promise<[Replica, Replica]> {
  const database = await (await sharedPostgres()).migrated();
  const options = { agents };
  return [await startReplica(database, 'one', options), await startReplica(database, 'two', options)];
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
});

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
});

it('clients that answer one question at two replicas get the result, although the agent says nothing at first', async () => {
  const [one, two] = await replicas();
  const callerOf = async ({ url }: Replica) => {
    const { client } = await askedClient('2026-07-28', `${url}/silent/mcp`, () => expect.fail());
    return async (more: object = {}) => {
      const params = { name: 'send_message', arguments: { message: 'word' }, ...more };
      return (await client.callTool(params, { allowInputRequired: true })) as Record<string, unknown>;
    };
  };
  const [first, second] = [await callerOf(one), await callerOf(two)];
  const { requestState } = await first();
  const more = { requestState, inputResponses: { answer: accepted } };
  const results = await Promise.all([first(more), second(more)]);
  const structuredContent = { state: 'completed', text: '"so"' };
  expect(results).toMatchObject([{ structuredContent }, { structuredContent }]);
  expect(JSON.stringify(results).match(/The question has been answered/g)).toHaveLength(1);
});
