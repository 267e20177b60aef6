import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { newKey } from '../../../src/auth/hash.ts';
import { startGateway } from '../../support/gateway.ts';
import { modernTools, type Tools, toolsOf } from './client.ts';

/** The official clients of both eras and the command as it is started by desktop programs. */

const main = fileURLToPath(new URL('../../../src/cli/main.ts', import.meta.url));

function start(targets: readonly string[], env: Record<string, string> = {}): Promise<Tools> {
  const args = [main, 'mcp', ...targets];
  return toolsOf({ command: process.execPath, args, env, stderr: 'ignore' });
}

const gateway = await startGateway();

// Each starts the command from its sources, which takes seconds on a busy machine.
it('a2a-gateway mcp offers the agents behind a gateway', async () => {
  const { names, call } = await start([gateway.origin]);
  const offered = await names();
  expect(offered).toEqual(expect.arrayContaining(['send_message', 'list_tasks', 'demo__echo', 'hello__greet']));
  const { structured, progress } = await call('demo__echo', { message: 'stream 20 20' });
  expect(structured).toMatchObject({ state: 'completed', agent: 'demo' });
  expect(structured.text).toContain('chunk 20');
  expect(progress.length).toBeGreaterThan(1);
  const question = await call('send_message', { agent: 'demo', message: 'ask' });
  expect(question.structured.state).toBe('input-required');
  const answered = await call('send_message', {
    agent: 'demo',
    message: 'Ada',
    task_id: question.structured.task_id,
  });
  expect(answered.structured).toMatchObject({ state: 'completed', text: 'Hello, Ada' });
  const file = await call('demo__echo', { message: 'file' });
  expect(file.result.content[0]).toMatchObject({ type: 'image', mimeType: 'image/png' });
  const slow = await call('demo__echo', { message: 'stream 20 75', wait_seconds: 0 });
  expect(slow.structured.state).toBe('working');
  const done = await call('get_task', { agent: 'demo', task_id: slow.structured.task_id, wait_seconds: 10 });
  expect(done.structured).toMatchObject({ state: 'completed' });
  const listed = await call('list_tasks', { agent: 'demo', page_size: 1 });
  expect(listed.structured.tasks).toHaveLength(1);
  const failed = await call('demo__echo', { message: 'fail' });
  expect(failed.result.isError).toBe(true);
});

it('a2a-gateway mcp serves a client of MCP 2026-07-28', async () => {
  const { names, call, client } = await modernTools({
    command: process.execPath,
    args: [main, 'mcp', gateway.origin],
    stderr: 'ignore',
  });
  expect(client.getNegotiatedProtocolVersion()).toBe('2026-07-28');
  expect(await names()).toEqual(expect.arrayContaining(['send_message', 'demo__echo']));
  const { structured, progress } = await call('demo__echo', { message: 'stream 20 20' });
  expect(structured).toMatchObject({ state: 'completed', agent: 'demo' });
  expect(progress.length).toBeGreaterThan(1);
  const { honoredFilter } = await client.listen({ toolsListChanged: true });
  expect(honoredFilter).toEqual({ toolsListChanged: true });
});

it('a2a-gateway mcp explains why no gateway can be reached', async () => {
  const { client } = await start(['http://127.0.0.1:1']);
  await expect(client.listTools()).rejects.toThrow(/connection refused/);
});

it('a2a-gateway mcp cancels only the wait when the client cancels', async () => {
  const { call, client } = await start([`${gateway.origin}/demo`]);
  const giveUp = new AbortController();
  const onprogress = (): void => giveUp.abort();
  const waiting = call('send_message', { message: 'wait' }, { signal: giveUp.signal, onprogress });
  await expect(waiting).rejects.toThrow();
  const listed = await call('list_tasks', { state: 'working' });
  expect(listed.structured.tasks).toHaveLength(1);
  const [task] = listed.structured.tasks as { task_id: string }[];
  expect((await call('cancel_task', { task_id: task?.task_id })).structured.state).toBe('canceled');
  await client.ping();
});

it('a2a-gateway mcp shows the credentials of its environment', async () => {
  const { key, hash } = newKey();
  const guarded = await startGateway({
    settings: `auth: { anonymous: false, apiKeys: [{ name: alice, hash: "${hash}" }] }`,
  });
  const env = { A2A_API_KEY: key };
  const { names } = await start([guarded.origin], env);
  expect(await names()).toContain('demo__echo');
  // The card is for everybody.
  const stranger = await start([guarded.origin]);
  const { result, text } = await stranger.call('send_message', { message: 'hello' });
  expect(result.isError).toBe(true);
  expect(text).toContain('Credentials are required');
});
