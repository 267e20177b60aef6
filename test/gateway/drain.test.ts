import { expect, test } from 'vitest';
import { defaultConfig } from '../../src/config/index.ts';
import { openGateway } from '../support/gateway.ts';

const headers = { 'Content-Type': 'application/json', 'A2A-Version': '1.0' };
const message = (text: string) => ({ message: { messageId: 'm', role: 'ROLE_USER', parts: [{ text }] } });

async function start() {
  const { gateway, url } = await openGateway(defaultConfig({ port: 0, store: 'memory:' }));
  const post = (path: string, body: object): Promise<Response> =>
    fetch(url + path, { method: 'POST', headers, body: JSON.stringify(body) });
  return { gateway, url, post };
}

// biome-ignore lint/suspicious/noExplicitAny: what comes is what the test looks into
const json = (response: Response): Promise<any> => response.json();

/** The text of a stream so far, until it says something. */
async function until(response: Response, said: string): Promise<ReadableStreamDefaultReader<string>> {
  const reader = (response.body as ReadableStream<Uint8Array<ArrayBuffer>>)
    .pipeThrough(new TextDecoderStream())
    .getReader();
  for (let seen = ''; !seen.includes(said); ) {
    const { value, done } = await reader.read();
    if (done) throw new Error(`the stream ended: ${seen}`);
    seen += value;
  }
  return reader;
}

async function rest(reader: ReadableStreamDefaultReader<string>): Promise<string> {
  let text = '';
  for (let step = await reader.read(); !step.done; step = await reader.read()) text += step.value;
  return text;
}

test('a gateway that stops refuses new calls, and names the task to resume to waiting callers', async () => {
  const { gateway, url, post } = await start();
  const stream = await until(await post('/message:stream', message('wait')), 'TASK_STATE_WORKING');
  const blocked = post('/message:send', message('wait'));
  // It is under way once it is listed beside the stream's task.
  for (let total = 0; total < 2; ) total = (await json(await fetch(`${url}/tasks`, { headers }))).totalSize;
  const closed = gateway.close({ drainMs: 1_000 });

  const ready = await fetch(`${url}/readyz`);
  expect(ready.status).toBe(503);
  const refused = await post('/message:send', message('hello'));
  expect(refused.status).toBe(503);
  expect(refused.headers.get('retry-after')).toBe('5');

  const answer = await blocked;
  expect(answer.status).toBe(503);
  expect(answer.headers.get('retry-after')).toBe('5');
  const { error } = await json(answer);
  expect(error.details[0].metadata.taskId).toMatch(/^[0-9a-f-]{36}$/);
  expect(await rest(stream)).toContain('The gateway is stopping');
  await closed;
});

test('one who only listens to a task that waits for input does not hold it up', async () => {
  const { gateway, post } = await start();
  const { task } = await json(await post('/message:send', message('ask')));
  const stream = await until(await post(`/tasks/${task.id}:subscribe`, {}), 'TASK_STATE_INPUT_REQUIRED');
  await gateway.close({ drainMs: 600_000 });
  expect(await rest(stream)).toContain('The gateway is stopping');
});
