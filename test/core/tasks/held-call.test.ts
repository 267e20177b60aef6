import { describe, expect, it, vi } from 'vitest';
import { type AgentRequest, artifact, defineAgent, textOf } from '../../../src/agents/define.ts';
import { ask, progress } from '../../../src/agents/events.ts';
import type { Task, TaskState } from '../../../src/core/model/a2a.ts';
import type { Agent } from '../../../src/core/model/agent.ts';
import { statusWith } from '../../../src/core/model/agent-events.ts';
import { type Ask, askingStatus, askKey, heldMessage, openAskOf, opened } from '../../../src/core/model/ask.ts';
import { answerKey } from '../../../src/core/model/question.ts';
import type { Store } from '../../../src/core/ports/store.ts';
import { alice, TaskWriter } from '../../contract/store-fixtures.ts';
import {
  type Bench,
  collect,
  contextFor,
  openStore,
  outline,
  startCore,
  taskIn,
  userMessage,
} from '../../support/core.ts';
import { Changes } from '../../support/until.ts';

const one: Ask = { by: 'policy pay', of: ['boss'], quorum: 1, self: false, wait: 60_000, otherwise: 'deny' };
const asks = { asks: [one] };

/** An agent that records what it gets, and answers each text with itself. */
function recorder(more: Partial<Agent> = {}) {
  const got: { text: string; task: Task | undefined; extensions: readonly string[]; configuration: unknown }[] = [];
  const changes = new Changes();
  const agent = defineAgent(
    { name: 'Recorder', description: 'Records' },
    ({ text, task, extensions, ...request }: AgentRequest) => {
      got.push({ text, task, extensions: [...extensions], configuration: (request as never as Task).id });
      changes.happened();
      return text.startsWith('ask') ? ask('Which?') : artifact({ name: text, content: text });
    },
  );
  const texts = (): string[] => got.map(({ text }) => text);
  return {
    agent: { ...agent, ...more } as Agent,
    got,
    texts,
    until: (text: string) => changes.until(() => texts().includes(text)),
  };
}

/** The message with which the gateway releases what waits. */
const releasing = (task: Task, over: object = {}) => ({
  message: userMessage('', {
    parts: [{ data: { decision: 'approve' } }],
    taskId: task.id,
    metadata: { [answerKey]: { by: 'boss', way: 'admin', releases: openAskOf(task)?.seq ?? 0, ...over } },
  }),
});

const generationOf = async (bench: Bench, id: string): Promise<number> =>
  (await bench.store.findRecord({ agent: 'demo', tenant: '', principal: 'tester' }, id))?.generation ?? 0;

const hold = async (bench: Bench, text = 'pay', over: object = {}): Promise<Task> =>
  taskIn(await bench.call('SendMessage', { message: userMessage(text, over) }, asks));

