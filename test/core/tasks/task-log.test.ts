import { expect, it } from 'vitest';
import type { StreamResponse } from '../../../src/core/model/a2a.ts';
import { TaskLog } from '../../../src/core/tasks/task-log.ts';

const ids = { taskId: 't', contextId: 'c' };
const working: StreamResponse = { statusUpdate: { ...ids, status: { state: 'TASK_STATE_WORKING' } } };
const opened: StreamResponse = { task: { id: 't', contextId: 'c', status: { state: 'TASK_STATE_SUBMITTED' } } };
const message: StreamResponse = { message: { messageId: 'm', role: 'ROLE_USER', parts: [{ text: 'more' }], ...ids } };

it('a log knows of a message that another replica has stored, also where later events come with it', () => {
  const log = new TaskLog(0, undefined, { now: () => 0 });
  log.adopt([opened, working].map((event, at) => ({ seq: at + 1, at, generation: at + 1, event, json: '{}' })));
  expect(log.hasOneMessage).toBe(true);
  log.adopt([message, working].map((event, at) => ({ seq: at + 3, at, generation: 3, event, json: '{}' })));
  expect([log.hasOneMessage, log.endsWithMessage]).toEqual([false, false]);
});
