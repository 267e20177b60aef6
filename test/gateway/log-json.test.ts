import { spawnSync } from 'node:child_process';
import { hostname } from 'node:os';
import { expect, it } from 'vitest';

/** What a process of its own writes to its stderr, with `logger` at level info. */
function written(code: string): { readonly lines: Record<string, unknown>[]; readonly pid: number } {
  const source = (path: string): string => new URL(`../../src/${path}`, import.meta.url).href;
  const program = `
    const { createLogger } = await import('${source('gateway/compose/logger.ts')}');
    const { defaultConfig } = await import('${source('config/index.ts')}');
    const logger = createLogger(defaultConfig({}));
    ${code}`;
  const { stderr, pid } = spawnSync(process.execPath, ['--input-type=module', '-e', program], {
    encoding: 'utf8',
    timeout: 30_000,
  });
  return { lines: stderr.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line)])), pid };
}

it('lines of JSON have the level, the time, the process, the fields and the message', () => {
  const before = Date.now();
  const { lines, pid } = written(`
    logger.debug({}, 'not shown');
    logger.info({ agent: 'demo', nothing: undefined }, 'hello');
    logger.warn({ err: new TypeError('wrong', { cause: 'the cause' }) }, 'careful');
    logger.error({ err: 'a text' }, 'failed');`);
  const common = { pid, hostname: hostname(), time: expect.any(Number) };
  expect(lines).toEqual([
    { ...common, level: 30, agent: 'demo', msg: 'hello' },
    {
      ...{ ...common, level: 40, msg: 'careful' },
      err: {
        type: 'TypeError',
        message: 'wrong',
        stack: expect.stringContaining('TypeError: wrong'),
        cause: 'the cause',
      },
    },
    { ...common, level: 50, err: 'a text', msg: 'failed' },
  ]);
  expect(lines[0]?.time).toBeGreaterThanOrEqual(before);
});

it('a field that has no JSON is shown as text, beside the others', () => {
  const { lines } = written(`
    const self = { name: 'one' };
    self.self = self;
    logger.info({ self, count: 12n, agent: 'demo' }, 'hello');`);
  expect(lines).toMatchObject([
    { self: expect.stringContaining('[Circular'), count: '12n', agent: 'demo', msg: 'hello' },
  ]);
});
