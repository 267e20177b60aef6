import { execFileSync, spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Shell, shells } from '../../src/cli/completion.ts';
import { newFolder } from '../support/folders.ts';
import { inProcess } from '../support/in-process.ts';

const script = async (shell: Shell): Promise<string> => (await inProcess(['completion', shell])).stdout;
const exists = (shell: string): boolean => spawnSync(shell, ['-c', 'true']).status === 0;

describe.runIf(exists('bash'))('bash completes', () => {
  /** Completions that bash proposes for the last of these words. */
  async function proposals(...words: string[]): Promise<string[]> {
    const test = `${await script('bash')}
COMP_WORDS=(a2a-gateway "$@"); COMP_CWORD=$#
_a2a_gateway
printf '%s\\n' "\${COMPREPLY[@]}"`;
    return execFileSync('bash', ['-c', test, 'bash', ...words], { encoding: 'utf8' })
      .split('\n')
      .filter(Boolean);
  }

  it.each([
    [['ser'], ['serve']],
    [['task', 'w'], ['watch']],
    [['task', ''], expect.arrayContaining(['get', 'list', 'cancel', 'watch', '--help'])],
    [['send', 'http://localhost:8080', '--vi'], ['--via']],
    [['send', 'http://localhost:8080', 'task', '--strea'], ['--stream']],
    [
      ['send', '--via', ''],
      ['jsonrpc', 'rest', 'grpc', 'connect'],
    ],
    [['send', '--via', 'g'], ['grpc']],
    [['task', 'list', 'x', '--state', 'in'], ['input-required']],
    [['translate', '--from', 'agentv'], ['agentvault-0.2']],
    [['completion', ''], expect.arrayContaining([...shells])],
    [['knowledge', 'export', 'x', '--format', 'j'], ['jsonl']],
    [['card', 'x', '--verb'], ['--verbose']],
    [['serve', '--config', ''], []],
    [['send', '--task', 's'], []],
  ])('bash completes %j', async (words, expected) => expect(await proposals(...words)).toEqual(expected));
});

it.each(shells)('the completion of commands names every command and option for %s', async (shell) => {
  const text = await script(shell);
  const help = async (...path: string[]): Promise<string> => (await inProcess([...path, '--help'])).stdout;
  for (const path of [[], ['send'], ['serve'], ['knowledge', 'watch'], ['task', 'list']]) {
    const shown = await help(...path);
    const options = [...shown.matchAll(/^ {2}(?:-\w, )?--([\w-]+)/gm)];
    const commands = [...(/^Commands:\n(.*?)\n\n/ms.exec(shown)?.[1] ?? '').matchAll(/^ {2}([a-z]+)\b/gm)];
    expect(options.length + commands.length).toBeGreaterThan(2);
    for (const [, word = ''] of [...options, ...commands]) expect(text).toContain(word);
  }
});

it.each(shells)('the completion of commands is valid for %s', async (shell) => {
  const folder = newFolder();
  const file = join(folder, 'script');
  writeFileSync(file, await script(shell));
  const checked = spawnSync(shell, ['-n', file], { encoding: 'utf8' });
  // Not every machine has every shell.
  if (checked.error === undefined) expect([checked.status, checked.stderr]).toEqual([0, '']);
});

it('the completion of commands knows no other shells', async () => {
  const { code, stderr } = await inProcess(['completion', 'powershell']);
  expect([code, stderr]).toEqual([2, expect.stringContaining('error: SHELL: expected one of bash, zsh, fish; see')]);
});
