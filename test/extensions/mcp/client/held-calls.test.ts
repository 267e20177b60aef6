import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { readInputRequired } from '../../../../src/extensions/mcp/client/questions.ts';
import { createHeldCalls, RunningCall } from '../../../../src/extensions/mcp/client/running-call.ts';
import { connectProcess } from '../../../../src/extensions/mcp/client/session/connect.ts';
import { SessionServer } from '../../../../src/extensions/mcp/client/session/session-server.ts';
import { silent } from '../../../support/core.ts';
import { afterTest } from '../../../support/peer.ts';
import { programs } from '../../../support/tools/servers.ts';

/** Calls that stay open while their tool asks (MCP 2025-11-25 and before), and the bounds of questions. */

const endless = () =>
  new RunningCall(
    ({ signal }) =>
      new Promise((_, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason), { once: true });
      }),
  );

it('a thousand calls may wait for answers, and no more', () => {
  const held = createHeldCalls();
  for (let i = 0; i < 1_000; i += 1) held.hold(`task ${i}`, endless(), 60_000);
  expect(() => held.hold('one more', endless(), 60_000)).toThrow('Too many tool calls wait for answers');
  held.end('task 7', 'The task was canceled');
  held.hold('one more', endless(), 60_000);
  expect([held.has('task 7'), held.has('one more')]).toEqual([false, true]);
  held.close();
});

it('a call whose question is not answered in time is ended', async () => {
  const held = createHeldCalls();
  const call = endless();
  held.hold('task', call, 20);
  await expect(call.next()).rejects.toThrow('The question of the tool was not answered in time');
  expect(held.has('task')).toBe(false);
});

it.each([
  [65_000, 'is asked'],
  [66_000, 'is refused'],
])('a question with a schema of %i characters %s', (length, outcome) => {
  const requestedSchema = { type: 'object', properties: { a: { type: 'string', description: 'x'.repeat(length) } } };
  const inputRequests = { a: { method: 'elicitation/create', params: { message: 'A?', requestedSchema } } };
  const read = () => readInputRequired({ inputRequests }, {});
  if (outcome === 'is asked') expect(Object.keys(read().questions)).toEqual(['a']);
  else expect(read).toThrow('exceeds 65536 characters');
});

it('a question of a program reaches the only call that it can belong to, and never another caller', async () => {
  const settings = { command: process.execPath, args: [programs.asking], env: {}, cwd: '.', maxResult: 1_000_000 };
  const server = new SessionServer({
    name: 'asking',
    connect: connectProcess(
      { ...settings, type: 'stdio', timeout: 30_000, taskTimeout: 30_000, answerTimeout: 30_000, deny: [] },
      silent,
      'asking',
    ),
    timeout: 30_000,
    taskTimeout: 30_000,
    version: '1',
    logger: silent,
  });
  afterTest(() => server.close());
  const asked: string[] = [];
  const answers = Promise.withResolvers<object>();
  const order = (caller: string, name: string) =>
    server.call({
      name: 'order',
      arguments: {},
      hops: 1,
      caller,
      signal: AbortSignal.timeout(20_000),
      onProgress: () => undefined,
      onAsk: () => {
        asked.push(name);
        return answers.promise as Promise<Record<string, unknown>>;
      },
    });
  const first = order('ada', 'first of ada');
  await expect.poll(() => asked).toEqual(['first of ada']);
  const second = order('ada', 'second of ada');
  await expect.poll(() => asked).toEqual(['first of ada', 'second of ada']);
  const foreign = await order('bob', 'of bob');
  expect(JSON.stringify(foreign)).toContain('the question belongs to no tool call, or several are under way');
  await sleep(50);
  answers.resolve({ action: 'accept', content: { size: 7 } });
  await Promise.all([first, second]);
  expect(asked).toEqual(['first of ada', 'second of ada']);
});
