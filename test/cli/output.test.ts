import { WriteStream } from 'node:tty';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { type Output, processOutput, tableLines } from '../../src/cli/output.ts';

it('a table has columns as wide as their longest cell, on one line each', () => {
  const id = 'a-much-longer-id-than-any-uuid-0198c5f4-7d3e-7a61';
  const rows = [
    ['short', { text: 'working', color: 'cyan' as const }, 'a\nb'],
    [id, 'input-required', 'c\u001b[2J'],
    ['x', 'done', ''],
  ];
  expect(tableLines(rows)).toEqual([
    `${'short'.padEnd(id.length)}  working         a b`,
    `${id}  input-required  c\uFFFD[2J`,
    `${'x'.padEnd(id.length)}  done`,
  ]);
  expect(tableLines([])).toEqual([]);
});

describe('output', () => {
  afterEach(() => {
    for (const stream of [process.stdout, process.stderr]) Object.assign(stream, { isTTY: undefined });
  });

  /** Text that is written to a terminal, or to a file or pipe. */
  function written(isTerminal: boolean, use: (output: Output) => void): string {
    let text = '';
    for (const stream of [process.stdout, process.stderr]) {
      Object.assign(stream, { isTTY: isTerminal, getColorDepth: WriteStream.prototype.getColorDepth });
      vi.spyOn(stream, 'write').mockImplementation((chunk) => {
        text += String(chunk);
        return true;
      });
    }
    use(processOutput());
    vi.restoreAllMocks();
    return text;
  }

  /** Node judges a terminal by many variables, those of CI systems among them: a test sets all of them. */
  function onlyEnv(env: Record<string, string>): void {
    for (const name of Object.keys(process.env)) vi.stubEnv(name, undefined);
    for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value);
  }

  const use = (output: Output): void => {
    output.table(['task', 'state'], [['t1', { text: 'failed', color: 'red' }]]);
    output.note('error: no\u001b[2J');
    output.note('plain');
  };

  it('output has colors and titles on a terminal alone', () => {
    onlyEnv({ TERM: 'xterm-256color' });
    expect(written(true, use)).toBe(
      '\u001b[90mtask\u001b[39m  \u001b[90mstate\u001b[39m\nt1    \u001b[31mfailed\u001b[39m\n' +
        '\u001b[31merror\u001b[39m: no\uFFFD[2J\nplain\n',
    );
    expect(written(false, use)).toBe('t1  failed\nerror: no\uFFFD[2J\nplain\n');
  });

  it('output has no colors with NO_COLOR', () => {
    onlyEnv({ TERM: 'xterm-256color', NO_COLOR: '1' });
    expect(written(true, use)).toBe('task  state\nt1    failed\nerror: no\uFFFD[2J\nplain\n');
  });
});
