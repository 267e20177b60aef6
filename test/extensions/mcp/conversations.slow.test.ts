import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import { adminKeyVariable } from '../../../src/auth/admin-key.ts';
import { askAdmin } from '../../support/admin.ts';
import { printed, startCli } from '../../support/cli.ts';
import { newFolder } from '../../support/folders.ts';
import { openGateway } from '../../support/gateway.ts';
import { paced } from '../../support/pace.ts';
import { afterTest } from '../../support/peer.ts';
import { sharedPostgres } from '../../support/postgres.ts';
import { startModern } from '../../support/tools/modern-server.ts';
import { vaultClient } from '../../support/vault-client.ts';
import { askedClient } from './asking-clients.ts';

/** Whole conversations: gateways as processes on one database, with real peers on both sides. */

const adminKey = 'agk_whole_conversations_of_the_tests';
const headers = { 'x-api-key': adminKey };
const folder = newFolder();

beforeAll(async () => {
  await sharedPostgres();
});

/** Starts replicas of a configuration. */
async function replicasOf(agents: object) {
  const store = await (await sharedPostgres()).migrated();
  const config = join(folder, 'gateway.json');
  await writeFile(config, JSON.stringify({ listen: { host: '127.0.0.1', port: 0 }, store, ...agents }));
  return {
    async start() {
      const child = startCli(['serve', '--config', config], { env: { [adminKeyVariable]: adminKey } });
      const [origin] = /http:\/\/[\w.]+:\d+/.exec(await printed(child, /http:\/\/[\w.]+:\d+/)) ?? expect.fail();
      return { child, origin };
    },
  };
}

async function kill(child: ChildProcess): Promise<void> {
  child.kill('SIGKILL');
  await once(child, 'exit');
}

it(
  'a question of a tool of MCP 2026-07-28 to a caller of AgentVault 0.2 is answered from the inbox of another replica after a crash',
  async () => {
    const tools = await startModern();
    afterTest(tools.close);
    const cluster = await replicasOf({
      defaultAgent: 'tools',
      agents: { tools: { kind: 'mcp', servers: { booking: { url: tools.url } } } },
    });
    const [one, two] = await Promise.all([cluster.start(), cluster.start()]);

    const content = { target_mcp_server_id: 'booking', tool_name: 'book', arguments: {} };
    const id = await vaultClient(`${one.origin}/`).send({
      role: 'user',
      parts: [{ type: 'data', content, mediaType: 'application/json' }],
    });
    await expect.poll(async () => (await vaultClient(`${one.origin}/`).get(id)).state).toBe('INPUT_REQUIRED');
    await kill(one.child);

    const client = vaultClient(`${two.origin}/`);
    const frames = client.follow(id);
    const { questions: [question] = [] } = await askAdmin(two.origin, 'ListQuestions', {}, headers);
    expect(question).toMatchObject({
      text: 'Who?\nHow old?',
      by: 'booking',
      task: { id, state: 'TASK_STATE_INPUT_REQUIRED' },
    });
    const { key = '' } = question?.task ?? {};
    const answer = (age: unknown) => ({ key, parts: [{ data: { who: { name: 'Ada' }, age: { age } } }] });
    await expect(askAdmin(two.origin, 'AnswerQuestion', answer('old'), headers)).rejects.toThrow(/age/);
    await askAdmin(two.origin, 'AnswerQuestion', answer(36), headers);
    await expect(askAdmin(two.origin, 'AnswerQuestion', answer(37), headers)).rejects.toThrow('answered already');

    const result = {
      who: { action: 'accept', content: { name: 'Ada' } },
      age: { action: 'accept', content: { age: 36 } },
    };
    const text = JSON.stringify({ ...result, state: 'opaque' });
    const told = (await frames).flatMap(({ data }) => data.state ?? []);
    expect(told).toEqual(['SUBMITTED', 'WORKING', 'INPUT_REQUIRED', 'WORKING', 'COMPLETED']);
    const { state, messages } = await client.get(id);
    expect([state, messages.at(-1).parts[0].content.mcp_result.content]).toEqual([
      'COMPLETED',
      [{ type: 'text', text }],
    ]);
    expect(tools.requests.filter(({ method }) => method === 'tools/call')).toHaveLength(2);
  },
  paced(120_000),
);

it(
  'a question of an agent of A2A 0.1 to a client of MCP 2026-07-28 is answered from the inbox of another replica after a crash',
  async () => {
    const elsewhere = await openGateway('agents: { demo: { kind: reference } }');
    const card = `${elsewhere.url}/demo/as/a2a-0.1/.well-known/agent-card.json`;
    const cluster = await replicasOf({ agents: { old: { kind: 'upstream', url: card, dialect: 'a2a-0.1' } } });
    const [one, two] = await Promise.all([cluster.start(), cluster.start()]);
    const call = async (origin: string, more: object = {}) => {
      const { client } = await askedClient('2026-07-28', `${origin}/old/mcp`, () => expect.fail());
      const params = { name: 'send_message', arguments: { message: 'ask' }, ...more };
      return (await client.callTool(params, { allowInputRequired: true })) as Record<string, unknown>;
    };

    const asked = await call(one.origin);
    expect(asked).toMatchObject({
      resultType: 'input_required',
      inputRequests: { answer: { params: { message: 'What is your name?' } } },
    });
    await kill(one.child);

    const { questions: [question] = [] } = await askAdmin(two.origin, 'ListQuestions', {}, headers);
    const { key = '' } = question?.task ?? {};
    await askAdmin(two.origin, 'AnswerQuestion', { key, parts: [{ text: 'Ada' }] }, headers);
    // The client answers, too, and learns that it was not the first.
    const inputResponses = { answer: { action: 'accept', content: { answer: 'Bob' } } };
    expect(await call(two.origin, { requestState: asked.requestState, inputResponses })).toMatchObject({
      content: [{ text: '[The question has been answered, by admin-key]' }, { text: 'Hello, Ada' }, {}],
      structuredContent: { task_id: question?.task.id, state: 'completed' },
    });
  },
  paced(120_000),
);
