import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { allDialects } from '../../src/client/index.ts';
import { cli } from '../support/cli.ts';
import { newFolder } from '../support/folders.ts';
import { inProcess } from '../support/in-process.ts';

const task = {
  id: 't1',
  contextId: 'c1',
  status: { state: 'TASK_STATE_COMPLETED', timestamp: '2026-01-01T00:00:00.000Z' },
  history: [{ messageId: 'm1', taskId: 't1', contextId: 'c1', role: 'ROLE_USER', parts: [{ text: 'hi' }] }],
};
const message = { messageId: 'm1', role: 'ROLE_USER', parts: [{ text: 'hi', metadata: { a: 1 } }] };

const folder = newFolder();
const file = (name: string): string => join(folder, name);

beforeAll(async () => {
  await writeFile(file('task.json'), JSON.stringify(task));
  await writeFile(file('message.json'), JSON.stringify(message));
  await writeFile(file('broken.json'), '{');
});

const translate = (...args: string[]) => inProcess(['translate', ...args]);
const types = ['--type', 'task'] as const;

describe('a2a-gateway translate', () => {
  const names = allDialects().map(({ name }) => name);

  test.each(names)('a task becomes one of %s, and one of A2A 1.0 again', async (name) => {
    const there = await translate('--from', 'a2a-1.0', '--to', name, ...types, file('task.json'));
    expect(there).toMatchObject({ code: 0, stderr: '' });
    await writeFile(file('there.json'), there.stdout);
    const back = await translate('--from', name, '--to', 'a2a-1.0', ...types, file('there.json'));
    expect(back.stderr).toBe('');
    expect(JSON.parse(back.stdout)).toMatchObject({
      id: 't1',
      status: { state: 'TASK_STATE_COMPLETED' },
      history: [{ parts: [{ text: 'hi' }] }],
    });
  });

  test('translate --explain lists on stderr what is lost, or that nothing is', async () => {
    const args = ['--from', 'a2a-1.0', '--type', 'message', '--explain', file('message.json')];
    const lossy = await translate('--to', 'agentvault-0.2', ...args);
    expect(lossy).toMatchObject({ code: 0 });
    expect(lossy.stderr.split('\n')).toContain('lost in agentvault-0.2: parts.metadata');
    expect(JSON.parse(lossy.stdout)).toMatchObject({ role: 'user', parts: [{ type: 'text', content: 'hi' }] });
    const lossless = await translate('--to', 'a2a-1.0', ...args);
    expect(lossless.stderr).toBe('nothing is lost in a2a-1.0\n');
  });

  test('translate --strict refuses what would be lost, and names it', async () => {
    const args = ['--from', 'a2a-1.0', '--type', 'message', '--strict', file('message.json')];
    const { code, stdout, stderr } = await translate('--to', 'agentvault-0.2', ...args);
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toMatch(/^error: agentvault-0\.2 cannot say .*parts\.metadata.*, and losses are refused here\n$/);
    expect(await translate('--to', 'a2a-1.0', ...args)).toMatchObject({ code: 0, stderr: '' });
  });

  test('translate --strict with --explain fails if it lists a loss', async () => {
    await writeFile(
      file('stream.json'),
      JSON.stringify({ ...message, contextId: 'c1', metadata: undefined, parts: [{ text: 'hi' }] }),
    );
    const args = ['--from', 'a2a-1.0', '--to', 'agentvault-0.2', '--type', 'message', '--strict', '--explain'];
    const { code, stdout, stderr } = await translate(...args, file('stream.json'));
    expect(stderr).toContain('lost in agentvault-0.2: contextId\n');
    expect([code, stdout]).toEqual([1, '']);
  });

  describe('requests', () => {
    const subscribe = { jsonrpc: '2.0', id: 1, method: 'SubscribeToTask', params: { id: 't1' } };
    const stream = { jsonrpc: '2.0', id: 1, method: 'SendStreamingMessage', params: { message } };
    const translated = async (to: string, request: object, ...flags: string[]) => {
      await writeFile(file('request.json'), JSON.stringify(request));
      return translate('--from', 'a2a-1.0', '--to', to, '--type', 'request', ...flags, file('request.json'));
    };

    test.each([
      ['agentvault-0.2', 'tasks/sendSubscribe'],
      ['a2a-0.1', 'tasks/resubscribe'],
      ['a2a-0.3', 'tasks/resubscribe'],
    ])('translate turns a subscription into one in %s', async (to, method) => {
      const { code, stdout } = await translated(to, subscribe, '--strict');
      expect([code, JSON.parse(stdout)]).toEqual([0, { jsonrpc: '2.0', id: 1, method, params: { id: 't1' } }]);
    });

    test('a stream of AgentVault takes two requests: the missing second one is reported, or refused', async () => {
      const first = await translated('agentvault-0.2', stream, '--explain');
      expect(JSON.parse(first.stdout)).toMatchObject({ method: 'tasks/send' });
      expect(first.stderr).toContain('lost in agentvault-0.2: method\n');
      expect(await translated('agentvault-0.2', stream, '--strict')).toMatchObject({ code: 1, stdout: '' });
    });
  });

  test("the example of AgentVault's profile is the same again by way of A2A 1.0", async () => {
    const said = (role: string, content: string) => ({ role, parts: [{ type: 'text', content }], metadata: null });
    const content = 'API call made';
    const example = {
      id: 'task-abc-123',
      state: 'WORKING',
      createdAt: '2024-04-15T10:00:00.000Z',
      updatedAt: '2024-04-15T10:05:30.000Z',
      messages: [
        said('user', 'What is the weather in London?'),
        said('assistant', 'Fetching weather...'),
        said('system', 'Be brief.'),
        said('tool', '12 degrees'),
      ],
      artifacts: [{ id: 'artifact-1', type: 'log', content, url: null, mediaType: 'text/plain', metadata: null }],
      metadata: null,
    };
    await writeFile(file('example.json'), JSON.stringify(example));
    const there = await translate('--from', 'agentvault-0.2', '--to', 'a2a-1.0', ...types, file('example.json'));
    await writeFile(file('there.json'), there.stdout);
    const back = await translate('--from', 'a2a-1.0', '--to', 'agentvault-0.2', ...types, file('there.json'));
    expect(JSON.parse(back.stdout)).toEqual(example);
  });

  test('translate without options detects the dialect, and prints all others', async () => {
    const { code, stdout, stderr } = await translate('--explain', file('message.json'));
    expect(code).toBe(0);
    expect(stderr).toMatch(/^read as message in a2a-1\.0\n/);
    expect(stderr).toContain('lost in agentvault-0.2: parts.metadata\n');
    expect(stdout.match(/^# .*$/gm)).toEqual(names.filter((name) => name !== 'a2a-1.0').map((name) => `# ${name}`));
    const [, first = ''] = stdout.split(/^# .*$/m);
    expect(JSON.parse(first)).toMatchObject({ messageId: 'm1' });
  });

  test('translate says that a dialect lacks an operation', async () => {
    await writeFile(file('list.json'), JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ListTasks', params: {} }));
    const all = await translate(file('list.json'));
    expect(all.stdout).toContain('# a2a-0.1\n# This dialect has no ListTasks\n');
    const one = await translate('--to', 'a2a-0.1', file('list.json'));
    expect(one).toEqual({ code: 1, stdout: '', stderr: 'error: This dialect has no ListTasks\n' });
  });

  test('translate takes the parameters of a method, a stream, and another binding', async () => {
    await writeFile(file('params.json'), JSON.stringify({ id: 't1' }));
    const get = ['--from', 'agentvault-0.2', '--type', 'params', '--method', 'tasks/cancel', '--explain'];
    const params = await translate(...get, '--to', 'a2a-0.3', file('params.json'));
    expect(JSON.parse(params.stdout)).toEqual({ id: 't1' });
    const all = await translate(...get, file('params.json'));
    expect(all.stdout).toContain('# a2a-1.0 CancelTask\n');
    await writeFile(file('stream.txt'), `data: ${JSON.stringify({ jsonrpc: '2.0', id: 1, result: { task } })}\n\n`);
    const stream = await translate('--to', 'a2a-0.1', file('stream.txt'));
    expect(stream.stdout).toMatch(/^data: \{"jsonrpc":"2\.0","id":1,"result":\{"id":"t1","status":/);
    const rest = await translate(
      '--from',
      'a2a-1.0',
      '--binding',
      'grpc',
      '--to',
      'a2a-0.3',
      '--type',
      'params',
      '--method',
      'GetTask',
      file('params.json'),
    );
    expect(JSON.parse(rest.stdout)).toEqual({ name: 'tasks/t1' });
  });

  test('translate reads stdin if no file is named', async () => {
    const args = ['translate', '--from', 'a2a-1.0', '--to', 'agentvault-0.2', '--type', 'task'];
    const { code, stdout } = await cli(args, { stdin: JSON.stringify(task) });
    expect([code, JSON.parse(stdout)]).toMatchObject([0, { id: 't1', state: 'COMPLETED' }]);
  });

  test.each([
    [2, ['--from', 'a2a-9', '--to', 'a2a-1.0', ...types], /^error: --from: expected one of a2a-1\.0, .*\n$/],
    [2, ['--from', 'a2a-1.0', '--to', 'x', ...types], /^error: --to: expected one of .*\n$/],
    [2, ['--from', 'a2a-1.0', '--to', 'a2a-1.0', '--type', 'tusk'], /^error: --type: expected one of message, .*\n$/],
    [2, ['--binding', 'carrier-pigeon'], /^error: --binding: expected one of jsonrpc, rest, grpc\n$/],
    [1, ['--method', 'tasks/get', '--type', 'params', 'message.json'], /^error: the document is not a frame of /],
    [2, ['--from', 'a2a-1.0', '--to', 'a2a-1.0', ...types, 'gone.json'], /^error: cannot read gone\.json \(no such/],
    [
      1,
      ['--from', 'a2a-1.0', '--to', 'a2a-1.0', ...types, 'broken.json'],
      /^error: the document is not valid JSON: .*\n$/,
    ],
    [1, ['--from', 'a2a-1.0', '--to', 'a2a-1.0', ...types, 'message.json'], /^error: .*status.*\n$/],
  ])('translate ends with %i for %j', async (expected, args, problem) => {
    const named = args.map((arg) => (arg === 'broken.json' || arg === 'message.json' ? file(arg) : arg));
    const { code, stdout, stderr } = await translate(...named);
    expect([code, stdout]).toEqual([expected, '']);
    expect(stderr).toMatch(problem);
  });
});
