import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { connect } from '../../src/index.ts';
import { adminHeaders, openGateway } from '../support/gateway.ts';

/** The example of an agent that asks two others, one of which is a second gateway's, in AgentVault 0.2. */

it('the example of a planner asks both agents, passes on what they ask, and says which tasks belong together', async () => {
  const file = fileURLToPath(new URL('../../examples/planner.yaml', import.meta.url));
  const elder = await openGateway('agents: { hello: { kind: module, path: ./hello-agent.ts } }', { file });
  const text = (await readFile(file, 'utf8'))
    .replace('port: 8089', 'port: 0')
    .replace('sqlite:./data/planner.db', '"memory:"')
    .replaceAll('http://localhost:8089', elder.url);
  const { url, close } = await openGateway(text, { file });
  const client = await connect(url);
  try {
    const first = await client.send('hi');
    const taskId = first.task?.id ?? '';
    expect(first.task?.status.message).toMatchObject({
      parts: [{ text: 'What is your name?' }],
      metadata: { 'a2a-gateway/question': { by: 'hello' } },
    });
    const second = await client.send('Ada', { taskId });
    expect(second.task?.status.message).toMatchObject({ metadata: { 'a2a-gateway/question': { by: 'elder' } } });
    const { task } = await client.send('Bob', { taskId });
    expect(task?.artifacts?.[0]?.parts).toEqual([{ text: 'hello: Hello, Ada!\nelder: Hello, Bob!' }]);
    const headers = { 'content-type': 'application/json', ...adminHeaders(url) };
    const admin = async (path: string) => (await fetch(`${url}/admin/v1/${path}`, { headers })).json();
    const { tasks } = (await admin('tasks')) as { tasks: { key: string; agent: string }[] };
    const { key = '' } = tasks.find(({ agent }) => agent === 'elder') ?? {};
    const parent = { agent: 'planner', task: taskId, hops: 1 };
    expect(await admin(`tasks/${key}`)).toMatchObject({ task: { metadata: { 'a2a-gateway/parent': parent } } });
  } finally {
    await client.close();
    await close();
    await elder.close();
  }
});
