import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Client, connect } from '../../../src/client/index.ts';
import type { Message, StreamResponse, Task } from '../../../src/core/model/a2a.ts';
import { sdks } from '../../interop/sdk/clients.ts';
import { paced } from '../../support/pace.ts';
import { peerRow } from '../../support/peer-row.ts';
import { type SdkAgent, sdkAgents } from '../../support/sdk-agents.ts';
import { type Bridge, startBridge } from '../../support/upstreams.ts';

peerRow({
  software: 'SDK for JavaScript (`@a2a-js/sdk`)',
  version: { npm: '@a2a-js/sdk' },
  role: 'agent',
  speaks: 'A2A 1.0: JSON-RPC, HTTP+JSON, gRPC',
  does: 'detects its dialect and binding, and lets clients of every generation call it',
});
peerRow({
  software: 'SDK for JavaScript (`@a2a-js/sdk`)',
  version: { npm: 'a2a-sdk-0.3' },
  role: 'agent',
  speaks: 'A2A 0.3: JSON-RPC, HTTP+JSON, gRPC',
  does: 'detects its dialect and binding, and lets clients of every generation call it',
});
peerRow({
  software: 'SDK for JavaScript (`@a2a-js/sdk`)',
  version: { npm: 'a2a-sdk-0.2' },
  role: 'agent',
  speaks: 'A2A 0.2: JSON-RPC',
  does: 'detects its dialect and binding, and lets clients of every generation call it',
});

/**
 * Servers of the official SDKs behind the gateway, which detects their dialect and binding; each serves clients of every
 * official SDK. `agent-script.ts` has their behaviour; the matrix has the other clients.
 */

const running = new Map<string, SdkAgent>();
let bridge: Bridge;
beforeAll(async () => {
  const started = await Promise.all(
    Object.entries(sdkAgents).map(async ([name, start]) => [name, await start()] as const),
  );
  for (const [name, agent] of started) running.set(name, agent);
  bridge = await startBridge(Object.fromEntries(started.map(([name, { url }]) => [name, { url }])));
});
afterAll(async () => {
  for (const agent of running.values()) await agent.close();
});

const agentOf = (name: string): SdkAgent => running.get(name) ?? expect.fail();

/** Tests do not wait longer than they must. */
const often = { interval: 5, timeout: paced(10_000) };

const wordsOf = (message: Message | undefined): string => (message?.parts ?? []).map(({ text }) => text).join('');

/** The texts of a task's artifacts, each as a whole. */
const textsOf = ({ artifacts = [] }: Task): string[] =>
  artifacts.map(({ parts }) => parts.map(({ text }) => text).join(''));

const stateOf = ({ status }: Task): string => status.state.slice('TASK_STATE_'.length);

const idOf = ({ task, statusUpdate, artifactUpdate }: StreamResponse): string =>
  task?.id ?? statusUpdate?.taskId ?? artifactUpdate?.taskId ?? '';

