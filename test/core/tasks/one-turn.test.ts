import { describe, expect, it, vi } from 'vitest';
import { type AgentRequest, artifact, defineAgent, say } from '../../../src/agents/define.ts';
import { ask, progress, status } from '../../../src/agents/events.ts';
import type { StreamResponse } from '../../../src/core/model/a2a.ts';
import type { Agent } from '../../../src/core/model/agent.ts';
import { unansweredKey } from '../../../src/core/model/turns.ts';
import { TaskWriter } from '../../contract/store-fixtures.ts';
import { type Bench, collect, openStore, startCore, taskIn, userMessage } from '../../support/core.ts';
import { Changes } from '../../support/until.ts';

type Work = (request: AgentRequest) => AsyncIterable<StreamResponse>;

/** An agent whose turns wait until the test lets them go on. It records which turns begin and end, in this order. */
function held(work?: Work) {
  const changes = new Changes();
  const record: string[] = [];
  const open = new Set<string>();
  const release = (text: string): void => {
    open.add(text);
    changes.happened();
  };
  const agent = defineAgent({ name: 'Held', description: 'Waits' }, async function* (request) {
    record.push(`+${request.text}`);
    changes.happened();
    try {
      yield progress(`on ${request.text}`);
      await changes.until(() => open.has(request.text) || request.signal.aborted);
      if (work) yield* work(request);
      else yield artifact({ name: request.text, content: request.text });
    } finally {
      record.push(`-${request.text}`);
      changes.happened();
    }
  });
  return { agent, record, release, until: (entry: string) => changes.until(() => record.includes(entry)) };
}

const configuration = { returnImmediately: true };
const first = async (bench: Bench): Promise<string> =>
  taskIn(await bench.call('SendMessage', { message: userMessage('one'), configuration })).id;
/** Resolves when a message is in the task. */
async function appended(bench: Bench, id: string, text: string): Promise<void> {
  for (;;) {
    const { history } = await bench.call('GetTask', { id });
    if (JSON.stringify(history).includes(`"${text}"`)) return;
    await new Promise<void>((resolve) => setImmediate(resolve));
  }
}

const namesOf = ({ artifacts = [] }: { artifacts?: { name?: string }[] }) => artifacts.map(({ name }) => name);
const withMode = (agent: Agent, whileRunning: Agent['whileRunning']): Agent => ({ ...agent, whileRunning });

it('a message to a task whose agent works waits until the turn before it is over, and the task completes with the last one', async () => {
  const { agent, record, release, until } = held();
  const bench = await startCore({ demo: agent });
  const taskId = await first(bench);
  const second = bench.call('SendMessage', { message: userMessage('two', { taskId }) });
  const third = bench.call('SendMessage', { message: userMessage('three', { taskId }), configuration });
  expect(taskIn(await third).status.state).toBe('TASK_STATE_WORKING');
  expect(record).toEqual(['+one']);
  for (const text of ['one', 'two', 'three']) release(text);
  const task = taskIn(await second);
  expect(record).toEqual(['+one', '-one', '+two', '-two', '+three', '-three']);
  expect(task.status.state).toBe('TASK_STATE_COMPLETED');
  expect(namesOf(task)).toEqual(['one', 'two', 'three']);
  await until('-three');
});

it('a message to a task whose agent works is in the task at once, and its agent gets the task as the turns before it have left it', async () => {
  const seen: (readonly [readonly string[], readonly (string | undefined)[]])[] = [];
  const { agent, release } = held(async function* ({ task, text }) {
    seen.push([
      (task?.history ?? []).flatMap(({ parts }) => parts.map((part) => part.text ?? '')),
      namesOf(task ?? {}),
    ]);
    yield artifact({ name: text, content: text });
  });
  const bench = await startCore({ demo: agent });
  const id = await first(bench);
  const second = bench.call('SendMessage', { message: userMessage('two', { taskId: id }) });
  await appended(bench, id, 'two');
  release('one');
  release('two');
  await second;
  expect(seen.at(-1)?.[0]).not.toContain('two');
  expect(seen.at(-1)?.[1]).toEqual(['one']);
});

it('a message to a task whose agent works begins no second turn where the turn before it says a word at its end', async () => {
  const { agent, release } = held(async function* ({ text }) {
    yield say(`done ${text}`);
  });
  const bench = await startCore({ demo: agent });
  const taskId = await first(bench);
  const second = bench.call('SendMessage', { message: userMessage('two', { taskId }) });
  await appended(bench, taskId, 'two');
  release('one');
  release('two');
  const task = taskIn(await second);
  expect(task.status).toMatchObject({ state: 'TASK_STATE_COMPLETED', message: { parts: [{ text: 'done two' }] } });
  expect(JSON.stringify(task.history)).toContain('done one');
});

