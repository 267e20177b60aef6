import type { ChildProcess } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { outcomeOf, printed, startCli } from '../support/cli.ts';
import { newFolder } from '../support/folders.ts';
import { inProcess } from '../support/in-process.ts';

const library = new URL('../../src/index.ts', import.meta.url).pathname;

function folderWith(files: Record<string, string>): string {
  const folder = newFolder();
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  return folder;
}

const agent = (answer: string, more = ''): string => `
import { say, defineAgent } from '${library}';
${more}
export default defineAgent({
  name: 'Hello',
  description: 'Says something',
  execute: () => say(${answer}),
});
`;

interface Started {
  readonly child: ChildProcess;
  readonly url: string;
  readonly first: string;
  /** Output so far. */
  readonly text: () => string;
}

async function start(folder: string, ...args: string[]): Promise<Started> {
  const child = startCli(['serve', '--port', '0', ...args], { cwd: folder });
  let text = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on('data', (chunk: Buffer) => {
      text += chunk.toString();
    });
  }
  const first = await printed(child, /Ctrl-C/);
  return { child, url: /listening on (\S+)/.exec(first)?.[1] ?? '', first, text: () => text };
}

const answers = (url: string) => expect.poll(async () => (await inProcess(['send', url, 'x'])).stdout);

it('serve --dev loads the agent again when its file or one of its imports is saved', async () => {
  const folder = folderWith({
    'hello.ts': agent('word', "import { word } from './word.ts';"),
    'word.ts': "export const word = 'one';",
    'unrelated.ts': '',
  });
  const { url, first, text } = await start(folder, '--dev', 'hello.ts');
  expect(first).toMatch(/agent hello \(module .*hello\.ts\), also at the root\n/);
  expect(first).toContain('Tasks are stored in memory, until the gateway stops.');
  await answers(url).toBe('one\n');
  writeFileSync(join(folder, 'word.ts'), "export const word = 'two';");
  await answers(url).toBe('two\n');
  writeFileSync(join(folder, 'hello.ts'), agent("word + '!'", "import { word } from './word.ts';"));
  await answers(url).toBe('two!\n');
  writeFileSync(join(folder, 'unrelated.ts'), '// saved');
  await answers(url).toBe('two!\n');
  expect(text()).not.toContain('unrelated');
  await expect.poll(text).toMatch(/^\d\d:\d\d:\d\d INFO {2}configuration reloaded agents\.changed=hello/m);
});

it('serve --dev keeps the agent when a saved file has an error, shows the place, and continues with the next save', async () => {
  const folder = folderWith({ 'hello.ts': agent("'good'") });
  const { url, text } = await start(folder, '--dev', 'hello.ts');
  writeFileSync(join(folder, 'hello.ts'), `${agent("'bad'")}\nexport const broken = {;\n`);
  await expect
    .poll(text)
    .toMatch(/ERROR reload refused; everything stays as it was.*cannot be loaded: .*hello\.ts:10\)/);
  await answers(url).toBe('good\n');
  const missing = agent('word', "import { word } from './word.ts';");
  writeFileSync(join(folder, 'hello.ts'), missing);
  await expect.poll(text).toMatch(/Cannot find module .*word\.ts/);
  await answers(url).toBe('good\n');
  // This save adds the missing module; the agent's file does not change.
  writeFileSync(join(folder, 'word.ts'), "export const word = 'better';");
  await answers(url).toBe('better\n');
});

it("serve --dev shows callers on this machine the calls of an agent's exception", async () => {
  const folder = folderWith({
    'hello.ts': agent('explode()', "import { explode } from './explode.ts';"),
    'explode.ts': 'export function explode(): string {\n  throw new Error("boom");\n}\n',
  });
  const { url, text } = await start(folder, '--dev', 'hello.ts');
  const { code, stderr } = await inProcess(['send', url, 'x']);
  expect([code, stderr]).toEqual([1, expect.stringMatching(/^error: .*boom \(.*explode\.ts:2\)\n$/)]);
  const verbose = await inProcess(['send', url, 'x', '-v']);
  expect(verbose.stderr).toMatch(/at explode \(.*explode\.ts:2:9\)(.|\n)*at .*hello\.ts:7:22/);
  await expect
    .poll(text)
    .toMatch(/ERROR .*\n {2}Error: boom\n {4}at explode \(.*explode\.ts:2:9\)\n {4}at .*hello\.ts:7:22/);
  expect(text()).not.toContain('src/core/');
});

it('serve --agent serves a module under the name of its file, and loads it again on SIGHUP', async () => {
  const folder = folderWith({ 'My_Agent.ts': agent("'one'") });
  const { child, url, first } = await start(folder, '--agent', 'My_Agent.ts', '--store', 'memory:');
  expect(first).toContain('agent my-agent (');
  await answers(`${url}/my-agent`).toBe('one\n');
  writeFileSync(join(folder, 'My_Agent.ts'), agent("'two'"));
  child.kill('SIGHUP');
  await answers(url).toBe('two\n');
  const ended = outcomeOf(child);
  child.kill('SIGTERM');
  expect((await ended).code).toBe(0);
});

it('serve --agent gives a file with a reserved name another, and keeps tasks in ./data', async () => {
  const folder = folderWith({ 'agent.ts': agent("'one'") });
  const { first } = await start(folder, '--agent', './agent.ts');
  expect(first).toContain('agent my-agent (');
  expect(first).toContain('sqlite:data/gateway.db');
});

it('serve --agent says what is wrong with a module', async () => {
  const folder = folderWith({ 'none.ts': 'export const x = 1;\n' });
  const { code, stderr } = await outcomeOf(startCli(['serve', '--agent', 'none.ts', '--port', '0'], { cwd: folder }));
  expect(code).not.toBe(0);
  expect(stderr).toMatch(/^error: .*none\.ts exports nothing by default; write /);
});

it.each([
  [['--agent', 'no-such.ts'], /^error: --agent: there is no file no-such\.ts\n$/],
  [['--dev', '.'], /^error: --dev: there is no file \.\n$/],
  [['--dev', 'a.ts', '--agent', 'b.ts'], /^error: option '--agent <file>' cannot be used with option '--dev <file>'/],
  [
    ['--dev', 'a.ts', '--config', 'b.yaml'],
    /^error: option '--config <file>' cannot be used with option '--dev <file>'/,
  ],
  [
    ['--agent', 'a.ts', '--upstream', 'http://x'],
    /^error: option '--agent <file>' cannot be used with option '--upstream/,
  ],
  [['--dev', library, '--host', '0.0.0.0'], /^error: listen\.publicUrl: required/],
])('serve --agent refuses %j', async (args, said) => {
  const { code, stderr } = await inProcess(['serve', ...args]);
  expect([code, stderr]).toEqual([2, expect.stringMatching(said)]);
});
