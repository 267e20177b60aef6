import { describe, expect, it } from 'vitest';
import { A2AError, type ErrorKind, errorTable } from '../../../src/core/model/errors.ts';
import { ask, post, sendRequest, serving, start } from '../http/serving.ts';

const task = { id: 't1', contextId: 'c1', status: { state: 'TASK_STATE_WORKING' as const } };
const get = (path: string, headers?: Record<string, string>) => ask(serving.url + path, headers ? { headers } : {});
const requests = () => serving.calls.map(({ operation, request }) => [operation, request]);

describe('an HTTP+JSON call', () => {
  it('an HTTP+JSON call takes its request from path, query and body', async () => {
    await start({ invoke: async () => ({ value: task }) });
    await get('/tasks/t%2F1?historyLength=0');
    await get('/tasks?contextId=c%201&status=TASK_STATE_WORKING&page_size=7&includeArtifacts=true&A2A-Version=1.0&x=y');
    await get('/tasks?include_artifacts=false&statusTimestampAfter=2025-01-01T00:00:00Z');
    await ask(`${serving.url}/tasks/t1:cancel`, { method: 'POST', headers: { 'content-type': 'application/json' } });
    await post(`${serving.url}/tasks/t1:cancel`, { id: 't1', metadata: { a: 1 } });
    await post(`${serving.url}/tasks/t1/pushNotificationConfigs`, {
      task_id: 't1',
      url: 'https://x.example',
      token: 'k',
    });
    await get('/tasks/t1/pushNotificationConfigs/p1');
    await ask(`${serving.url}/tasks/t1/pushNotificationConfigs/p1`, { method: 'DELETE' });
    expect(requests()).toEqual([
      ['GetTask', { id: 't/1', historyLength: 0 }],
      ['ListTasks', { contextId: 'c 1', status: 'TASK_STATE_WORKING', pageSize: 7, includeArtifacts: true }],
      ['ListTasks', { includeArtifacts: false, statusTimestampAfter: '2025-01-01T00:00:00.000Z' }],
      ['CancelTask', { id: 't1' }],
      ['CancelTask', { id: 't1', metadata: { a: 1 } }],
      ['CreateTaskPushNotificationConfig', { taskId: 't1', url: 'https://x.example', token: 'k' }],
      ['GetTaskPushNotificationConfig', { taskId: 't1', id: 'p1' }],
      ['DeleteTaskPushNotificationConfig', { taskId: 't1', id: 'p1' }],
    ]);
  });

  it('an HTTP+JSON call is answered in A2A’s own media type', async () => {
    await start({ invoke: async () => ({ value: task }) });
    const { status, headers, json } = await get('/tasks/t1', { 'a2a-version': '1.0' });
    expect([status, json]).toEqual([200, task]);
    expect(headers.get('content-type')).toBe('application/a2a+json');
    expect(headers.get('a2a-version')).toBe('1.0');
  });

  it.each([
    ['*/*', 'application/a2a+json'],
    ['application/json', 'application/json'],
    ['application/json, */*', 'application/json'],
    ['application/*', 'application/a2a+json'],
    ['application/a2a+json, application/json', 'application/a2a+json'],
    ['application/a2a+json;q=0.5, application/json;q=0.9', 'application/json'],
    ['application/json;q=0.1, */*', 'application/a2a+json'],
    ['application/json;q=0', 'application/a2a+json'],
    ['APPLICATION/JSON; charset=utf-8', 'application/json'],
    ['text/event-stream, application/json', 'application/json'],
    ['text/html', 'application/a2a+json'],
    ['application/json;q=nonsense', 'application/a2a+json'],
  ])('an HTTP+JSON call for Accept: %s has the type %s', async (accept, type) => {
    await start({ invoke: async () => ({ value: task }) });
    const { status, headers } = await get('/tasks/t1', { 'a2a-version': '1.0', accept });
    expect([status, headers.get('content-type')]).toEqual([200, type]);
  });

  it.each([
    [undefined, 'application/json'],
    ['*/*', 'application/json'],
    ['application/json', 'application/json'],
    ['text/event-stream', 'application/json'],
    ['application/a2a+json', 'application/a2a+json'],
    ['text/event-stream, application/a2a+json, application/json', 'application/a2a+json'],
    ['application/a2a+json;q=0.5, application/json', 'application/json'],
    ['application/a2a+json;q=0', 'application/json'],
  ])('an error for Accept: %s has the type %s', async (accept, type) => {
    await start();
    for (const path of ['/tasks/t1?historyLength=x', '/no/such/path/at/all']) {
      const { status, headers } = await get(path, { 'a2a-version': '1.0', ...(accept && { accept }) });
      expect([status >= 400, headers.get('content-type')]).toEqual([true, type]);
    }
  });

  it.each([
    ['path and body contradict each other', 'POST', '/tasks/t1:cancel', '{"id":"t2"}', 'id'],
    ['a boolean is none', 'GET', '/tasks?includeArtifacts=maybe', undefined, 'includeArtifacts'],
    ['a number is none', 'GET', '/tasks?pageSize=ten', undefined, 'pageSize'],
    ['a number has a part', 'GET', '/tasks?pageSize=1.5', undefined, 'pageSize'],
    ['a number is given twice', 'GET', '/tasks?pageSize=1&pageSize=2', undefined, 'pageSize'],
    ['an enum is none', 'GET', '/tasks?status=BUSY', undefined, 'status'],
    ['a time is none', 'GET', '/tasks?statusTimestampAfter=yesterday', undefined, 'statusTimestampAfter'],
    ['an escape is malformed', 'GET', '/tasks/%zz', undefined, 'id'],
    ['a field is missing', 'POST', '/message:send', '{}', 'message'],
  ])('an HTTP+JSON call is refused, naming the field, when %s', async (_, method, path, body, field) => {
    const { calls } = await start();
    const { status, json } = await ask(serving.url + path, {
      method,
      headers: { 'content-type': 'application/json' },
      ...(body && { body }),
    });
    expect([status, json.error.status]).toEqual([400, 'INVALID_ARGUMENT']);
    expect(json.error.details).toContainEqual(
      expect.objectContaining({ fieldViolations: [expect.objectContaining({ field })] }),
    );
    expect(calls).toEqual([]);
  });

  it.each([
    ['1.0', 200],
    ['1.0.9', 200],
    ['0.3', 400],
    ['1', 400],
  ])('an HTTP+JSON call with A2A-Version %s, as header or parameter, gets %i', async (version, status) => {
    await start({ invoke: async () => ({ value: task }) });
    expect((await get('/tasks/t1', { 'a2a-version': version })).status).toBe(status);
    expect((await get(`/tasks/t1?A2A-Version=${version}`)).status).toBe(status);
  });

  it.each([
    ['application/a2a+json', 200],
    ['application/json; charset=utf-8', 200],
    ['text/plain', 400],
  ])('an HTTP+JSON call of type %s gets %i', async (type, status) => {
    await start();
    const answer = await post(`${serving.url}/message:send`, sendRequest, { 'content-type': type });
    expect([answer.status, answer.json.error?.details[0].reason]).toEqual([
      status,
      status === 200 ? undefined : 'CONTENT_TYPE_NOT_SUPPORTED',
    ]);
  });

  it.each(Object.keys(errorTable) as ErrorKind[])(
    'an HTTP+JSON call that fails with %s has the status and body of the specification',
    async (kind) => {
      await start({
        invoke: async () => {
          throw new A2AError(kind, 'it failed');
        },
      });
      const row = errorTable[kind];
      const { status, headers, json } = await get('/tasks/t1');
      expect(status).toBe(row.http);
      expect(headers.get('content-type')).toBe('application/json');
      expect(json).toEqual({
        error: {
          code: row.http,
          status: row.grpc,
          message: 'it failed',
          details: [
            { '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason: row.reason, domain: 'a2a-protocol.org' },
          ],
        },
      });
    },
  );

  it('an HTTP+JSON call may ask for the head of an answer, but not of a stream', async () => {
    await start({ invoke: async () => ({ value: task }) });
    const { status, headers, text } = await ask(`${serving.url}/tasks/t1`, { method: 'HEAD' });
    expect([status, text, headers.get('content-length')]).toEqual([200, '', String(JSON.stringify(task).length)]);
    expect((await ask(`${serving.url}/tasks/t1:subscribe`, { method: 'HEAD' })).status).toBe(405);
  });
});
