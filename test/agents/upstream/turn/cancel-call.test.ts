import { beforeEach, describe, expect, test, vi } from 'vitest';
import type { UpstreamConnection } from '../../../../src/agents/upstream/connection/connection.ts';
import { IdMapping, noIds } from '../../../../src/agents/upstream/ids.ts';
import { cancelUpstream } from '../../../../src/agents/upstream/turn/cancel.ts';
import type { Message, Task, TaskStatus } from '../../../../src/core/model/a2a.ts';
import type { AgentContext } from '../../../../src/core/model/agent.ts';
import type { Call } from '../../../../src/core/model/call.ts';
import { A2AError } from '../../../../src/core/model/errors.ts';

test('an agent that has not answered a cancellation when the gateway stops waiting has timed out; the caller is still there', async () => {
  const waiting = new AbortController();
  const context = { taskId: 'ours', contextId: 'c', requestId: 'r', extensions: [], hops: 0, signal: waiting.signal };
  const invoke = ({ context: { signal } }: Call): Promise<never> => {
    const { promise, reject } = Promise.withResolvers<never>();
    signal.addEventListener('abort', () => reject(new A2AError('canceled', undefined, { cause: signal.reason })));
    waiting.abort();
    return promise;
  };
  const connection = { invoke, onRetry: () => undefined, errorForCaller: (thrown: unknown) => thrown };
  const turn = {
    upstreamTask: { id: 'theirs', contextId: 'c' },
    taskIsOver: false,
    ended: new Promise<void>(() => undefined),
    expectCancellation: () => undefined,
  };
  const canceling = cancelUpstream({
    connection: connection as never as UpstreamConnection,
    ids: new IdMapping(noIds, { agent: 'up', tenant: '', principal: 'p' }),
    context: context as never as AgentContext,
    timeout: 30_000,
    task: { id: 'ours', status: { state: 'TASK_STATE_WORKING' } },
    turn: turn as never,
  });
  await expect(canceling).rejects.toMatchObject({ kind: 'upstreamTimeout' });
});

describe('an agent that agrees to a cancellation and goes on working', () => {
  beforeEach(() => void vi.useFakeTimers());

  const said = (text: string): Message => ({ messageId: text, role: 'ROLE_AGENT', parts: [{ text }] });
  const working: TaskStatus = { state: 'TASK_STATE_WORKING', message: said('At work') };
  const task: Task = { id: 'ours', status: working };

  /** Cancels a task whose agent answers with a status. The turn reports nothing. */
  async function cancel(status: TaskStatus, turn: object | undefined): Promise<TaskStatus | undefined> {
    const { signal } = new AbortController();
    const context = { taskId: 'ours', contextId: 'c', requestId: 'r', extensions: [], hops: 0, signal };
    const health = { dialect: 'agentvault-0.2' };
    const invoke = async () => ({ value: { id: 'theirs', status } });
    const ids = { task: async () => ({ id: 'theirs', contextId: 'c' }), toOurs: async () => new Map() };
    const canceling = cancelUpstream({
      connection: { invoke, health, onRetry: () => undefined } as never as UpstreamConnection,
      ids: ids as never as IdMapping,
      context: context as never as AgentContext,
      timeout: 30_000,
      task,
      turn: turn as never,
    });
    await vi.advanceTimersByTimeAsync(10_000);
    return canceling;
  }

  test.each([
    ['no turn follows the task', undefined],
    [
      'the turn that follows it reports nothing',
      {
        upstreamTask: { id: 'theirs', contextId: 'c' },
        task,
        taskIsOver: false,
        ended: new Promise<void>(() => undefined),
        expectCancellation: () => undefined,
        pollNow: () => undefined,
      },
    ],
  ])(
    'an agent that agrees to a cancellation and goes on working ends the task with the message of its answer, and not with one that the task has: %s',
    async (_, turn) => {
      const answer = said('Cancellation request received.');
      const ended = await cancel({ state: 'TASK_STATE_WORKING', message: answer }, turn);
      expect(ended).toMatchObject({ state: 'TASK_STATE_CANCELED', message: { parts: answer.parts } });
      expect(await cancel(working, turn)).toEqual({ state: 'TASK_STATE_CANCELED' });
    },
  );
});
