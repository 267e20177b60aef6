import { createServer } from 'node:http';
import { beforeAll, expect, it } from 'vitest';
import { operations } from '../../src/gen/admin-v1/operations.ts';
import type { TaskDetails, TaskSummary } from '../../src/gen/admin-v1/types.ts';
import { startReceiver } from '../push/receiver.ts';
import { callsOf } from '../support/admin.ts';
import { adminHeaders, type Opened, openGateway } from '../support/gateway.ts';
import { inProcess } from '../support/in-process.ts';
import { listenOn } from '../support/peer.ts';

let gateway: Opened;
let calls: ReturnType<typeof callsOf>;
beforeAll(async () => {
  gateway = await openGateway('agents: { demo: { kind: reference } }\ndefaultAgent: demo\n');
  calls = callsOf(gateway.url);
});

async function run(...args: string[]): Promise<{ code: number | null; text: string; notes: string }> {
  const { code, stdout, stderr } = await inProcess([
    ...args,
    gateway.url,
    '--api-key',
    adminHeaders(gateway.url)['x-api-key'] ?? '',
  ]);
  return { code, text: stdout, notes: stderr };
}

const json = async <T>(...args: string[]): Promise<T> => JSON.parse((await run(...args, '--json')).text) as T;

const inState = async (id: string, state: string): Promise<TaskSummary> => {
  for (;;) {
    const { tasks = [] } = await json<{ tasks?: TaskSummary[] }>('admin', 'find-tasks', '--id', id, '--states', state);
    if (tasks[0]) return tasks[0];
  }
};

type Answer = readonly [status: number, headers?: Readonly<Record<string, string>>, body?: string];
const asJson = { 'content-type': 'application/json' };

/** URL of a server that answers every request alike. */
async function serverOf([status, headers, body]: Answer): Promise<string> {
  const server = createServer((_, res) => res.writeHead(status, headers).end(body));
  return (await listenOn(server)).origin;
}

it('a2a-gateway admin has a command for each operation', async () => {
  const { stdout } = await inProcess(['admin', '--help']);
  const commands = [...stdout.matchAll(/^ {2}([a-z-]+) /gm)].map(([, name]) => name);
  const kebab = (name: string): string => name.replace(/(?!^)[A-Z]/g, (capital) => `-${capital}`).toLowerCase();
  expect(commands).toEqual(expect.arrayContaining(operations.map(({ name }) => kebab(name))));
  const { stdout: help } = await inProcess(['admin', 'find-tasks', '--help']);
  expect(help).toContain('list the tasks of all callers, the latest change first');
  expect(help).toMatch(/--page-size <n> +at most so many tasks/);
});

it('a2a-gateway admin lists as tables, or as JSON, and shows how to get the next page', async () => {
  const { id } = await calls.send('ask');
  const task = await inState(id, 'input-required');
  const { code, text } = await run('admin', 'find-tasks', '--states', 'input-required', '--states', 'working');
  expect({ code, text }).toEqual({
    code: 0,
    text: expect.stringContaining(`input-required  demo  anonymous  ${id}  ask  What is your name?\n`),
  });
  expect(await json('admin', 'find-tasks', '--id', id)).toEqual({ tasks: [task] });
  await calls.send('ask');
  const { text: first, notes } = await run('admin', 'find-tasks', '--page-size', '1');
  expect(first.split('\n')).toHaveLength(2);
  const token = /--page-token (\S+)/.exec(notes)?.[1] ?? '';
  expect((await run('admin', 'find-tasks', '--page-size', '1', '--page-token', token)).code).toBe(0);
});

it('a2a-gateway admin acts on tasks: answers in a text or in parts, and stops', async () => {
  const { id } = await calls.send('ask');
  const { key } = await inState(id, 'input-required');
  const details = await json<TaskDetails>('admin', 'answer-task', key, '--parts', 'Ada');
  expect(details.summary.key).toBe(key);
  await inState(id, 'completed');
  const { task } = await json<TaskDetails>('admin', 'inspect-task', key);
  expect(JSON.stringify(task)).toContain('"parts":[{"text":"Ada"}]');
  const other = await calls.send('wait');
  await inState(other.id, 'working');
  expect((await run('admin', 'stop-task', other.id)).text).toContain('TASK_STATE_CANCELED');
  const { code, notes } = await run('admin', 'stop-task', other.id);
  expect({ code, notes }).toEqual({ code: 1, notes: expect.stringMatching(/^error: .*canceled/) });
  expect(await run('admin', 'answer-task', key, '--parts', '{"text":')).toMatchObject({
    code: 2,
    notes: expect.stringContaining('--parts: expected JSON, such as '),
  });
});

