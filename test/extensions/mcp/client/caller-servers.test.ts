import { expect, it } from 'vitest';
import { createPerCallerServer } from '../../../../src/extensions/mcp/client/session/caller-servers.ts';
import type { ToolServer } from '../../../../src/extensions/mcp/client/tool-server.ts';
import { paced } from '../../../support/pace.ts';

it('a server that callers sign in to opens a session for each caller, and another for each of its credentials', async () => {
  let opened = 0;
  const open = (): ToolServer => {
    opened += 1;
    const id = String(opened);
    return { list: async () => [{ name: id }], close: async () => {} } as unknown as ToolServer;
  };
  const server = createPerCallerServer(open, () => {});
  const sessionOf = async (caller: string, authorization?: string): Promise<string | undefined> => {
    const credentials = () => (authorization === undefined ? {} : { authorization });
    const tools = await server.list(AbortSignal.timeout(paced(5_000)), { hops: 1, caller, credentials });
    return tools?.[0]?.name;
  };
  // Callers with certificates show nothing that is passed on.
  expect(await sessionOf('cert:carol')).toBe('1');
  expect(await sessionOf('cert:dave')).toBe('2');
  expect(await sessionOf('jwt:a#carol', 'Bearer one')).toBe('3');
  expect(await sessionOf('jwt:a#carol', 'Bearer two')).toBe('4');
  expect(await sessionOf('cert:carol')).toBe('1');
  await server.close();
});
