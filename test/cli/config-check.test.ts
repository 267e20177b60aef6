import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { servedLines } from '../../src/cli/config-summary.ts';
import { parseConfig } from '../../src/config/parse.ts';
import { reservedNames } from '../../src/config/sections/agents.ts';
import { newFolder } from '../support/folders.ts';
import { inProcess } from '../support/in-process.ts';

/** Errors of `config check`, and of `serve` about its options and its listener. */

const written = (text: string, folder = newFolder()): string => {
  const file = join(folder, 'gateway.yaml');
  writeFileSync(file, text);
  return file;
};
const check = (file: string, ...more: string[]) => inProcess(['config', 'check', file, ...more]);
const agent = 'agents: { own: { kind: reference } }\n';

it('config check refuses a folder as a store, at its line, with an example of a file', async () => {
  const folder = newFolder();
  mkdirSync(join(folder, 'data'));
  const { code, stderr } = await check(written(`${agent}store: "sqlite:data"\n`, folder));
  expect(code).not.toBe(0);
  expect(stderr).toMatch(/gateway\.yaml:2: .*data is a folder, not a database file; .*gateway\.db/);
});

it.each([
  ['nothing', ''],
  ['blank lines', '\n\n'],
  ['comments alone', '# agents:\n'],
])('config check and serve refuse a file that has %s', async (_, text) => {
  const file = written(text);
  for (const command of [
    ['config', 'check', file],
    ['serve', '--config', file, '--port', '0'],
  ]) {
    const { code, stderr } = await inProcess(command);
    expect(code).toBe(2);
    expect(stderr).toBe(
      `error: ${file}: the file is empty; write settings into it, or start without a configuration file\n`,
    );
  }
});

it('config check ends with 1 for warnings with --strict, and with 0 without', async () => {
  const file = written('agents: { one: { kind: reference }, two: { kind: reference } }\n');
  const lenient = await check(file);
  expect(lenient).toMatchObject({
    code: 0,
    stderr: expect.stringContaining('warning: no agent is served at the root'),
  });
  const strict = await check(file, '--strict');
  expect(strict).toMatchObject({ code: 1, stdout: lenient.stdout });
  expect(strict.stderr).toContain('warning: no agent is served at the root');
  expect((await check(written(`${agent}defaultAgent: own\n`), '--strict')).code).toBe(0);
});

it('config check lists all reserved words where a name is one', async () => {
  const { stderr } = await check(written('agents: { mcp: { kind: reference } }\n'));
  for (const word of reservedNames) expect(stderr).toContain(word);
});

it.each([
  [['serve', '--dev', '--port', '9000'], '--dev'],
  [['serve', '--config', '--host', 'localhost'], '--config'],
  [['serve', '--store', '--port', '1'], '--store'],
  [['send', 'http://localhost:1', 'hello', '--api-key', '--json'], '--api-key'],
])('an option whose value is missing is named, and takes no other option for it: %j', async (args, option) => {
  const { code, stderr } = await inProcess(args);
  expect(code).toBe(2);
  expect(stderr).toContain(`${option}: expected a value before --`);
});

it('the start names its own address and port, and the public URL beside it', () => {
  const config = parseConfig(
    `listen: { port: 9000, publicUrl: "https://agents.example.com" }\nauth: { anonymous: true }\n${agent}`,
    {
      file: 'gateway.yaml',
      env: {},
    },
  );
  const [first, second] = servedLines(config, 9_000);
  expect(first).toBe('a2a-gateway is listening on http://localhost:9000');
  expect(second).toBe('clients reach it at https://agents.example.com');
});
