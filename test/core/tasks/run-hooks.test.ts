import { describe, expect, it } from 'vitest';
import { artifact, defineAgent } from '../../../src/agents/define.ts';
import { ask } from '../../../src/agents/events.ts';
import type { Agent } from '../../../src/core/model/agent.ts';
import { A2AError } from '../../../src/core/model/errors.ts';
import type { Run, RunHook, RunOutcome } from '../../../src/core/ports/run-hook.ts';
import { collect, startCore, taskIn, userMessage } from '../../support/core.ts';
import { Changes } from '../../support/until.ts';

const card = { name: 'Agent', description: 'Works' };

/** Records how the runs of agents begin and end. */
function recorded(begins: RunHook['begin'] = () => undefined) {
  const seen: (string | RunOutcome)[] = [];
  const runs: Run[] = [];
  const changes = new Changes();
  const hook: RunHook = {
    begin: (run, call) => {
      runs.push(run);
      seen.push(`${run.opens ? 'opens' : 'continues'} ${call ? 'by a call' : 'by itself'}`);
      return begins(run, call);
    },
    end: (_run, outcome) => {
      seen.push(outcome);
      changes.happened();
    },
  };
  return { hook, seen, runs, ended: (count: number) => changes.until(() => seen.length === 2 * count) };
}

const open = (agent: Agent, ...hooks: RunHook[]) => startCore({ demo: agent }, { hooks });

