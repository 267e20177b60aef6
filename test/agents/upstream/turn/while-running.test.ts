import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { Client } from '../../../../src/client/index.ts';
import { parseConfig } from '../../../../src/config/parse.ts';
import type { Task } from '../../../../src/core/model/a2a.ts';
import type { Agent } from '../../../../src/core/model/agent.ts';
import { listeningAgent } from '../../../support/agents/listening.ts';
import { silent } from '../../../support/core.ts';
import { newFolder } from '../../../support/folders.ts';
import { openGateway } from '../../../support/gateway.ts';
import { afterTest } from '../../../support/peer.ts';
import { reaches } from '../../../support/reaches.ts';
import { startBridge } from '../../../support/upstreams.ts';
import {
  type ScriptedCall,
  ids as scriptedIds,
  taskOf as scriptedTask,
  startScripted,
  statusOf,
} from '../scripted-agent.ts';

/** Messages that are forwarded to an upstream agent while it works. */

async function bridged(agent: Agent): Promise<Client> {
  const config = parseConfig('store: "memory:"\nlisten: { port: 0 }\n', { file: '/upstream.yaml' });
  const { gateway, url } = await openGateway(config, { logger: silent, agents: { demo: agent } });
  afterTest(() => gateway.close({ drainMs: 0 }));
  const bridge = await startBridge({ far: { url } });
  return bridge.client('far');
}

const taskOf = ({ task }: { task?: Task }): Task => {
  if (!task) throw new TypeError('no task');
  return task;
};

it('a message reaches the agent in the same run, and its answer is part of the task', async () => {
  const client = await bridged(listeningAgent());
  const { id } = taskOf(await client.send('listen', { returnImmediately: true }));
  const task = taskOf(await client.send('hello', { taskId: id }));
  expect(task.status.state).toBe('TASK_STATE_COMPLETED');
  expect(task.artifacts).toMatchObject([{ name: 'echo', parts: [{ text: 'hello' }] }]);
});

it('a message that the agent refuses is named by the task, which goes on until the agent ends it', async () => {
  const client = await bridged({ ...listeningAgent(), whileRunning: 'refuse' });
  const { id } = taskOf(await client.send('wait', { returnImmediately: true }));
  const message = { messageId: 'refused', role: 'ROLE_USER' as const, parts: [{ text: 'hello' }], taskId: id };
  const refused = client.sendMessage({ message });
  refused.catch(() => undefined);
  for (;;) {
    const { history = [], status } = await client.getTask({ id });
    expect(status.state).toBe('TASK_STATE_WORKING');
    if (history.some(({ messageId }) => messageId === 'refused') && status.message) break;
    await new Promise<void>((resolve) => setImmediate(resolve));
  }
  await client.cancelTask({ id });
  await expect(refused).rejects.toMatchObject({ kind: 'unsupportedOperation' });
  expect((await client.getTask({ id })).metadata?.['a2a-gateway/unanswered']).toEqual(['refused']);
});

it('messages that come before the agent has named the task are all sent to it', async () => {
  const named = Promise.withResolvers<void>();
  const got: string[] = [];
  const streams: ScriptedCall[] = [];
  const agent = await startScripted({
    async SendStreamingMessage(call) {
      streams.push(call);
      const { messageId } = call.params.message;
      if (streams.length === 1) await named.promise;
      else got.push(messageId);
      call.events({ task: scriptedTask('WORKING') });
      if (got.length < 3) return;
      for (const stream of streams) {
        stream.events(statusOf('COMPLETED'));
        stream.end();
      }
    },
    GetTask: ({ result }) => result(scriptedTask(got.length < 3 ? 'WORKING' : 'COMPLETED')),
  });
  const bridge = await startBridge({ far: { url: agent.url } });
  const client = await bridge.client('far');
  const { id } = taskOf(await client.send('first', { returnImmediately: true }));
  const further = ['one', 'two', 'three'].map((messageId) =>
    client.sendMessage({ message: { messageId, role: 'ROLE_USER', parts: [{ text: messageId }], taskId: id } }),
  );
  for (;;) {
    const { history = [] } = await client.getTask({ id });
    if (history.length === 4) break;
    await new Promise<void>((resolve) => setImmediate(resolve));
  }
  named.resolve();
  for (const answer of await Promise.all(further)) expect(taskOf(answer).status.state).toBe('TASK_STATE_COMPLETED');
  expect(got.sort()).toEqual(['one', 'three', 'two']);
});

