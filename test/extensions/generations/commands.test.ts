import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { reportOf } from '../../../src/extensions/generations/commands/report.ts';
import { inProcess } from '../../support/in-process.ts';
import { bob, clientOf, operator, start } from './support.ts';

/** What operators read about generations on the command line. */

const settings = (mode: string, on = '2999-03-01'): string =>
  `sunset: { a2a-0.3: { since: 2020-01-01, on: "${on}", mode: ${mode}, link: "https://example.com/moving" } }`;

const run = (url: string, ...args: string[]) => inProcess(['generations', url, '--api-key', operator.key, ...args]);

const today = '2026-11-30';

beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'], now: Date.parse(`${today}T12:00:00Z`) }));
afterEach(() => void vi.useRealTimers());

it('a2a-gateway generations lists who speaks which generation, and what its end would refuse', async () => {
  const { url } = await start(settings('rehearse'));
  const client = await clientOf(url, { as: 'a2a-0.3', via: 'jsonrpc' });
  await client.send('say good day');
  await expect(client.getTask({ id: 'unknown' })).rejects.toThrow();
  await (await clientOf(url, { as: 'a2a-1.0', via: 'grpc' }, { apiKey: bob.key })).send('say good day');
  const { code, stdout, stderr } = await run(url);
  expect([code, stderr]).toEqual([0, '']);
  const lines = stdout.split('\n').map((line) => line.replace(/\s+/g, ' ').trim());
  expect(lines[0]).toBe(`a2a-0.3 key:alice demo jsonrpc 2 1 ${today}T12:00:00.000Z`);
  expect(lines[1]).toBe(`a2a-1.0 key:bob demo grpc 1 1 ${today}T12:00:00.000Z`);
  expect(lines).toContain(
    `a2a-0.3 1 of 2 calls by 1 caller since ${today} would be refused, the last call on ${today}; rehearsed so far: 1 deprecated since 2020-01-01, ends on 2999-03-01, mode rehearse`,
  );
  const selected = await run(url, '--caller', 'key:bob', '--json');
  expect(JSON.parse(selected.stdout)).toMatchObject({ uses: [{ principal: 'key:bob', generation: 'a2a-1.0' }] });
});

it('a2a-gateway generations --markdown prints a report for one caller with nothing of others', async () => {
  const { url } = await start(settings('refuse', '2020-03-01'));
  const client = await clientOf(url, { as: 'a2a-0.3', via: 'jsonrpc' });
  await expect(client.send('say good day')).rejects.toThrow();
  await (await clientOf(url, { as: 'a2a-0.2', via: 'jsonrpc' }, { apiKey: bob.key })).send('say good day');
  const { stdout } = await run(url, '--caller', 'key:alice', '--markdown');
  expect(stdout).toBe(`# Calls of key:alice

- **a2a-0.3** has ended on 2020-03-01. 1 of your calls were refused. Call in a later version of A2A. [More about it](<https://example.com/moving>).

Calls since ${today}. “New work” are messages and new webhooks, which the end of a generation refuses.

| generation | agent | binding | calls | new work | first call | last call |
| --- | --- | --- | --- | --- | --- | --- |
| a2a-0.3 | demo | jsonrpc | 1 | 1 | ${today} | ${today} |
`);
});

it('a report names the fields that do not arrive, and quotes names as text', () => {
  const use = {
    generation: 'a2a-0.2',
    principal: '<b>|*x*\n# y',
    agent: 'a_b',
    binding: 'jsonrpc',
    calls: 3,
    firstAt: '2026-11-01T00:00:00Z',
    lastAt: '2026-11-02T00:00:00Z',
    lost: [
      { path: 'task.metadata', count: 2, lastAt: '2026-11-02T00:00:00Z' },
      { path: 'message.parts', agentDialect: 'agentvault-0.2', count: 1, lastAt: '2026-11-01T00:00:00Z' },
    ],
  };
  const sunset = { since: '2026-10-01T00:00:00Z', on: '2027-01-01T00:00:00Z', mode: 'warn' };
  const generations = [{ generation: 'a2a-0.2', calls: 3, sunset }];
  const lines = reportOf({ uses: [use], generations, since: '2026-11-01T00:00:00Z' }).split('\n');
  expect(lines[0]).toMatch(/^# Calls of \\<b\\>\\\|\\\*x\\\*/);
  expect(lines[0]).toContain('\\# y');
  expect(lines).toContain(
    '- **a2a-0.2** is deprecated since 2026-10-01, and ends on 2027-01-01. 0 of your calls would have been refused. Call in a later version of A2A.',
  );
  expect(lines).toContain('| task.metadata | a2a-0.2 | a\\_b | 2 | 2026-11-02 |');
  expect(lines).toContain('| message.parts | agentvault-0.2 (the agent) | a\\_b | 1 | 2026-11-01 |');
  expect(reportOf({ uses: [], generations: [] })).toBe('No calls were counted.\n');
});

it('a2a-gateway doctor says what would happen if a generation ended today, to those who may know', async () => {
  const { url } = await start(settings('warn'));
  const title = 'if a generation of A2A ended today at the gateway';
  await (await clientOf(url, { as: 'a2a-0.2', via: 'jsonrpc' })).send('say good day');
  const known = await inProcess(['doctor', url, '--api-key', operator.key]);
  const lines = known.stdout.split('\n').map((line) => line.replace(/\s+/g, ' ').trim());
  expect(lines.slice(lines.indexOf(title))).toEqual([
    title,
    `a2a-0.2 1 of 1 call by 1 caller since ${today} would be refused, the last call on ${today}`,
    'a2a-0.3 no calls were counted deprecated since 2020-01-01, ends on 2999-03-01, mode warn',
    '',
  ]);
  const { generations } = JSON.parse((await inProcess(['doctor', url, '--api-key', operator.key, '--json'])).stdout);
  expect(generations).toMatchObject([{ generation: 'a2a-0.2' }, { generation: 'a2a-0.3' }]);
  const other = await inProcess(['doctor', url, '--api-key', bob.key]);
  expect(other.stdout).not.toContain(title);
});
