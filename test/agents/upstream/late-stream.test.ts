import { describe, expect, it } from 'vitest';
import { LateStream } from '../../../src/agents/upstream/late-stream.ts';
import type { Artifact, Message, StreamResponse, Task, TaskState } from '../../../src/core/model/a2a.ts';
import { copyTask, fold } from '../../../src/core/model/fold.ts';
import { difference, mergeTasks } from '../../../src/core/model/task-diff.ts';

/** Streams that were opened after their message was sent, of agents whose messages have no ids. */

let ids = 0;
const message = (text: string, role: Message['role'] = 'ROLE_AGENT'): Message => {
  ids += 1;
  return { messageId: `m-${ids}`, role, parts: [{ text }] };
};
const artifact = (artifactId: string, text: string): Artifact => ({ artifactId, parts: [{ text }] });
const taskOf = (state: string, history: readonly Message[], artifacts: readonly Artifact[] = []): Task => ({
  id: 't',
  contextId: 'c',
  status: { state: `TASK_STATE_${state}` as TaskState },
  history: [...history],
  artifacts: [...artifacts],
});
const end = (state: string, said?: Message): StreamResponse => ({
  statusUpdate: {
    taskId: 't',
    contextId: 'c',
    status: { state: `TASK_STATE_${state}` as TaskState, ...(said && { message: said }) },
  },
});

interface Case {
  readonly known: Task;
  readonly reported: Task;
  readonly last: StreamResponse;
  /** Artifacts of the stream. */
  readonly brought?: readonly Artifact[];
}

/** The task after the stream, and its updates before the last event. */
function after({ known, reported, last, brought = [] }: Case) {
  const stream = new LateStream();
  for (const one of brought) stream.note({ artifactUpdate: { taskId: 't', contextId: 'c', artifact: one } });
  const missed = stream.missed(known, reported, last);
  const updates = missed ? difference(known, mergeTasks(known, missed)) : [];
  const task = [...updates, last].reduce((folded: Task, event) => fold(folded, event), copyTask(known));
  const { history = [], artifacts = [], status } = task;
  const texts = [...history, ...(status.message ? [status.message] : [])].map(({ parts }) => parts[0]?.text);
  return { updates, texts, artifacts: artifacts.map(({ parts }) => parts[0]?.text), state: status.state };
}

describe('a stream that was opened after its message was sent', () => {
  const asked = message('Book it', 'ROLE_USER');

  it('a stream that was opened after its message was sent brings everything when the agent has done nothing before', () => {
    const known = taskOf('WORKING', [asked, message('On it')], [artifact('a', 'Booked')]);
    const history = [message('Book it', 'ROLE_USER'), message('On it'), message('Done')];
    const reported = taskOf('COMPLETED', history, [artifact('a', 'Booked')]);
    const { updates } = after({
      known,
      reported,
      last: end('COMPLETED', message('Done')),
      brought: [artifact('a', 'Booked')],
    });
    expect(updates).toEqual([]);
  });

  it('a stream that was opened after its message was sent adds what came before it in the order of the agent', () => {
    const known = taskOf('WORKING', [asked, message('Second'), message('Fourth')]);
    const history = ['First', 'Second', 'Third', 'Fourth', 'Done'].map((text) => message(text));
    const reported = taskOf('COMPLETED', [message('Book it.', 'ROLE_USER'), ...history]);
    const found = after({ known, reported, last: end('COMPLETED', message('Done')) });
    expect(found.texts).toEqual(['Book it', 'First', 'Second', 'Third', 'Fourth', 'Done']);
    expect(found.state).toBe('TASK_STATE_COMPLETED');
  });

  it('a stream that was opened after its message was sent brings equal messages as often as the agent has said them', () => {
    const known = taskOf('WORKING', [asked, message('Wait')]);
    const reported = taskOf('COMPLETED', [message('Wait'), message('Wait'), message('Wait')]);
    expect(after({ known, reported, last: end('COMPLETED') }).texts).toEqual(['Book it', 'Wait', 'Wait', 'Wait']);
    const last = end('COMPLETED', message('Wait'));
    expect(after({ known, reported, last }).texts).toEqual(['Book it', 'Wait', 'Wait', 'Wait']);
  });

  it('a stream that was opened after its message was sent keeps the last words of the agent, which its list of messages may have or not', () => {
    const known = taskOf('WORKING', [asked]);
    const last = end('FAILED', message('No seats'));
    expect(after({ known, reported: taskOf('FAILED', []), last })).toMatchObject({ texts: ['Book it', 'No seats'] });
    const listed = taskOf('FAILED', [message('Looking'), message('No seats')]);
    const found = after({ known, reported: listed, last });
    expect(found).toMatchObject({ texts: ['Book it', 'Looking', 'No seats'], state: 'TASK_STATE_FAILED' });
  });

  it('a stream that was opened after its message was sent has a later form of an artifact than the task has read at another address', () => {
    const known = taskOf('WORKING', [asked], [artifact('a', 'signed once')]);
    const reported = taskOf('COMPLETED', [], [artifact('a', 'signed again'), artifact('b', 'early')]);
    const found = after({ known, reported, last: end('COMPLETED'), brought: [artifact('a', 'Booked')] });
    expect(found.artifacts).toEqual(['signed once', 'early']);
  });

  it('a stream that was opened after its message was sent adds what an earlier turn did not have, to a task that has asked', () => {
    const question = message('Window or aisle?');
    const known = taskOf('INPUT_REQUIRED', [asked, question, message('Aisle', 'ROLE_USER')], [artifact('a', 'Draft')]);
    const history = [message('Book it', 'ROLE_USER'), message('Window or aisle?'), message('Aisle', 'ROLE_USER')];
    const reported = taskOf('COMPLETED', [...history, message('Good choice')], [artifact('a', 'Ticket')]);
    const found = after({ known, reported, last: end('COMPLETED') });
    expect(found.texts).toEqual(['Book it', 'Window or aisle?', 'Aisle', 'Good choice']);
    expect(found.artifacts).toEqual(['Ticket']);
  });

  it('a stream that was opened after its message was sent shows how the work began when it begins before the task works', () => {
    const isWhole = (...events: readonly StreamResponse[]): boolean => {
      const stream = new LateStream();
      for (const event of events) stream.note(event);
      return stream.isWhole;
    };
    const opened: StreamResponse = { task: taskOf('SUBMITTED', []) };
    const result: StreamResponse = {
      artifactUpdate: { taskId: 't', contextId: 'c', artifact: artifact('a', 'Booked') },
    };
    expect(isWhole(opened, end('SUBMITTED'), end('SUBMITTED'), end('WORKING'), result)).toBe(true);
    expect(isWhole(opened, end('WORKING'), end('SUBMITTED'), end('WORKING'))).toBe(false);
    expect(isWhole(opened, end('SUBMITTED'), result, end('WORKING'))).toBe(false);
    expect(isWhole(opened, end('SUBMITTED'), end('COMPLETED'))).toBe(false);
  });

  it('a stream that was opened after its message was sent adds metadata of the agent, and none of the gateway', () => {
    const known = taskOf('WORKING', [asked]);
    const own = { ...taskOf('COMPLETED', []), metadata: { 'a2a-gateway/agentvault-0.2': { createdAt: 'now' } } };
    expect(after({ known, reported: own, last: end('COMPLETED') }).updates).toEqual([]);
    const reported = { ...own, metadata: { ...own.metadata, cost: 3 } };
    const [update] = after({ known, reported, last: end('COMPLETED') }).updates;
    expect(update?.statusUpdate?.metadata).toEqual({ cost: 3 });
  });
});