describe('a call that waits until people agree', () => {
  it('is a task that waits at once, says who is asked, and its agent does not hear of it', async () => {
    const { agent, got } = recorder();
    const bench = await startCore({ demo: agent });
    const task = await hold(bench);
    expect(task.status.state).toBe('TASK_STATE_AUTH_REQUIRED');
    expect(task.status.message?.parts[0]?.text).toBe('The agent gets this call when boss agrees (policy pay).');
    expect(openAskOf(task)).toMatchObject({ seq: 1, asks: [{ by: 'policy pay', of: ['boss'], given: [] }] });
    expect(got).toEqual([]);
  });

  it('gives its stream the task that waits, and ends it', async () => {
    const { agent, got } = recorder();
    const bench = await startCore({ demo: agent });
    const events = await collect(await bench.stream('SendStreamingMessage', { message: userMessage('pay') }, asks));
    expect(outline(events)).toEqual(['task']);
    expect(events[0]?.task?.status.state).toBe('TASK_STATE_AUTH_REQUIRED');
    expect(got).toEqual([]);
  });

  it('gives a caller who sees a task that works its stream until the task is over', async () => {
    const { agent } = recorder();
    const bench = await startCore({ demo: agent });
    const over = { ...asks, semantics: { heldAsWorking: true } } as const;
    const stream = await bench.stream('SendStreamingMessage', { message: userMessage('pay') }, over);
    const { task } = (await stream.next()).value.event;
    expect(openAskOf(task)).toBeDefined();
    const rest = collect(stream);
    await bench.call('SendMessage', releasing(task));
    expect(outline(await rest)).toEqual(['artifact', 'completed']);
  });

  it('reaches its agent when it is released, as it was sent, and once', async () => {
    const { agent, got, texts } = recorder();
    const bench = await startCore({ demo: agent });
    const sent = {
      message: userMessage('pay', { metadata: { note: 'x' } }),
      configuration: { acceptedOutputModes: ['text/plain'] },
    };
    const task = taskIn(await bench.call('SendMessage', sent, { ...asks, extensions: ['urn:x'] }));
    const generation = `${await generationOf(bench, task.id)}`;
    const conditional = (): object => ({ ...releasing(task), configuration: { ifGenerationMatch: generation } });
    const outcomes = await Promise.allSettled([
      bench.call('SendMessage', conditional() as never),
      bench.call('SendMessage', conditional() as never),
    ]);
    expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    expect(texts()).toEqual(['pay']);
    expect(got[0]?.extensions).toEqual(['urn:x']);
    expect(got[0]?.task).toBeUndefined();
    const done = await bench.call('GetTask', { id: task.id });
    expect(done.status.state).toBe('TASK_STATE_COMPLETED');
    expect(done.artifacts?.map(({ name }) => name)).toEqual(['pay']);
  });

  it('waits where it continues a task, and its agent then gets the task as it was before it', async () => {
    const { agent, got, texts } = recorder();
    const bench = await startCore({ demo: agent });
    const opened = taskIn(await bench.call('SendMessage', { message: userMessage('ask') }));
    const task = await hold(bench, 'pay', { taskId: opened.id });
    expect(task.status.state).toBe('TASK_STATE_AUTH_REQUIRED');
    expect(texts()).toEqual(['ask']);
    await bench.call('SendMessage', releasing(task));
    expect(texts()).toEqual(['ask', 'pay']);
    const { task: before } = got[1] ?? {};
    expect(before?.status.state).toBe('TASK_STATE_INPUT_REQUIRED');
    expect(before?.history?.filter(({ role }) => role === 'ROLE_USER').map(textOf)).toEqual(['ask']);
  });

  it('shows no agent the message that released an earlier one', async () => {
    const { agent, got, texts } = recorder();
    const bench = await startCore({ demo: agent });
    const task = await hold(bench, 'ask first');
    await bench.call('SendMessage', releasing(task));
    await bench.call('SendMessage', { message: userMessage('second', { taskId: task.id }) });
    expect(texts()).toEqual(['ask first', 'second']);
    expect(got[1]?.task?.history?.filter(({ role }) => role === 'ROLE_USER').map(textOf)).toEqual(['ask first']);
  });

  it('is not released by a message of its caller, whatever that says', async () => {
    const { agent, got } = recorder();
    const bench = await startCore({ demo: agent });
    const task = await hold(bench);
    const saying = [
      bench.call('SendMessage', { message: userMessage('approve', { taskId: task.id }) }),
      bench.call('SendMessage', {
        message: userMessage('', { taskId: task.id, parts: [{ data: { decision: 'approve' } }] }),
      }),
      bench.call('SendMessage', releasing(task, { releases: 2 })),
      bench.stream('SendStreamingMessage', { message: userMessage('approve', { taskId: task.id }) }),
    ];
    for (const said of saying) await expect(said).rejects.toMatchObject({ kind: 'unsupportedOperation' });
    expect(got).toEqual([]);
    expect((await bench.call('GetTask', { id: task.id })).status).toEqual(task.status);
  });

  it('is withdrawn by a cancellation, of which its agent does not hear', async () => {
    const canceled: string[] = [];
    const { agent, got } = recorder({
      cancel: async ({ id }) => {
        canceled.push(id);
        return undefined;
      },
    });
    const bench = await startCore({ demo: agent });
    const task = await hold(bench);
    expect((await bench.call('CancelTask', { id: task.id })).status.state).toBe('TASK_STATE_CANCELED');
    await expect(bench.call('SendMessage', releasing(task))).rejects.toMatchObject({ kind: 'unsupportedOperation' });
    expect([canceled, got]).toEqual([[], []]);
  });

  it('gets another status while it waits, where it still has the generation', async () => {
    const { agent, got, texts } = recorder();
    const bench = await startCore({ demo: agent });
    const task = await hold(bench);
    const open = openAskOf(task) ?? expect.fail('no ask');
    const agreed = {
      ...open,
      asks: open.asks.map((each) => ({ ...each, given: [{ by: 'boss', way: 'admin', at: '' }] })),
    };
    const ids = { taskId: task.id, contextId: task.contextId ?? '' };
    const generation = await generationOf(bench, task.id);
    const settle = (status: Task['status']) => bench.service.settleWaiting({ key: task.id, generation, status });
    expect(await settle(askingStatus(agreed, ids, 0))).toBe(true);
    expect(await settle(statusWith('TASK_STATE_REJECTED', ids, 'no'))).toBe(false);
    const now = await bench.call('GetTask', { id: task.id });
    expect(openAskOf(now)?.asks[0]?.given).toEqual([{ by: 'boss', way: 'admin', at: '' }]);
    expect(got).toEqual([]);
    await bench.call('SendMessage', releasing(now));
    expect(texts()).toEqual(['pay']);
  });

  it('is one task for its idempotency key, and its agent gets it once', async () => {
    const { agent, texts } = recorder();
    const bench = await startCore({ demo: agent });
    const sent = { message: userMessage('pay') };
    const keyed = { ...asks, idempotencyKey: 'k' };
    const task = taskIn(await bench.call('SendMessage', sent, keyed));
    expect(taskIn(await bench.call('SendMessage', sent, keyed)).id).toBe(task.id);
    await bench.call('SendMessage', releasing(task));
    expect(taskIn(await bench.call('SendMessage', sent, keyed)).id).toBe(task.id);
    expect(texts()).toEqual(['pay']);
  });

  it.each(['queue', 'forward'] as const)(
    'waits for the turns before it, and no agent takes it from its messages (whileRunning: %s)',
    async (whileRunning) => {
      const changes = new Changes();
      const record: string[] = [];
      let goOn = false;
      const agent = defineAgent({ name: 'Taking', description: 'Takes' }, async function* ({ text, messages }) {
        record.push(`+${text}`);
        changes.happened();
        yield progress('on');
        void (async () => {
          for await (const message of messages) record.push(`took ${textOf(message)}`);
        })();
        await changes.until(() => goOn);
        yield artifact({ name: text, content: text });
      });
      const bench = await startCore({ demo: { ...agent, whileRunning } });
      const { id } = taskIn(
        await bench.call('SendMessage', { message: userMessage('one'), configuration: { returnImmediately: true } }),
      );
      await changes.until(() => record.includes('+one'));
      const second = hold(bench, 'pay', { taskId: id });
      while (!JSON.stringify((await bench.call('GetTask', { id })).history).includes('"pay"'))
        await new Promise<void>((resolve) => setImmediate(resolve));
      goOn = true;
      changes.happened();
      const task = await second;
      expect(task.status.state).toBe('TASK_STATE_AUTH_REQUIRED');
      expect(record).toEqual(['+one']);
      await bench.call('SendMessage', releasing(task));
      expect(record).toEqual(['+one', '+pay']);
    },
  );

  it('is refused where the gateway keeps no tasks of the agent', async () => {
    const { agent, got } = recorder();
    const passing = { ...agent, invoke: () => expect.fail('the agent was called') } as unknown as Agent;
    const bench = await startCore({ demo: passing });
    await expect(bench.call('SendMessage', { message: userMessage('pay') }, asks)).rejects.toMatchObject({
      kind: 'permissionDenied',
    });
    expect(got).toEqual([]);
  });

  it('is asked for by hooks, too', async () => {
    const { agent, got } = recorder();
    const bench = await startCore(
      { demo: agent },
      { hooks: [{ begin: () => ({ asks: [{ ...one, by: 'guard words' }] }) }] },
    );
    const task = taskIn(await bench.call('SendMessage', { message: userMessage('pay') }, asks));
    expect(openAskOf(task)?.asks.map(({ by }) => by)).toEqual(['policy pay', 'guard words']);
    expect(got).toEqual([]);
  });
});