describe.each(Object.keys(sdkAgents))('%s behind the gateway', (agent) => {
  let client: Client;
  beforeAll(async () => {
    client = await connect(`${bridge.origin}/${agent}`, { as: 'a2a-1.0', via: 'jsonrpc' });
  });
  afterAll(() => client?.close());

  const said = (task: Task): string => wordsOf(task.status.message);

  /** Sends, and waits also where the dialect's answer comes before the end. */
  const ask = async (text: string, task?: Task): Promise<Task> => {
    const ids = task && { taskId: task.id, ...(task.contextId && { contextId: task.contextId }) };
    const { task: answer } = await client.send(text, ids);
    return until(answer?.id ?? expect.fail(), /COMPLETED|FAILED|REJECTED|INPUT/, task && /INPUT/);
  };

  /** The task when it is in this state, unless it only has not yet left the former. */
  const until = (id: string, states: RegExp, but: RegExp = /^$/): Promise<Task> =>
    expect
      .poll(async () => {
        const task = await client.getTask({ id });
        return states.test(stateOf(task)) && !but.test(stateOf(task)) ? task : undefined;
      }, often)
      .toBeDefined()
      .then(() => client.getTask({ id }));

  /** Begins a task that goes on, and follows it. */
  const begin = async (text: string) => {
    const events = client.sendStream(text)[Symbol.asyncIterator]();
    const first = await events.next();
    const rest = (async () => {
      const all: StreamResponse[] = [];
      for (let next = await events.next(); !next.done; next = await events.next()) all.push(next.value);
      return all;
    })();
    return { id: idOf(first.value), rest };
  };

  it(`${agent} behind the gateway sends a message and gets the completed task`, async () => {
    const task = await ask('hello');
    expect([stateOf(task), said(task), textsOf(task)]).toEqual(['COMPLETED', 'Done.', ['hello']]);
  });

  it(`${agent} behind the gateway gets a direct message`, async () => {
    expect(wordsOf((await client.send('say hello')).message)).toBe('hello');
  });

  it(`${agent} behind the gateway streams a task to its end`, async () => {
    const { id, rest } = await begin('chunks 3');
    const events = await rest;
    expect(events.at(-1)?.statusUpdate?.status.state).toBe('TASK_STATE_COMPLETED');
    const task = await client.getTask({ id });
    expect(textsOf(task)).toEqual(['chunk 1chunk 2chunk 3']);
    const chunks = events.flatMap(({ artifactUpdate }) => artifactUpdate?.artifact.parts.map(({ text }) => text) ?? []);
    expect(chunks).toEqual(['chunk 1', 'chunk 2', 'chunk 3']);
  });

  it(`${agent} behind the gateway answers a question of the agent`, async () => {
    const question = await ask('ask');
    expect([stateOf(question), said(question)]).toEqual(['INPUT_REQUIRED', 'What is your name?']);
    const answered = await ask('Ann', question);
    expect(answered.id).toBe(question.id);
    expect([stateOf(answered), textsOf(answered)]).toEqual(['COMPLETED', ['Hello, Ann']]);
    const texts = answered.history?.map(wordsOf) ?? [];
    expect(texts.filter((words) => words === 'Ann')).toHaveLength(1);
    expect(texts.filter((words) => words === 'ask')).toHaveLength(1);
  });

  it(`${agent} behind the gateway may use a message id again`, async () => {
    const { task: begun } = await client.send({ messageId: 'again', parts: [{ text: 'ask' }] });
    const question = await until(begun?.id ?? expect.fail(), /INPUT/);
    const ids = { taskId: question.id, ...(question.contextId && { contextId: question.contextId }) };
    await client.send({ messageId: 'again', parts: [{ text: 'Ann' }], ...ids });
    const answered = await until(question.id, /COMPLETED/);
    const texts = answered.history?.filter(({ role }) => role === 'ROLE_USER').map(wordsOf);
    expect(texts).toEqual(['ask', 'Ann']);
  });

  it(`${agent} behind the gateway gets failed and rejected tasks with their messages`, async () => {
    const failed = await ask('fail');
    expect([stateOf(failed), said(failed)]).toEqual(['FAILED', 'Failed, as asked.']);
    const rejected = await ask('reject');
    expect([stateOf(rejected), said(rejected)]).toEqual(['REJECTED', 'Rejected, as asked.']);
  });

  it(`${agent} behind the gateway gets files and data`, async () => {
    const [raw] = (await ask('file')).artifacts?.[0]?.parts ?? [];
    expect(raw?.mediaType).toBe('image/png');
    expect(raw?.raw).toMatch(/^iVBOR/);
    const [filePart] = (await ask('link')).artifacts?.[0]?.parts ?? [];
    expect(filePart).toMatchObject({ url: 'https://files.example.com/a.png', mediaType: 'image/png' });
    const [data] = (await ask('data')).artifacts?.[0]?.parts ?? [];
    expect(data?.data).toEqual({ answer: 42, list: [1, 'x'] });
  });

  it(`${agent} behind the gateway cancels a task at the agent`, async () => {
    const { canceled } = agentOf(agent);
    const before = canceled.length;
    const { id, rest } = await begin('wait');
    const answer = await client.cancelTask({ id });
    expect(stateOf(answer)).toBe('CANCELED');
    expect((await rest).at(-1)?.statusUpdate?.status.state).toBe('TASK_STATE_CANCELED');
    expect(canceled).toHaveLength(before + 1);
    // The agent knows the task by an id of its own.
    expect(canceled.at(-1)).not.toBe(id);
    expect(said(await client.getTask({ id }))).toBe('Stopped, as asked.');
    await expect(client.cancelTask({ id })).rejects.toMatchObject({ kind: 'taskNotCancelable' });
  });

  it(`${agent} behind the gateway subscribes to a running task`, async () => {
    const { id, rest } = await begin('slow');
    await until(id, /WORKING/);
    const events = client.subscribeToTask({ id })[Symbol.asyncIterator]();
    await events.next();
    agentOf(agent).release();
    const followed: StreamResponse[] = [];
    for (let next = await events.next(); !next.done; next = await events.next()) followed.push(next.value);
    expect(followed.at(-1)?.statusUpdate?.status.state).toBe('TASK_STATE_COMPLETED');
    expect((await rest).at(-1)?.statusUpdate?.status.state).toBe('TASK_STATE_COMPLETED');
    expect(textsOf(await client.getTask({ id }))).toEqual(['Done at last']);
  });

  it(`${agent} behind the gateway lists tasks, and gets the requested length of history`, async () => {
    const task = await ask('hello');
    const { tasks } = await client.listTasks({ pageSize: 100 });
    expect(tasks.map(({ id }) => id)).toContain(task.id);
    expect((await client.getTask({ id: task.id, historyLength: 1 })).history).toHaveLength(1);
    expect((await client.getTask({ id: task.id, historyLength: 0 })).history ?? []).toEqual([]);
  });

  it.each(sdks)(`${agent} behind the gateway serves $name`, async ({ connect: connectSdk }) => {
    const sdk = await connectSdk(`${bridge.origin}/${agent}`);
    expect(await sdk.send('hello')).toMatchObject({ state: 'completed', artifacts: [{ parts: [{ text: 'hello' }] }] });
    const kinds: string[] = [];
    for await (const event of sdk.stream('chunks 2')) kinds.push(Object.keys(event)[0] ?? '');
    expect(kinds).toEqual(['task', 'status', 'chunk', 'chunk', 'status']);
  });
});
