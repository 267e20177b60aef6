import { fileURLToPath } from 'node:url';
import { beforeAll, expect, it } from 'vitest';
import { connect } from '../../../../src/client/index.ts';
import type { Task } from '../../../../src/core/model/a2a.ts';
import { startTools, type ToolGateway } from '../../../support/tools/gateway.ts';
import { programs } from '../../../support/tools/servers.ts';

/** Sampling requests of tool servers, which an agent of the gateway answers. */

let gateway: ToolGateway;

beforeAll(async () => {
  const program = (path: string, sampling?: string) => ({ command: process.execPath, args: [path], sampling });
  const path = fileURLToPath(new URL('../agents/model.ts', import.meta.url));
  gateway = await startTools({
    agents: { model: { kind: 'module', path } },
    servers: {
      modern: program(programs.modern, 'model'),
      old: program(programs.asking, 'model'),
      none: program(programs.modern),
      itself: program(programs.asking, 'tools'),
    },
  });
  await gateway.ready();
});

async function think(server: string, args: object = {}): Promise<Task> {
  const data = { target_mcp_server_id: server, tool_name: 'think', arguments: args };
  const { task } = await (await connect(gateway.origin)).send([{ data }]);
  return task ?? expect.fail('no task');
}
const said = (task: Task): string => task.status.message?.parts[0]?.text ?? '';
const resultOf = (task: Task) => JSON.parse(task.artifacts?.[0]?.parts[1]?.text ?? expect.fail(said(task)));
const answer = (text: string) => ({
  role: 'assistant',
  content: { type: 'text', text },
  model: 'model',
  stopReason: 'endTurn',
});

it('a server of MCP 2026-07-28 gets the answer of the agent to the whole conversation, with its wishes as metadata', async () => {
  const texts = ['Be brief.', 'User:', 'One and one?', 'Assistant:', 'Two.', 'User:', 'And two and two?'];
  const heard = { texts, wishes: { maxTokens: 10 } };
  expect(resultOf(await think('modern'))).toEqual({ thought: answer(JSON.stringify(heard)) });
});

it('a server of MCP 2025-11-25 gets it during the call, in a task of the caller', async () => {
  const task = await think('old');
  expect(resultOf(task)).toEqual(answer(JSON.stringify({ texts: ['Hello'], wishes: { maxTokens: 1 } })));
  const { tasks } = await (await connect(`${gateway.origin}/model`)).listTasks({ includeArtifacts: true });
  const said = tasks.flatMap(({ artifacts = [] }) => artifacts.flatMap(({ parts }) => parts.map(({ text }) => text)));
  expect(said).toContainEqual(expect.stringContaining('Hello'));
});

it.each([
  ['fail', 'failed'],
  ['ask', 'input'],
])('an agent that answers with a task that is no answer (%s) is refused to the server', async (say, word) => {
  expect(resultOf(await think('old', { say }))).toMatch(new RegExp(`The agent model gave no answer.*${word}`, 'i'));
});

it('a server without `sampling` is refused, and an agent of tools that is asked itself gives no answer', async () => {
  expect(said(await think('none'))).toMatch(/-32021.*sampling\/createMessage/);
  expect(resultOf(await think('itself'))).toMatch(
    /The agent tools gave no answer: .*on behalf of itself: tools -> tools/,
  );
});

it('of the requests of one call, twenty are answered', async () => {
  const outcomes = resultOf(await think('old', { times: 25 }));
  expect(outcomes.filter((one: unknown) => typeof one === 'string')).toEqual(
    Array(5).fill(expect.stringContaining('more than 20 sampling requests')),
  );
});