describe('a call that waits for people when its gateway dies', () => {
  const held = heldMessage(
    { messageId: 'm', role: 'ROLE_USER', parts: [{ text: 'pay' }] },
    { asks: [one], parts: {}, extensions: ['urn:x'], hops: 0 },
  );
  const read = (bench: Bench, id: string) =>
    bench.call('GetTask', { id }, contextFor('demo', { principal: { id: alice.principal, anonymous: false } }));

  /** Resolves with the task once it has a state. */
  async function inState(bench: Bench, id: string, state: TaskState): Promise<Task> {
    for (;;) {
      const task = await read(bench, id);
      if (task.status.state === state) return task;
      await new Promise<void>((resolve) => setImmediate(resolve));
    }
  }

  /** A gateway that has taken over a task of a dead one. */
  async function takenOver(agent: Agent, task: TaskWriter, store: Store): Promise<Bench> {
    vi.spyOn(store, 'claimOrphans').mockResolvedValueOnce([(await store.load(task.key)) as never]);
    const bench = await startCore({ demo: agent }, { store });
    await bench.service.takeOver();
    return bench;
  }

  it.each<[string, Partial<Agent>]>([
    ['begins again', { restart: true }],
    ['resumes', { resume: () => expect.fail('the agent was resumed') }],
  ])('is asked for by the gateway that takes it over, where its agent %s', async (_how, more) => {
    const store = await openStore();
    const task = new TaskWriter();
    await store.append(task.create('TASK_STATE_SUBMITTED', { history: [held] }));
    const { agent, got } = recorder(more);
    const bench = await takenOver(agent, task, store);
    const { status } = await inState(bench, task.id, 'TASK_STATE_AUTH_REQUIRED');
    expect(status.message?.metadata?.[askKey]).toMatchObject({ seq: 1 });
    expect(got).toEqual([]);
  });

  it('fails its task where its agent can neither resume nor begin again, and does not reach it', async () => {
    const store = await openStore();
    const task = new TaskWriter();
    await store.append(task.create('TASK_STATE_SUBMITTED', { history: [held] }));
    const { agent, got } = recorder();
    const bench = await takenOver(agent, task, store);
    await inState(bench, task.id, 'TASK_STATE_FAILED');
    expect(got).toEqual([]);
  });

  /** A task whose held message was released, and whose agent has said nothing since. */
  async function released(store: Store): Promise<TaskWriter> {
    const task = new TaskWriter();
    const ids = { taskId: task.id, contextId: task.contextId };
    const status = askingStatus(opened({ asks: [one], parts: {}, extensions: [], hops: 0 }, 1, 0), ids, 0);
    await store.append(task.create('TASK_STATE_AUTH_REQUIRED', { history: [held], status }));
    const decision = { by: 'boss', way: 'admin', releases: 1 } as const;
    const message = userMessage('approve', { metadata: { [answerKey]: decision } });
    await store.append(task.next({ message }));
    return task;
  }

  it('reaches an agent that begins again, where it was released before', async () => {
    const store = await openStore();
    const { agent, got, until } = recorder({ restart: true });
    await takenOver(agent, await released(store), store);
    await until('pay');
    expect(got).toMatchObject([{ text: 'pay', task: undefined, extensions: ['urn:x'] }]);
  });

  it('reaches an agent that resumes, where it was released before', async () => {
    const store = await openStore();
    const texts: (string | undefined)[] = [];
    const { agent } = recorder({
      resume: async function* (_task, _context, unanswered) {
        texts.push(unanswered && textOf(unanswered.request.message));
        yield { artifactUpdate: { taskId: '', contextId: '', artifact: { artifactId: 'a', parts: [{ text: 'x' }] } } };
      },
    });
    const task = await released(store);
    const bench = await takenOver(agent, task, store);
    await inState(bench, task.id, 'TASK_STATE_COMPLETED');
    expect(texts).toEqual(['pay']);
  });
});