it('a message to a task whose agent works is refused where it still waits when the agent ends the task, and the task names it', async () => {
  const { agent, release } = held(async function* () {
    yield { statusUpdate: { taskId: '', contextId: '', status: { state: 'TASK_STATE_REJECTED' } } };
  });
  const bench = await startCore({ demo: agent });
  const id = await first(bench);
  const message = userMessage('two', { taskId: id });
  const second = bench.call('SendMessage', { message });
  await appended(bench, id, 'two');
  release('one');
  await expect(second).rejects.toMatchObject({ kind: 'unsupportedOperation' });
  const task = await bench.call('GetTask', { id });
  expect(task.metadata?.[unansweredKey]).toEqual([message.messageId]);
});

it.each(['fails', 'is canceled'])('a message to a task whose agent works is refused where the task %s', async (how) => {
  // biome-ignore lint/correctness/useYield: it fails
  const { agent, release, record } = held(async function* () {
    throw new Error('broken');
  });
  const bench = await startCore({ demo: agent });
  const id = await first(bench);
  const message = userMessage('two', { taskId: id });
  const second = bench.call('SendMessage', { message });
  second.catch(() => undefined);
  await appended(bench, id, 'two');
  if (how === 'fails') release('one');
  else await bench.call('CancelTask', { id });
  await expect(second).rejects.toMatchObject({ kind: 'unsupportedOperation' });
  expect((await bench.call('GetTask', { id })).metadata?.[unansweredKey]).toEqual([message.messageId]);
  expect(record).not.toContain('+two');
});

it('a message to a task whose agent works is refused at once where the agent takes none while it works', async () => {
  const { agent, release } = held();
  const bench = await startCore({ demo: withMode(agent, 'refuse') });
  const id = await first(bench);
  const message = userMessage('two', { taskId: id });
  await expect(bench.call('SendMessage', { message })).rejects.toMatchObject({ kind: 'unsupportedOperation' });
  release('one');
  expect(JSON.stringify((await bench.call('GetTask', { id })).history)).not.toContain('two');
});

it('a message to a task whose agent works that came before a question does not answer it, and is worked on after the answer', async () => {
  const { agent, record, release } = held(async function* ({ text }) {
    if (text === 'one') yield ask('Which?');
    else yield artifact({ name: text, content: text });
  });
  const bench = await startCore({ demo: agent });
  const id = await first(bench);
  const second = bench.call('SendMessage', { message: userMessage('two', { taskId: id }) });
  await appended(bench, id, 'two');
  for (const text of ['one', 'two', 'answer']) release(text);
  expect(taskIn(await second).status.state).toBe('TASK_STATE_INPUT_REQUIRED');
  const task = taskIn(await bench.call('SendMessage', { message: userMessage('answer', { taskId: id }) }));
  expect(task.status.state).toBe('TASK_STATE_COMPLETED');
  expect(namesOf(task)).toEqual(['answer', 'two']);
  expect(record.filter((entry) => entry.startsWith('+'))).toEqual(['+one', '+answer', '+two']);
});

it('a message to a task whose agent works is named where its task ends while it waits for an answer', async () => {
  const { agent, release } = held(async function* () {
    yield ask('Which?');
  });
  const bench = await startCore({ demo: agent });
  const id = await first(bench);
  const message = userMessage('two', { taskId: id });
  const second = bench.call('SendMessage', { message });
  await appended(bench, id, 'two');
  release('one');
  await second;
  await bench.call('CancelTask', { id });
  expect((await bench.call('GetTask', { id })).metadata?.[unansweredKey]).toEqual([message.messageId]);
});

it('a message to a task whose agent works belongs to the turn that takes it from the messages of its context', async () => {
  const { agent, record, release } = held(async function* ({ messages }) {
    for await (const { parts } of messages) {
      yield artifact({ name: parts[0]?.text ?? '', content: 'taken' });
      return;
    }
  });
  const bench = await startCore({ demo: agent });
  const taskId = await first(bench);
  release('one');
  const task = taskIn(await bench.call('SendMessage', { message: userMessage('two', { taskId }) }));
  expect(task.status.state).toBe('TASK_STATE_COMPLETED');
  expect(namesOf(task)).toEqual(['two']);
  expect(record).toEqual(['+one', '-one']);
});

it('a message to a task whose agent works ends the messages of a context when its run is over', async () => {
  const changes = new Changes();
  let isOver = false;
  const agent = defineAgent({ name: 'Listening', description: 'Listens' }, async function* ({ messages }) {
    void (async () => {
      for await (const _ of messages);
      isOver = true;
      changes.happened();
    })();
    yield artifact({ name: 'all', content: 'done' });
  });
  const bench = await startCore({ demo: agent });
  await bench.call('SendMessage', { message: userMessage('one') });
  await changes.until(() => isOver);
});

