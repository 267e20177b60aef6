import { expect, test } from 'vitest';
import type { ListQuestionsResponse, TaskDetails, TaskSummary } from '../../../src/gen/admin-v1/types.ts';
import { callsOf } from '../../support/admin.ts';
import { openGateway } from '../../support/gateway.ts';

const agents = { demo: { kind: 'reference' } } as const;

async function opened(settings = '') {
  const gateway = await openGateway(`agents: { demo: { kind: reference } }\n${settings}`);
  const calls = callsOf(gateway.url);
  const ended = async (text: string): Promise<TaskSummary> => {
    const { id } = await calls.send(text, { immediately: false });
    const { tasks = [] } = await calls.get<{ tasks?: TaskSummary[] }>(`/admin/v1/tasks?id=${id}`);
    return tasks[0] as TaskSummary;
  };
  return { gateway, calls, ended };
}

test('an operator reads in every list what was asked, why it ended, and how the call came', async () => {
  const { calls, ended } = await opened();
  const failed = await ended('fail');
  expect(failed).toMatchObject({ preview: 'fail', binding: 'rest', dialect: 'a2a-1.0', state: 'TASK_STATE_FAILED' });
  expect(failed.reason).toBe('Failed, as asked.');
  const { summary } = await calls.get<TaskDetails>(`/admin/v1/tasks/${failed.key}`);
  expect(summary).toEqual(failed);
  const asking = await ended('ask');
  const { questions = [] } = await calls.get<ListQuestionsResponse>('/admin/v1/questions');
  expect(questions[0]?.task).toMatchObject({ preview: 'ask', reason: 'What is your name?' });
  const over = new AbortController();
  const watched = calls.stream<TaskSummary>(`/admin/v1/tasks:watch?changedAfter=${failed.createdAt}`, over);
  expect((await watched.next()).value?.event).toMatchObject({
    key: failed.key,
    preview: 'fail',
    reason: failed.reason,
  });
  over.abort();
  await watched.return(undefined).catch(() => undefined);
  expect(asking.preview).toBe('ask');
});

test('with content: false neither line is shown, and a question asked meanwhile is never shown', async () => {
  const { gateway, calls, ended } = await opened();
  const before = await ended('fail');
  const reload = (content: boolean) =>
    gateway.gateway.reload({ agents, store: 'memory:', listen: { host: 'localhost', port: 0 }, console: { content } });
  const find = async (): Promise<TaskSummary[]> =>
    (await calls.get<{ tasks: TaskSummary[] }>('/admin/v1/tasks')).tasks.toReversed();
  await reload(false);
  const hidden = await ended('fail');
  for (const task of await find()) {
    expect(task.preview ?? '').toBe('');
    expect(task.reason ?? '').toBe('');
    expect(task.binding).toBe('rest');
  }
  // A filter that is ignored would select every task, to be retried for example.
  for (const path of ['/admin/v1/tasks', '/admin/v1/tasks:group']) {
    await expect(calls.get(`${path}?reason=away`)).rejects.toMatchObject({ status: 400 });
    await calls.get(`${path}?reason=`);
  }
  await reload(true);
  const [first, second] = await find();
  expect(first).toEqual(before);
  expect(second).toEqual({ ...hidden, preview: '', reason: '' });
});
