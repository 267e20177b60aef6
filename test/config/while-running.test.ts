import { expect, it } from 'vitest';
import { problems, read, upstream } from './support.ts';

const module = (...lines: readonly string[]): string =>
  ['agents:', '  w:', '    kind: reference', ...lines.map((line) => `    ${line}`)].join('\n');

it('an agent may queue, forward or refuse messages while it works', () => {
  const { agents } = read(upstream('url: https://x.example', 'whileRunning: forward'));
  expect(agents.get('w')).toMatchObject({ whileRunning: 'forward' });
  expect(read(module('whileRunning: refuse')).agents.get('w')).toMatchObject({ whileRunning: 'refuse' });
});

it('a value that is none of them is refused, and named with its field', () => {
  expect(problems(module('whileRunning: later')).join()).toMatch(/agents\.w\.whileRunning.*queue/);
  expect(problems(upstream('url: https://x.example', 'whileRunning: 5')).join()).toContain('agents.w.whileRunning');
});

it('messages are forwarded only to upstream agents', () => {
  expect(problems(module('whileRunning: forward')).join()).toMatch(/agents\.w\.whileRunning.*only to upstream agents/);
});
