import { expect, it } from 'vitest';
import { ConfigError, formatProblem } from '../../src/config/index.ts';
import { parseConfig } from '../../src/config/parse.ts';

const read = (text: string) => parseConfig(text, { file: '/etc/gw/gw.yaml', env: {} }).push;

it('push notifications are tried for a day, each attempt for 15 seconds, unless it is written otherwise', () => {
  expect(read('store: "memory:"')).toEqual({ maxAge: 86_400_000, timeout: 15_000 });
  expect(read('push: { maxAge: 2h, timeout: 500ms }')).toEqual({ maxAge: 7_200_000, timeout: 500 });
});

it.each([
  ['push: { maxAge: 0s }', 'push.maxAge: expected a duration above zero'],
  ['push: { timeout: 15 }', 'push.timeout: expected a duration above zero'],
  ['push: { retries: 3 }', 'push.retries: unknown key; expected one of maxAge, timeout'],
])('%s is refused', (text, problem) => {
  const problems = (): string[] => {
    try {
      read(text);
      return [];
    } catch (error) {
      if (error instanceof ConfigError) return error.problems.map(formatProblem);
      throw error;
    }
  };
  expect(problems().join('\n')).toContain(problem);
});
