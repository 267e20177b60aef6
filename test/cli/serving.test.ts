import type { ChildProcess } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { cli, outcomeOf, printed, startCli } from '../support/cli.ts';
import { newFolder } from '../support/folders.ts';
import { inProcess } from '../support/in-process.ts';

const folder = newFolder();
let gateway: ChildProcess;
let url = '';

beforeAll(async () => {
  gateway = startCli(['serve', '--port', '0'], { cwd: folder, lasting: true });
  url = baseOf(await printed(gateway, /Ctrl-C/));
});

afterAll(async () => {
  gateway.kill('SIGKILL');
});

const baseOf = (text: string): string => /listening on (\S+)/.exec(text)?.[1] ?? '';

/** Runs a command that is expected to do its work, and returns what it printed. */
async function ok(...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await inProcess(args);
  expect([code, stderr]).toEqual([0, '']);
  return stdout;
}

it.each(['jsonrpc', 'rest', 'grpc', 'connect'])('a served reference agent answers over %s', async (via) => {
  expect(await ok('send', url, 'say good day', '--via', via)).toBe('good day\n');
  expect(await ok('send', `${url}/demo`, 'stream 3 1', '--stream', '--via', via)).toBe('chunk 1\nchunk 2\nchunk 3\n');
  const { code, stdout, stderr } = await inProcess(['send', url, 'fail', '--via', via]);
  expect([code, stdout]).toEqual([1, '']);
  expect(stderr).toMatch(/^error: task \S+ failed(: .*)?\n$/);
  const missing = await inProcess(['task', 'get', url, 'no-such-task', '--via', via]);
  expect([missing.code, missing.stderr]).toEqual([1, expect.stringMatching(/^error: .*no-such-task.*\n$/)]);
});

it('a served reference agent has a card that says what it speaks', async () => {
  const text = await ok('card', url);
  for (const word of ['JSONRPC 1.0', 'HTTP+JSON 1.0', 'GRPC 1.0', '--via connect', 'streaming'])
    expect(text).toContain(word);
  const json = JSON.parse(await ok('card', `${url}/demo/.well-known/agent-card.json`, '--json'));
  expect(json.supportedInterfaces[0].url).toBe(`${url}/demo`);
});

it('a served reference agent answers a question of an agent', async () => {
  const { code, stdout, stderr } = await inProcess(['send', url, 'ask']);
  expect([code, stdout]).toEqual([3, 'What is your name?\n']);
  const [, command = '', id = ''] = /answer with: a2a-gateway (.*--task (\S+))\n$/.exec(stderr) ?? [];
  expect(command).toBe(`send ${url} 'YOUR ANSWER' --task ${id}`);
  expect(await ok('send', url, 'Ada', '--task', id)).toBe('Hello, Ada\n');
  expect(await ok('task', 'get', url, id)).toMatch(/^task \S+: completed since .*\n(.*\n)*Hello, Ada\n$/);
});

it.each([
  ['ask', [], 3],
  ['auth', ['--json'], 3],
  ['ask', ['--stream'], 3],
  ['wait', ['--no-wait'], 0],
  ['reject', [], 1],
])('a served reference agent ends with the code of what became of %s %j: %d', async (text, options, expected) => {
  expect((await inProcess(['send', url, text, ...options])).code).toBe(expected);
});

it('a served reference agent takes data and files, and gives them back', async () => {
  const file = join(folder, 'note.md');
  await writeFile(file, '# hi');
  const { task } = JSON.parse(await ok('send', url, 'see', '--data', '{"a":[1]}', '--file', file, '--json'));
  expect(task.artifacts[0].parts).toEqual([
    { text: 'see' },
    { data: { a: [1] } },
    { raw: Buffer.from('# hi').toString('base64'), filename: 'note.md', mediaType: 'text/markdown' },
  ]);
  const { stdout } = await cli(['send', url, '-'], { stdin: 'from stdin' });
  expect(stdout).toBe('from stdin\n');
});

it('a served reference agent has tasks that are listed, watched and canceled', async () => {
  const { stdout, stderr } = await inProcess(['send', url, 'wait', '--no-wait', '--json']);
  const { task } = JSON.parse(stdout);
  expect(stderr).toContain(`a2a-gateway task watch ${url} ${task.id}`);
  const watching = startCli(['task', 'watch', url, task.id]);
  const watched = outcomeOf(watching);
  await printed(watching, /working/);
  expect(await ok('task', 'list', url, '--state', 'working')).toContain(task.id);
  expect(await ok('task', 'cancel', url, task.id)).toBe(`task ${task.id}: canceled\n`);
  expect(await watched).toMatchObject({ code: 1, stderr: expect.stringContaining('was canceled') });
  expect((await inProcess(['task', 'watch', url, task.id])).code).toBe(1);
  const page = JSON.parse(await ok('task', 'list', url, '--limit', '1', '--json'));
  expect(page).toHaveLength(1);
});