it('a message to a task whose agent works is streamed with what belongs to it', async () => {
  const { agent, release } = held();
  const bench = await startCore({ demo: agent });
  const taskId = await first(bench);
  const stream = await bench.stream('SendStreamingMessage', { message: userMessage('two', { taskId }) });
  release('one');
  release('two');
  const events = await collect(stream);
  expect(events[0]?.task?.history?.at(-1)?.parts).toEqual([{ text: 'two' }]);
  expect(events.flatMap(({ artifactUpdate }) => artifactUpdate?.artifact.name ?? [])).toEqual(['one', 'two']);
  expect(events.at(-1)?.statusUpdate?.status.state).toBe('TASK_STATE_COMPLETED');
});

it('a message to a task whose agent works begins a further call of the same run where it is forwarded, and the task ends with the last of them', async () => {
  const { agent, record, release, until } = held();
  const bench = await startCore({ demo: withMode(agent, 'forward') });
  const taskId = await first(bench);
  const second = bench.call('SendMessage', { message: userMessage('two', { taskId }) });
  await until('+two');
  release('two');
  await until('-two');
  release('one');
  const task = taskIn(await second);
  expect(record).toEqual(['+one', '+two', '-two', '-one']);
  expect(namesOf(task)).toEqual(['two', 'one']);
});

describe('messages that wait after a restart', () => {
  /** A gateway died while its agent worked on the first message, and the second one waited. */
  async function died(agent: Agent): Promise<{ bench: Bench; id: string; waiting: string }> {
    const store = await openStore();
    const task = new TaskWriter({ owner: { agent: 'demo', tenant: '', principal: 'tester' } });
    const history = [userMessage('one', { messageId: 'm-one' })];
    await store.append(task.create('TASK_STATE_SUBMITTED', { history }));
    await store.append(task.status('TASK_STATE_WORKING'));
    await store.append(task.message('two'));
    vi.spyOn(store, 'claimOrphans').mockResolvedValueOnce([(await store.load(task.key)) as never]);
    const bench = await startCore({ demo: agent }, { store });
    const { history: kept = [] } = await bench.call('GetTask', { id: task.id });
    return { bench, id: task.id, waiting: kept.at(-1)?.messageId ?? '' };
  }

  it('messages that wait after a restart are worked on by an agent that may be started again', async () => {
    const { agent, record, release } = held();
    for (const text of ['one', 'two']) release(text);
    const { bench, id } = await died({ ...agent, restart: true });
    await bench.service.takeOver();
    await collect(await bench.stream('SubscribeToTask', { id }));
    expect(record).toEqual(['+one', '-one', '+two', '-two']);
    expect(namesOf(await bench.call('GetTask', { id }))).toEqual(['one', 'two']);
  });

  it('messages that wait after a restart are named by a task that fails since its agent cannot go on', async () => {
    const { agent } = held();
    const { bench, id, waiting } = await died(agent);
    await bench.service.takeOver();
    const task = await bench.call('GetTask', { id });
    expect(task.status.state).toBe('TASK_STATE_FAILED');
    expect(task.metadata?.[unansweredKey]).toEqual([waiting]);
  });
});

it('a message that becomes durable only when the agent has ended the task is not executed, and the task names it', async () => {
  const { agent, record, release, until } = held(async function* () {
    yield status('TASK_STATE_COMPLETED');
  });
  const store = await openStore();
  const append = store.append.bind(store);
  const arrived = Promise.withResolvers<void>();
  const stored = Promise.withResolvers<void>();
  store.append = async (...given) => {
    if (JSON.stringify(given).includes('"two"')) {
      arrived.resolve();
      await stored.promise;
    }
    return append(...given);
  };
  const bench = await startCore({ demo: withMode(agent, 'forward') }, { store });
  const taskId = await first(bench);
  const message = { ...userMessage('two', { taskId }), messageId: 'second' };
  // A message with a key goes to the agent when it is durable.
  const second = bench.call('SendMessage', { message }, { idempotencyKey: 'k' });
  second.catch(() => undefined);
  await arrived.promise;
  release('one');
  await until('-one');
  stored.resolve();
  await expect(second).rejects.toMatchObject({ kind: 'unsupportedOperation' });
  const task = await bench.call('GetTask', { id: taskId });
  expect([task.status.state, task.metadata?.[unansweredKey]]).toEqual(['TASK_STATE_COMPLETED', ['second']]);
  expect(record).toEqual(['+one', '-one']);
});
