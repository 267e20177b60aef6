import { beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { startGateway } from '../../support/gateway.ts';
import { peerRow } from '../../support/peer-row.ts';
import { type Event, errorName, type Message, type Part, type SdkClient, sdks, type Task } from './clients.ts';

peerRow({
  software: 'SDK for JavaScript (`@a2a-js/sdk`)',
  version: { npm: '@a2a-js/sdk' },
  role: 'client',
  speaks: 'A2A 1.0: JSON-RPC, HTTP+JSON, gRPC',
  does: 'serves every operation that the SDK has: messages, streams, questions, cancellation, subscriptions, webhooks, the extended card',
});
peerRow({
  software: 'SDK for JavaScript (`@a2a-js/sdk`)',
  version: { npm: 'a2a-sdk-0.3' },
  role: 'client',
  speaks: 'A2A 0.3: JSON-RPC, HTTP+JSON, gRPC',
  does: 'serves every operation that the SDK has: messages, streams, questions, cancellation, subscriptions, webhooks, the extended card',
});
peerRow({
  software: 'SDK for JavaScript (`@a2a-js/sdk`)',
  version: { npm: 'a2a-sdk-0.2' },
  role: 'client',
  speaks: 'A2A 0.2: JSON-RPC',
  does: 'serves every operation that the SDK has: messages, streams, questions, cancellation, subscriptions, webhooks, the extended card',
});

/**
 * Operations that every official SDK can do as a client, over each of its bindings. The files of the versions test those of
 * one version of A2A only.
 */

const gateway = await startGateway();

function taskOf(answer: Task | Message | undefined): Task {
  return answer && 'state' in answer ? answer : expect.fail('not a task');
}

const textOf = (parts: readonly Part[] = []): unknown => (parts[0] as { text?: string } | undefined)?.text;

async function collect(stream: AsyncIterable<Event>): Promise<Event[]> {
  const events: Event[] = [];
  for await (const event of stream) events.push(event);
  return events;
}

/** States without the mark of the last event, which A2A 1.0 does not have; other events by their kind. */
const outline = (events: readonly Event[]): string[] =>
  events.map((event) => {
    if ('task' in event) return `task ${event.task.state}`;
    if ('status' in event) return event.status.replace('!', '');
    return 'message' in event ? 'message' : 'chunk';
  });

const nameOfRefusal = (call: Promise<unknown>): Promise<string> => call.then(() => expect.fail('no error'), errorName);

describe.each(sdks)('a client of $name', ({ name: sdk, lacks, connect }) => {
  const can = (what: (typeof lacks)[number]): boolean => !lacks.includes(what);
  let client: SdkClient;
  beforeAll(async () => {
    client = await connect(gateway.origin);
  });

  const send = async (...args: Parameters<SdkClient['send']>): Promise<Task> => taskOf(await client.send(...args));

  /** A task that works until it is canceled. */
  const waiting = () => send('wait', { wait: false });

  it(`a client of ${sdk} gets a direct message`, async () => {
    const message = await client.send('say hello there');
    expect(message).toMatchObject({ role: 'agent', parts: [{ text: 'hello there' }], contextId: expect.any(String) });
  });

  it(`a client of ${sdk} gets a completed task with all kinds of parts`, async () => {
    const metadata = { k: 'v' };
    const name = (name: string) => can('names') && { name };
    const parts: Part[] = [
      { text: 'é\u0000😀', ...(can('names') && { metadata }) },
      { bytes: Buffer.from([0, 255, 7]).toString('base64'), type: 'application/octet-stream', ...name('a.bin') },
      { uri: 'https://example.com/x', ...name('x') },
      { data: { n: [1, 2.5, { deep: true }], ...(can('null') && { nothing: null }) } },
    ];
    const task = await send(parts, { metadata, contextId: 'my-context' });
    expect(task).toMatchObject({ state: 'completed', contextId: 'my-context', artifacts: [{ name: 'echo', parts }] });
    expect(task.history[0]).toMatchObject({ role: 'user', parts, metadata });
  });

  it(`a client of ${sdk} streams a task to its end`, async () => {
    const events = await collect(client.stream('stream 3 0'));
    expect(outline(events)).toEqual(['task submitted', 'working', 'chunk', 'chunk', 'chunk', 'completed']);
    const chunks = events.flatMap((event) => ('chunk' in event ? [event] : []));
    expect(chunks.map(({ chunk }) => textOf(chunk))).toEqual(['chunk 1', 'chunk 2', 'chunk 3']);
    expect(chunks.map(({ last }) => last)).toEqual([false, false, true]);
    if (can('append')) expect(chunks.map(({ append }) => append)).toEqual([false, true, true]);
  });

  it(`a client of ${sdk} streams a direct message`, async () => {
    expect(outline(await collect(client.stream('say hi')))).toEqual(['message']);
  });

  it(`a client of ${sdk} answers a question of the agent, and gets the artifact`, async () => {
    const { id: taskId, contextId, state, says } = await send('ask');
    expect([state, textOf(says?.parts)]).toEqual(['input-required', 'What is your name?']);
    const done = await send('Ada', { taskId, contextId });
    expect(done).toMatchObject({
      id: taskId,
      contextId,
      state: 'completed',
      artifacts: [{ parts: [{ text: 'Hello, Ada' }] }],
    });
  });

  it(`a client of ${sdk} answers a question of a stream in another stream`, async () => {
    const firstStream = client.stream('ask');
    const first = (await firstStream.next()).value as { task: Task };
    expect((await firstStream.next()).value).toMatchObject({ status: expect.stringMatching(/^input-required/) });
    const { id: taskId, contextId } = first.task;
    const answered = await collect(client.stream('Bob', { taskId, contextId }));
    expect(outline(answered).at(-1)).toBe('completed');
    expect(answered.flatMap((event) => ('chunk' in event ? textOf(event.chunk) : []))).toEqual(['Hello, Bob']);
    if (can('question ends stream')) expect((await firstStream.next()).done).toBe(true);
    await firstStream.return(undefined);
  });

  it.each([
    ['auth', 'auth-required'],
    ['fail', 'failed'],
    ['reject', 'rejected'],
  ])(`a client of ${sdk} gets the state and the message of the task \`%s\``, async (text, state) => {
    expect(await send(text)).toMatchObject({ state, says: { role: 'agent' } });
    const stream = client.stream(text);
    for await (const event of stream) if (outline([event])[0] === state) return;
    expect.fail(`no event ${state}`);
  });

  it(`a client of ${sdk} waits for the end of a task, or returns at once`, async () => {
    expect((await send('slow 20')).state).toBe('completed');
    const working = await waiting();
    expect(working.state).toMatch(/submitted|working/);
    await client.cancel(working.id);
  });

  it(`a client of ${sdk} reads a task with the requested length of history`, async () => {
    const { id: taskId } = await send('ask');
    const task = await send('Ada', { taskId });
    expect((await client.get(taskId, 1)).history.map(({ parts }) => textOf(parts))).toEqual(['Ada']);
    expect((await client.get(taskId, 2)).history).toHaveLength(2);
    const whole = await client.get(taskId);
    expect(whole.history).toHaveLength(3);
    expect(whole).toMatchObject({ state: task.state, artifacts: task.artifacts });
  });

  it(`a client of ${sdk} cancels a task, and gets an error the second time`, async () => {
    const { id } = await waiting();
    expect(await client.cancel(id)).toMatchObject({ id, state: 'canceled' });
    expect(await nameOfRefusal(client.cancel(id))).toBe('TaskNotCancelableError');
  });

  it(`a client of ${sdk} resubscribes, and gets the task and then its events`, async () => {
    const { id } = await waiting();
    const stream = client.resubscribe(id);
    expect((await stream.next()).value).toMatchObject({ task: { id } });
    await client.cancel(id);
    expect(outline(await collect(stream)).at(-1)).toBe('canceled');
  });

  it(`a client of ${sdk} stays subscribed while the agent waits for an answer`, async () => {
    const { id: taskId } = await send('ask');
    const stream = client.resubscribe(taskId);
    expect((await stream.next()).value).toMatchObject({ task: { id: taskId } });
    await send('Bob', { taskId });
    const rest = outline(await collect(stream));
    if (!can('question ends stream')) expect(rest.at(-1)).toBe('completed');
  });

  it(`a client of ${sdk} resubscribes to a finished task, and gets the task before A2A 1.0 and an error since`, async () => {
    const { id, state, artifacts } = await send('hello');
    const late = collect(client.resubscribe(id));
    if (can('late subscription')) expect(await late).toMatchObject([{ task: { id, state, artifacts } }]);
    else expect(await nameOfRefusal(late)).toBe('UnsupportedOperationError');
  });

  it.runIf(can('abort'))(`a client of ${sdk} leaves a stream, and resubscribes to the running task`, async () => {
    const controller = new AbortController();
    let id = '';
    const read = async (): Promise<void> => {
      for await (const event of client.stream('wait', { signal: controller.signal })) {
        if ('task' in event) id = event.task.id;
        if ('status' in event) controller.abort();
      }
    };
    await read().catch(() => undefined);
    expect(controller.signal.aborted).toBe(true);
    expect((await client.get(id)).state).toBe('working');
    const stream = client.resubscribe(id);
    expect(outline([(await stream.next()).value as Event])).toEqual(['task working']);
    await client.cancel(id);
    expect(outline(await collect(stream))).toEqual(['canceled']);
  });

  it(`a client of ${sdk} sets and reads push configurations`, async () => {
    const { id: taskId } = await send('ask');
    const push = { url: 'https://example.com/hook', token: 'tok', scheme: 'Bearer', credentials: 'c' };
    const named = can('list push') ? { ...push, id: 'hook' } : push;
    expect(await client.setPush(taskId, named)).toMatchObject(named);
    expect(await client.getPush(taskId, 'hook')).toMatchObject(named);
    expect(await nameOfRefusal(client.setPush('no-such-task', named))).toBe('TaskNotFoundError');
  });

  it.runIf(can('list push'))(
    `a client of ${sdk} lists and deletes push configurations, with and without ids`,
    async () => {
      const { id: taskId } = await send('ask');
      await client.setPush(taskId, { id: 'hook', url: 'https://example.com/hook' });
      const { id: generated } = await client.setPush(taskId, { url: 'https://example.com/other' });
      expect(generated).toBeTruthy();
      const ids = async () => (await client.listPush(taskId)).map(({ id }) => id);
      expect((await ids()).toSorted()).toEqual(['hook', generated].toSorted());
      await client.deletePush(taskId, 'hook');
      await client.deletePush(taskId, 'hook');
      expect(await ids()).toEqual([generated]);
      await expect(client.getPush(taskId, 'hook')).rejects.toThrow();
      expect(await nameOfRefusal(client.listPush('no-such-task'))).toBe('TaskNotFoundError');
    },
  );

  it.runIf(can('extended card'))(`a client of ${sdk} gets the extended card`, async () => {
    const { skills } = await client.extendedCard();
    expect(skills.map(({ id }) => id)).toContain('extended');
  });

  it(`a client of ${sdk} reaches another agent by its card`, async () => {
    const hello = await connect(`${gateway.origin}/hello`);
    // The SDK of 0.3 sends no agent over gRPC, so its card leads to the default agent.
    const answer = taskOf(await hello.send('I am Ada'));
    expect(answer.state).toBe('completed');
  });

  it(`a client of ${sdk} gets an error for an unknown task`, async () => {
    // The SDK of 0.2 prints what it throws.
    const silenced = vi.spyOn(console, 'error').mockImplementation(() => undefined);
    onTestFinished(() => silenced.mockRestore());
    const taskId = 'no-such-task';
    for (const call of [
      () => client.get(taskId),
      () => client.cancel(taskId),
      () => client.send('hello', { taskId }),
      () => collect(client.stream('hello', { taskId })),
      () => collect(client.resubscribe(taskId)),
    ]) {
      expect([call.toString(), await nameOfRefusal(call())]).toEqual([call.toString(), 'TaskNotFoundError']);
    }
  });

  it(`a client of ${sdk} gets an error for a malformed request`, async () => {
    const silenced = vi.spyOn(console, 'error').mockImplementation(() => undefined);
    onTestFinished(() => silenced.mockRestore());
    expect(await nameOfRefusal(client.send([]))).toBe('RequestMalformedError');
    expect(await nameOfRefusal(collect(client.stream([])))).toBe('RequestMalformedError');
  });

  it(`a client of ${sdk} gets an error for a message to a finished task, which it can still read`, async () => {
    const { id: taskId, state } = await send('hello');
    await expect(client.send('more', { taskId })).rejects.toThrow();
    expect((await client.get(taskId)).state).toBe(state);
  });
});