it('a served reference agent lists tasks with the words that --state takes', async () => {
  const { task } = JSON.parse((await inProcess(['send', url, 'ask', '--json'])).stdout);
  const line = (await ok('task', 'list', url)).split('\n').find((one) => one.startsWith(task.id)) ?? '';
  const [, word = ''] = line.split(/ {2,}/);
  expect(word).toBe('input-required');
  expect(await ok('task', 'list', url, '--state', word)).toContain(task.id);
});

it('a served reference agent is one of the agents of the gateway', async () => {
  expect(await ok('agents', url)).toMatch(
    /^demo {2}http:\/\/localhost:\d+\/demo {2}Reference agent: A deterministic agent/,
  );
  expect(JSON.parse(await ok('agents', url, '--json'))).toMatchObject([{ name: 'demo', url: `${url}/demo` }]);
  const { code, stderr } = await inProcess(['agents', `${url}/demo`]);
  expect([code, stderr]).toEqual([
    1,
    expect.stringMatching(
      /^error: no list of agents at .*\/demo\/agents \(HTTP 404\); expected the base URL of a gateway\n$/,
    ),
  ]);
});

it('a served reference agent streams events as JSON lines', async () => {
  const lines = (await ok('send', url, 'stream 2 1', '--stream', '--json')).trim().split('\n');
  const events = lines.map((line) => Object.keys(JSON.parse(line))[0]);
  expect(events[0]).toBe('task');
  expect(events.filter((name) => name === 'artifactUpdate')).toHaveLength(2);
  expect(JSON.parse(lines.at(-1) ?? '').statusUpdate.status.state).toBe('TASK_STATE_COMPLETED');
});

it('serve says which port is taken', async () => {
  const { code, stderr } = await cli(['serve', '--port', new URL(url).port, '--store', 'memory:']);
  expect(code).toBe(1);
  expect(stderr).toBe(
    `error: cannot listen on localhost, port ${new URL(url).port}: the port is in use; use another, or --port 0 for a free one\n`,
  );
});

it('serve reads a configuration, prints its URLs, stops at a signal and keeps the tasks', async () => {
  const file = join(folder, 'gateway.yaml');
  await writeFile(file, 'store: sqlite:own.db\nagents:\n  one: { kind: reference }\n  two: { kind: reference }\n');
  const checked = await inProcess(['config', 'check', file]);
  expect(checked.stdout).toMatch(/agents\n {2}one: reference, at \/one\n/);
  expect(checked.stderr).toMatch(
    /^warning: no agent is served at the root .* set defaultAgent to one of .*, such as defaultAgent: \w+$/m,
  );
  const first = startCli(['serve', '--config', file, '--port', '0']);
  const text = await printed(first, /Ctrl-C/);
  expect(text).toMatch(/agent one \(reference\)\n(.*\n)*agent two \(reference\)\n/);
  const { task } = JSON.parse((await inProcess(['send', `${baseOf(text)}/one`, 'hello', '--json'])).stdout);
  const ended = outcomeOf(first);
  first.kill('SIGTERM');
  expect((await ended).code).toBe(0);

  const second = startCli(['serve', '--config', file, '--port', '0']);
  const again = baseOf(await printed(second, /Ctrl-C/));
  expect(await ok('task', 'get', `${again}/one`, task.id)).toContain('completed');
  expect((await readFile(join(folder, 'own.db'))).length).toBeGreaterThan(0);
});

it('serve does not wait for running calls after a second signal', async () => {
  const child = startCli(['serve', '--port', '0', '--store', 'memory:']);
  const base = baseOf(await printed(child, /Ctrl-C/));
  const call = cli(['send', base, 'wait']);
  const working = async (): Promise<boolean> =>
    (await inProcess(['task', 'list', base, '--json'])).stdout.includes('WORKING');
  while (!(await working()));
  const ended = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGINT');
  await printed(child, /Ctrl-C again/);
  child.kill('SIGINT');
  expect(await ended).toBe(130);
  expect((await call).code).toBe(1);
});