it('a2a-gateway admin shows the numbers that are zero', async () => {
  await run('admin', 'set-agent-mode', 'demo', '--mode', 'enabled');
  const { text } = await run('admin', 'list-callers');
  expect(text).toMatch(/^admin-key {2}[1-9]\d* {2}\d+ {2}20\S+Z {2}SetAgentMode/);
});

it('a2a-gateway admin prints streams line by line', async () => {
  const { id } = await calls.send('hello', { immediately: false });
  const { text } = await run('admin', 'follow-task', id);
  const lines = text.trimEnd().split('\n');
  expect(lines[0]).toMatch(/^1 {2}\d{4}-\S+Z {2}\{"task":/);
  const { text: events } = await run('admin', 'follow-task', id, '--after', '1', '--json');
  const [event] = events.trimEnd().split('\n');
  expect(JSON.parse(event ?? '')).toMatchObject({ position: 2 });
  expect(events.trimEnd().split('\n')).toHaveLength(lines.length - 1);
});

it('a2a-gateway admin refuses what is missing or wrong before it sends anything', async () => {
  expect(await inProcess(['admin', 'inspect-task'])).toMatchObject({ code: 2 });
  expect(await inProcess(['admin', 'set-agent-mode', 'demo'])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('--mode'),
  });
  expect(await inProcess(['admin', 'set-agent-mode', 'demo', '--mode', 'off'])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('draining'),
  });
  expect(await run('admin', 'inspect-task', 'none')).toMatchObject({
    code: 1,
    notes: 'error: Task not found: none\n',
  });
  expect(await inProcess(['admin', 'list-agents', 'http://127.0.0.1:1'])).toMatchObject({ code: 1 });
});

it.each<[string, Answer, string]>([
  ['nothing', [200], 'answered with HTTP 200 and an empty body instead of JSON'],
  ['a page', [200, { 'content-type': 'text/html' }, '<p>Hi'], 'answered with text/html instead of JSON: Hi'],
  ['garbage', [200, asJson, '}{'], "The server's answer is not valid: Invalid JSON payload"],
  ['a list', [200, asJson, '[]'], 'The value must be an object'],
  ['another type', [200, asJson, '{"agents":"a"}'], 'agents must be an array'],
  ['an error', [500, {}, 'a\n\u202eb'], 'answered HTTP 500: a b'],
  ['another place', [302, { location: '/there' }], 'redirects to itself (HTTP 302)'],
])('a2a-gateway admin says in one line what is wrong with a server that answers with %s', async (_, answer, said) => {
  const { code, stdout, stderr } = await inProcess(['admin', 'list-agents', await serverOf(answer)]);
  expect({ code, stdout, lines: stderr.split('\n').length }).toEqual({ code: 1, stdout: '', lines: 2 });
  expect(stderr).toContain(said);
});

it('a2a-gateway admin says that a list is empty, and calls no answer an empty one that has no content', async () => {
  expect(await inProcess(['admin', 'list-agents', await serverOf([200, asJson, '{}'])])).toMatchObject({
    code: 0,
    stdout: '',
    stderr: 'no agents\n',
  });
  expect(await inProcess(['push', 'list', await serverOf([200])])).toMatchObject({ code: 1, stdout: '' });
});

it('a2a-gateway push lists and retries', async () => {
  const status = { now: 410 };
  const hook = await startReceiver(() => status.now);
  expect((await run('push', 'list')).text).toBe('All push notifications are delivered.\n');
  expect((await run('push', 'retry')).text).toBe('Nothing to retry.\n');
  const { id } = await calls.send('ask');
  await calls.post(`/tasks/${id}/pushNotificationConfigs`, { id: 'hook', url: hook.url });
  await calls.send('Ada', { taskId: id });
  let text = '';
  while (!text.includes('dead letter')) ({ text } = await run('push', 'list', '--task', id));
  expect(text).toMatch(new RegExp(`^task ${id} of demo, configuration hook\n  ${hook.url}: events? .* since 20.*410`));
  expect(await json('push', 'list')).toMatchObject([{ state: 'dead', taskId: id }]);
  status.now = 200;
  expect((await run('push', 'retry', '--task', 'other')).text).toBe('Nothing to retry.\n');
  expect((await run('push', 'retry', '--task', id)).text).toBe('Retrying 1 webhook.\n');
  await hook.until((got) => got.length > 1);
});
