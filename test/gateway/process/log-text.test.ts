import { expect, it } from 'vitest';
import { defaultConfig } from '../../../src/config/index.ts';
import { createLogger, readableLine, shownError } from '../../../src/gateway/process/logger.ts';

const plain = (_: unknown, text: string): string => text;
const marked = (color: unknown, text: string): string => `<${String(color)}>${text}</>`;

const line = (more: object): string =>
  `${JSON.stringify({ level: 30, time: 1_700_000_000_000, pid: 1, hostname: 'h', ...more })}\n`;
const at = new Date(1_700_000_000_000).toTimeString().slice(0, 8);

it('a line of the log for people has time, level, message and fields', () => {
  const text = readableLine(
    line({
      level: 40,
      request: 'r1',
      principal: 'alice',
      agents: { added: ['a', 'b'], removed: [] },
      why: 'no way',
      n: 0,
      msg: 'hm',
    }),
    plain,
  );
  expect(text).toBe(`${at} WARN  hm principal=alice agents.added=a,b why="no way" n=0\n`);
});

it('a line of the log for people omits what says nothing', () => {
  expect(readableLine(line({ principal: 'anonymous', request: 'r', msg: 'x' }), plain)).toBe(`${at} INFO  x\n`);
});

it('a line of the log for people replaces control characters and keeps one line', () => {
  const text = readableLine(line({ msg: 'a\u001b[2J\nb', 'k\u0007': '\u009b31m', deep: { text: 'x\r\ny' } }), plain);
  expect(text).toBe(`${at} INFO  a\uFFFD[2J b k\uFFFD=\uFFFD31m deep.text="x\\r\\ny"\n`);
});

it('a line of the log for people shows an error with the calls in the code of agents, and its causes', () => {
  const cause = new TypeError('deep');
  cause.stack = 'TypeError: deep\n    at node:internal/x:1:1';
  const error = Object.assign(new Error('top\u001b[0m', { cause }), {
    stack: 'Error: top\n    at f (file:///my%20agents/a.ts?reload=3:4:5)\n    at node:internal/process:1:2',
  });
  expect(readableLine(line({ level: 50, err: shownError(error), msg: 'failed' }), plain)).toBe(
    `${at} ERROR failed\n  Error: top\uFFFD[0m\n    at f (/my agents/a.ts:4:5)\n` +
      '  caused by:\n    TypeError: deep\n      at node:internal/x:1:1\n',
  );
});

it('a line of the log for people survives a line that is no JSON any more', () => {
  expect(readableLine('{"msg": [secret]\u001b}\n', plain)).toBe('{"msg": [secret]\uFFFD}\n');
});

it('a line of the log for people has colors where they are wanted', () => {
  expect(readableLine(line({ level: 50, a: 1, msg: 'x' }), marked)).toBe(
    `<gray>${at}</> <red>ERROR</> x <cyan>a</>=1\n`,
  );
  // The standard error of a test is no terminal.
  expect(readableLine(line({ msg: 'x' }))).toBe(`${at} INFO  x\n`);
});

it('a log line is written as the configuration says', () => {
  const config = defaultConfig();
  expect(config.log.format).toBe('auto');
  expect(() => createLogger({ ...config, log: { ...config.log, format: 'text' } })).not.toThrow();
});
