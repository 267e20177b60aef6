import { expect, it, vi } from 'vitest';
import type { SessionOpener } from '../../../../src/extensions/mcp/client/session/connect.ts';
import { SessionServer } from '../../../../src/extensions/mcp/client/session/session-server.ts';
import { silent } from '../../../support/core.ts';
import { paced } from '../../../support/pace.ts';

it.each([
  ['as long as the server says', 60_000, 60],
  ['five minutes where the server does not say', undefined, 300],
  ['ten seconds at least', 0, 10],
  ['an hour at most', 7 * 86_400_000, 3_600],
])('a list of tools is kept %s', async (_, ttl, seconds) => {
  vi.useFakeTimers({ toFake: ['Date', 'performance'] });
  let lists = 0;
  const session = {
    ending: undefined,
    list: async () => {
      lists += 1;
      return { tools: [{ name: `tool ${lists}` }], ttl };
    },
    close: async () => {},
  };
  const connect = async () => session as never;
  const times = { timeout: 1_000, taskTimeout: 1_000 };
  const server = new SessionServer({ name: 'it', connect, logger: silent, version: '1', ...times });
  await server.list(AbortSignal.timeout(paced(5_000)), { hops: 1 });
  vi.advanceTimersByTime(seconds * 1_000 - 1);
  expect(server.tools).toEqual([{ name: 'tool 1' }]);
  await new Promise(setImmediate);
  expect(lists).toBe(1);
  vi.advanceTimersByTime(2);
  expect(server.tools).toEqual([{ name: 'tool 1' }]);
  await vi.waitFor(() => expect(server.tools).toEqual([{ name: 'tool 2' }]));
  await server.close();
});

it('a list that could not be read after a change is read again when it is used', async () => {
  vi.useFakeTimers({ toFake: ['Date', 'performance'] });
  let lists = 0;
  const session = {
    ending: undefined,
    list: async () => {
      lists += 1;
      if (lists === 2) throw new Error('The server is busy');
      return { tools: [{ name: `tool ${lists}` }] };
    },
    close: async () => {},
  };
  let onToolsChanged = (): void => expect.fail('there is no session yet');
  const connect: SessionOpener = async (options) => {
    ({ onToolsChanged } = options);
    return session as never;
  };
  const times = { timeout: 1_000, taskTimeout: 1_000 };
  const server = new SessionServer({ name: 'it', connect, logger: silent, version: '1', ...times });
  await server.list(AbortSignal.timeout(paced(5_000)), { hops: 1 });
  vi.advanceTimersByTime(2_000);
  onToolsChanged();
  await vi.waitFor(() => expect(lists).toBe(2));
  vi.advanceTimersByTime(2_000);
  await vi.waitFor(() => expect(server.tools).toEqual([{ name: 'tool 3' }]));
  await server.close();
});