describe('hooks around runs', () => {
  it.each<[RunOutcome, Agent, boolean]>([
    ['answered', defineAgent(card, () => 'done'), false],
    ['ended', defineAgent(card, () => 'done'), true],
    ['refused', defineAgent(card, () => Promise.reject(new A2AError('invalidParams', 'no'))), false],
    ['rests', defineAgent(card, () => ask('Which one?')), false],
  ])('a hook sees how a run ends: %s', async (outcome, agent, tasksOnly) => {
    const { hook, seen, ended } = recorded();
    const bench = await open(agent, hook);
    const semantics = tasksOnly ? ({ tasksOnly } as const) : {};
    await bench.call('SendMessage', { message: userMessage('go') }, { semantics }).catch(() => undefined);
    await ended(1);
    expect(seen).toEqual(['opens by a call', outcome]);
  });

  it('a run that a hook refuses leaves no task, and hooks before it see its end', async () => {
    const first = recorded();
    const refusing: RunHook = { begin: () => Promise.reject(new A2AError('unavailable', 'full')) };
    const bench = await open(
      defineAgent(card, () => 'done'),
      first.hook,
      refusing,
    );
    await expect(bench.call('SendMessage', { message: userMessage('go') })).rejects.toThrow('full');
    expect(first.seen).toEqual(['opens by a call', 'refused']);
    expect(await bench.call('ListTasks', {})).toMatchObject({ tasks: [] });
  });

  it('metadata of hooks are those of the task from its first event on, and later hooks see the parent in them', async () => {
    const parent = { agent: 'other', task: 't1', hops: 1, root: 't0' };
    const adding: RunHook = { begin: async () => ({ metadata: { 'a2a-gateway/parent': parent } }) };
    const { hook, runs } = recorded();
    const bench = await open(
      defineAgent(card, () => ask('Which one?')),
      adding,
      hook,
    );
    const task = taskIn(await bench.call('SendMessage', { message: userMessage('go') }));
    expect(task.metadata).toMatchObject({ 'a2a-gateway/parent': parent });
    expect(runs[0]?.root).toBe('t0');
  });

  it('a hook that may fail the task has it stored before the agent gets the message', async () => {
    const stored: number[] = [];
    const { hook, runs } = recorded(() => ({ storedFirst: true }));
    const agent = defineAgent(card, () => {
      stored.push(runs[0]?.size() ?? 0);
      return new Promise(() => undefined);
    });
    const bench = await open(agent, hook);
    const configuration = { returnImmediately: true };
    const { id } = taskIn(await bench.call('SendMessage', { message: userMessage('go'), configuration }));
    expect(stored[0]).toBeGreaterThan(0);
    runs[0]?.fail(new A2AError('unavailable', 'enough'));
    await runs[0]?.stored();
    expect(await bench.call('GetTask', { id })).toMatchObject({ status: { state: 'TASK_STATE_FAILED' } });
  });

  it('events of a hook take the place of an event in their order, also where they come later', async () => {
    const words = (event: object): string => JSON.stringify(event).match(/"text":"(\w+)"/)?.[1] ?? '';
    const doubling: RunHook = {
      event: async (_run, event) => (words(event) === 'two' ? [] : event.artifactUpdate ? [event, event] : [event]),
    };
    const naming: RunHook = {
      event: (_run, event) =>
        event.artifactUpdate ? [JSON.parse(JSON.stringify(event).replace('one', 'ONE'))] : undefined,
    };
    const agent = defineAgent(card, async function* () {
      yield artifact({ artifactId: 'a', content: 'one' });
      yield artifact({ artifactId: 'b', content: 'two' });
      yield artifact({ artifactId: 'c', content: 'three' });
    });
    const bench = await open(agent, doubling, naming);
    const events = await collect(await bench.stream('SendStreamingMessage', { message: userMessage('go') }));
    expect(events.flatMap((event) => (event.artifactUpdate ? words(event) : []))).toEqual([
      'ONE',
      'ONE',
      'three',
      'three',
    ]);
  });

  it('a message that a hook puts in the place of a direct answer is the answer', async () => {
    const hiding: RunHook = {
      event: (_run, { message }) => (message ? [{ message: { ...message, parts: [{ text: 'hidden' }] } }] : undefined),
    };
    const bench = await open(
      defineAgent(card, () => 'secret'),
      hiding,
    );
    const answer = await bench.call('SendMessage', { message: userMessage('go') });
    expect(answer).toMatchObject({ message: { parts: [{ text: 'hidden' }] } });
  });

  it('a run continues a task with a begin and an end of its own', async () => {
    const { hook, seen, ended } = recorded();
    const agent = defineAgent(card, (context) => (context.task ? 'done' : ask('Which one?')));
    const bench = await open(agent, hook);
    const { id } = taskIn(await bench.call('SendMessage', { message: userMessage('go') }));
    await bench.call('SendMessage', { message: userMessage('that', { taskId: id }) });
    await ended(2);
    expect(seen).toEqual(['opens by a call', 'rests', 'continues by a call', 'ended']);
  });

  it('parts of a hook take the place of those of a message, for the hooks after it, the agent and the task', async () => {
    const seen: unknown[] = [];
    const replacing: RunHook = { begin: async () => ({ parts: [{ text: 'replaced' }] }) };
    const looking: RunHook = {
      begin: (_run, call) => {
        const request = call?.request as { readonly message: { readonly parts: unknown } } | undefined;
        seen.push(request?.message.parts);
        return undefined;
      },
    };
    const agent = defineAgent(card, ({ text, task }) => {
      seen.push(text);
      return task ? text : ask('Which one?');
    });
    const bench = await open(agent, replacing, looking);
    const { id } = taskIn(await bench.call('SendMessage', { message: userMessage('go') }));
    const { history } = taskIn(await bench.call('SendMessage', { message: userMessage('that', { taskId: id }) }));
    expect(seen).toEqual([[{ text: 'replaced' }], 'replaced', [{ text: 'replaced' }], 'replaced']);
    expect(JSON.stringify(history)).not.toMatch(/"go"|"that"/);
  });

  it('a hook changes the stream of events of an agent, and ends it with its run', async () => {
    let isEnded = false;
    const passing: RunHook = { stream: () => undefined };
    const counting: RunHook = {
      stream: (_run, events) => ({
        async next() {
          const { value, done } = await events.next();
          if (done) return { done, value };
          return { done: false, value: JSON.parse(JSON.stringify(value).replace('one', 'two')) };
        },
        async return() {
          isEnded = true;
          await events.return?.();
          return { done: true, value: undefined };
        },
      }),
    };
    const agent = defineAgent(card, async function* () {
      yield artifact({ artifactId: 'a', content: 'one' });
      yield { statusUpdate: { taskId: '', contextId: '', status: { state: 'TASK_STATE_COMPLETED' } } };
      yield artifact({ artifactId: 'a', content: 'late' });
    });
    const bench = await open(agent, passing, counting);
    const { artifacts } = taskIn(await bench.call('SendMessage', { message: userMessage('go') }));
    expect(artifacts).toMatchObject([{ parts: [{ text: 'two' }] }]);
    expect(isEnded).toBe(true);
  });

  it('a hook changes the status with which an agent cancels a task', async () => {
    const status = (text: string) => ({
      state: 'TASK_STATE_CANCELED' as const,
      message: { messageId: 'm', role: 'ROLE_AGENT' as const, parts: [{ text }] },
    });
    const hiding: RunHook = { canceled: async () => status('hidden') };
    const agent = defineAgent({ ...card, execute: () => ask('Which one?'), cancel: async () => status('secret') });
    const bench = await open(agent, hiding);
    const { id } = taskIn(await bench.call('SendMessage', { message: userMessage('go') }));
    expect(await bench.call('CancelTask', { id })).toMatchObject({
      status: { message: { parts: [{ text: 'hidden' }] } },
    });
  });
});
