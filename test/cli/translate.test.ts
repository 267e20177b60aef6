import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { allDialects } from '../../src/client/index.ts';
import { cli, inProcess } from '../support/cli.ts';

const task = {
  id: 't1',
  contextId: 'c1',
  status: { state: 'TASK_STATE_COMPLETED', timestamp: '2026-01-01T00:00:00.000Z' },
  history: [{ messageId: 'm1', taskId: 't1', contextId: 'c1', role: 'ROLE_USER', parts: [{ text: 'hi' }] }],
};
const message = { messageId: 'm1', role: 'ROLE_USER', parts: [{ text: 'hi', metadata: { a: 1 } }] };

let folder: string;
const file = (name: string): string => join(folder, name);

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'translate-'));
  await writeFile(file('task.json'), JSON.stringify(task));
  await writeFile(file('message.json'), JSON.stringify(message));
  await writeFile(file('broken.json'), '{');
});
afterAll(() => rm(folder, { recursive: true }));

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

  test('--explain tells on stderr what is lost, or that nothing is', async () => {
    const args = ['--from', 'a2a-1.0', '--type', 'message', '--explain', file('message.json')];
    const lossy = await translate('--to', 'agentvault-0.2', ...args);
    expect(lossy).toMatchObject({ code: 0 });
    expect(lossy.stderr.split('\n')).toContain('lost in agentvault-0.2: parts.metadata');
    expect(JSON.parse(lossy.stdout)).toMatchObject({ role: 'user', parts: [{ type: 'text', content: 'hi' }] });
    const lossless = await translate('--to', 'a2a-1.0', ...args);
    expect(lossless.stderr).toBe('a2a-1.0 can say all of it\n');
  });

  test('--strict refuses what would be lost, and names it', async () => {
    const args = ['--from', 'a2a-1.0', '--type', 'message', '--strict', file('message.json')];
    const { code, stdout, stderr } = await translate('--to', 'agentvault-0.2', ...args);
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toMatch(/^error: agentvault-0\.2 cannot say .*parts\.metadata.*, and losses are refused here\n$/);
    expect(await translate('--to', 'a2a-1.0', ...args)).toMatchObject({ code: 0, stderr: '' });
  });

  test('stdin, where no file is named', async () => {
    const args = ['translate', '--from', 'a2a-1.0', '--to', 'agentvault-0.2', '--type', 'task'];
    const { code, stdout } = await cli(args, { stdin: JSON.stringify(task) });
    expect([code, JSON.parse(stdout)]).toMatchObject([0, { id: 't1', state: 'COMPLETED' }]);
  });

  test.each([
    [2, ['--from', 'a2a-9', '--to', 'a2a-1.0', ...types], /^error: --from: this version speaks a2a-1\.0, .*\n$/],
    [2, ['--from', 'a2a-1.0', '--to', 'x', ...types], /^error: --to: this version speaks .*\n$/],
    [2, ['--from', 'a2a-1.0', '--to', 'a2a-1.0', '--type', 'tusk'], /^error: --type: expected one of message, .*\n$/],
    [2, ['--from', 'a2a-1.0', '--type', 'task'], /^error: required option '--to <dialect>' not specified; see .*\n$/],
    [2, ['--from', 'a2a-1.0', '--to', 'a2a-1.0', ...types, 'gone.json'], /^error: cannot read gone\.json \(no such/],
    [1, ['--from', 'a2a-1.0', '--to', 'a2a-1.0', ...types, 'broken.json'], /^error: the document is not JSON: .*\n$/],
    [1, ['--from', 'a2a-1.0', '--to', 'a2a-1.0', ...types, 'message.json'], /^error: .*status.*\n$/],
  ])('ends with %i for %j', async (expected, args, told) => {
    const named = args.map((arg) => (arg === 'broken.json' || arg === 'message.json' ? file(arg) : arg));
    const { code, stdout, stderr } = await translate(...named);
    expect([code, stdout]).toEqual([expected, '']);
    expect(stderr).toMatch(told);
  });
});
