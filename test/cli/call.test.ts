import { expect, it } from 'vitest';
import { cli } from '../support/cli.ts';
import { openGateway } from '../support/gateway.ts';
import { inProcess } from '../support/in-process.ts';

const gateway = await openGateway('agents: { demo: { kind: reference } }');

const message = { messageId: 'm', role: 'ROLE_USER', parts: [{ text: 'hello' }] };

it.each(['jsonrpc', 'rest', 'grpc', 'connect'])(
  'call calls an operation over %s and prints the answer',
  async (via) => {
    const request = JSON.stringify({ message: { ...message, messageId: via } });
    const sent = await inProcess(['call', gateway.url, 'SendMessage', request, '--via', via]);
    expect(sent).toMatchObject({ code: 0, stderr: '' });
    const { task } = JSON.parse(sent.stdout);
    const read = await inProcess([
      'call',
      gateway.url,
      'getTask',
      JSON.stringify({ id: task.id }),
      '--via',
      via,
      '--json',
    ]);
    expect(read.stdout.split('\n')).toHaveLength(2);
    expect(JSON.parse(read.stdout)).toEqual(task);
  },
);

it('call prints a line for each event of a stream', async () => {
  const request = JSON.stringify({ message: { ...message, messageId: 's', parts: [{ text: 'stream 2' }] } });
  const { code, stdout } = await inProcess(['call', gateway.url, 'SendStreamingMessage', request]);
  expect(code).toBe(0);
  const events = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(events[0]).toHaveProperty('task');
  expect(events.at(-1)).toMatchObject({ statusUpdate: { status: { state: 'TASK_STATE_COMPLETED' } } });
});

it('call has no parameters by default, and reads them from stdin', async () => {
  expect(JSON.parse((await inProcess(['call', gateway.url, 'ListTasks'])).stdout)).toHaveProperty('tasks');
  const { stdout } = await cli(['call', gateway.url, 'ListTasks', '-'], { stdin: '{"page_size":1}' });
  expect(JSON.parse(stdout)).toMatchObject({ pageSize: 1 });
});

it('call ends with exit code 2 for a request that is not valid, before it connects to anything', async () => {
  for (const request of ['{"id"', '{}']) {
    expect((await inProcess(['call', 'http://127.0.0.1:1', 'GetTask', request])).code).toBe(2);
  }
  const { code, stderr } = await inProcess(['call', 'http://127.0.0.1:1', 'GetTask', '{"id"']);
  expect([code, stderr]).toEqual([2, expect.stringContaining('error: REQUEST: expected JSON, such as ')]);
});

it.each([
  ['an operation that does not exist', ['Nothing'], "unknown operation 'Nothing'; expected one of SendMessage, "],
  ['an operation that is misspelt', ['GetTsk'], "unknown operation 'GetTsk'; did you mean GetTask?"],
  ['a request that is not JSON', ['GetTask', '{'], 'REQUEST: expected JSON'],
  ['a request that is not valid', ['GetTask', '{"id":1}'], 'REQUEST: id must be'],
  ['an error of the agent', ['GetTask', '{"id":"none"}'], 'none'],
])('call fails for %s', async (_, args, text) => {
  const { code, stdout, stderr } = await inProcess(['call', gateway.url, ...args]);
  expect(code).not.toBe(0);
  expect(stdout).toBe('');
  expect(stderr).toContain(text);
});