it('a message that the agent refuses because it has just completed the task is named by the task', async () => {
  const agent = await startScripted({
    SendStreamingMessage(call) {
      if (call.before === 0) call.events({ task: scriptedTask('WORKING') });
      else call.error(-32004, 'The task is over.');
    },
    GetTask: ({ result }) => result(scriptedTask('COMPLETED')),
  });
  const bridge = await startBridge({ far: { url: agent.url } });
  const client = await bridge.client('far');
  const { id } = taskOf(await client.send('first', { returnImmediately: true }));
  const message = { messageId: 'late', role: 'ROLE_USER' as const, parts: [{ text: 'hello' }], taskId: id };
  await expect(client.sendMessage({ message })).rejects.toMatchObject({ kind: 'unsupportedOperation' });
  const { status, metadata } = await client.getTask({ id });
  expect(status.state).toBe('TASK_STATE_COMPLETED');
  expect(metadata?.['a2a-gateway/unanswered']).toEqual(['late']);
});

it('a gateway that takes a task over says which of the last messages its agent may not have got', async () => {
  const sent = Promise.withResolvers<void>();
  let isOver = false;
  const agent = await startScripted({
    SendStreamingMessage(call) {
      if (call.before === 0) call.events({ task: scriptedTask('WORKING') });
      if (call.before === 2) sent.resolve();
    },
    SubscribeToTask(call) {
      isOver = true;
      call.events({ task: scriptedTask('COMPLETED') });
      call.end();
    },
    GetTask: ({ result }) => result(scriptedTask(isOver ? 'COMPLETED' : 'WORKING')),
  });
  const store = `sqlite:${join(newFolder(), 'gateway.db')}`;
  const first = await startBridge({ far: { url: agent.url } }, store);
  const client = await first.client('far');
  const { id } = taskOf(await client.send('first', { returnImmediately: true }));
  await reaches(client, id, /WORKING/);
  for (const text of ['one', 'two']) await client.send(text, { taskId: id, returnImmediately: true });
  await sent.promise;
  await first.close();
  const second = await startBridge({ far: { url: agent.url } }, store);
  const { history = [] } = await reaches(await second.client('far'), id, /COMPLETED/);
  const texts = history.flatMap(({ parts }) => parts.map(({ text = '' }) => text));
  expect(texts).toContainEqual(expect.stringContaining('got the last 2 messages is unknown'));
});

const word = (text: string) => ({
  message: { messageId: `word-${text}`, role: 'ROLE_AGENT' as const, parts: [{ text }], ...scriptedIds },
});

it('an agent answers a message with a Message on its stream while it works, and the task goes on', async () => {
  let isOver = false;
  const subscribed = Promise.withResolvers<ScriptedCall>();
  const agent = await startScripted({
    SendStreamingMessage(call) {
      if (call.before === 0) call.events({ task: scriptedTask('WORKING') });
      else {
        call.events(word('noted'));
        call.end();
      }
    },
    SubscribeToTask(call) {
      call.events({ task: scriptedTask('WORKING') });
      subscribed.resolve(call);
    },
    GetTask: ({ result }) => result(scriptedTask(isOver ? 'COMPLETED' : 'WORKING')),
  });
  const bridge = await startBridge({ far: { url: agent.url } });
  const client = await bridge.client('far');
  const { id } = taskOf(await client.send('first', { returnImmediately: true }));
  await reaches(client, id, /WORKING/);
  const answer = client.send('more', { taskId: id });
  const stream = await subscribed.promise;
  isOver = true;
  stream.events(statusOf('COMPLETED'));
  stream.end();
  const { status, history = [] } = taskOf(await answer);
  expect(status.state).toBe('TASK_STATE_COMPLETED');
  expect(history.map(({ parts }) => parts[0]?.text)).toEqual(['first', 'more', 'noted']);
});

it('the Message with which an agent answers is part of the task, although another message came before it', async () => {
  const another = Promise.withResolvers<ScriptedCall>();
  const answered = Promise.withResolvers<void>();
  const agent = await startScripted({
    async SendStreamingMessage(call) {
      if (call.before === 1) {
        await another.promise;
        call.events(word('noted'));
        call.end();
        answered.resolve();
      } else call.events({ task: scriptedTask('WORKING') });
      if (call.before === 2) another.resolve(call);
    },
    GetTask: ({ result }) => result(scriptedTask('WORKING')),
  });
  const bridge = await startBridge({ far: { url: agent.url } });
  const client = await bridge.client('far');
  const { id } = taskOf(await client.send('first', { returnImmediately: true }));
  await reaches(client, id, /WORKING/);
  for (const text of ['one', 'two']) await client.send(text, { taskId: id, returnImmediately: true });
  const stream = await another.promise;
  await answered.promise;
  stream.events(statusOf('COMPLETED'));
  stream.end();
  const { history = [] } = await reaches(client, id, /COMPLETED/);
  expect(history.map(({ parts }) => parts[0]?.text)).toEqual(['first', 'one', 'two', 'noted']);
});
