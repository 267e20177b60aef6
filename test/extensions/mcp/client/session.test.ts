import { InMemoryTransport, Server } from '@modelcontextprotocol/server';
import { expect, it } from 'vitest';
import { openMcpSession } from '../../../../src/extensions/mcp/client/session/session.ts';

it.each(['progress', 'message'] as const)(
  'of 5,000 notifications of one tool call (%s), 1,000 are passed on, and the result still arrives',
  async (kind) => {
    const [ours, theirs] = InMemoryTransport.createLinkedPair();
    const server = new Server({ name: 'talkative', version: '1' }, { capabilities: { tools: {}, logging: {} } });
    server.setRequestHandler('tools/call', async ({ params }, { mcpReq }) => {
      const progressToken = params._meta?.progressToken ?? expect.fail('no progress is wanted');
      for (let progress = 1; progress <= 5_000; progress += 1) {
        await mcpReq.notify(
          kind === 'progress'
            ? { method: 'notifications/progress', params: { progressToken, progress } }
            : { method: 'notifications/message', params: { level: 'info', data: `line ${progress}` } },
        );
      }
      return { content: [{ type: 'text', text: 'done' }] };
    });
    await server.connect(theirs);
    const nothing = (): void => undefined;
    const options = { timeout: 30_000, taskTimeout: 30_000, version: '1', onToolsChanged: nothing, onLost: nothing };
    const session = await openMcpSession(ours, options, new AbortController().signal);
    let reports = 0;
    const result = await session.call({
      name: 'count',
      arguments: {},
      signal: new AbortController().signal,
      hops: 0,
      onAsk: async () => ({ action: 'cancel' }),
      onProgress: () => {
        reports += 1;
      },
    });
    await session.close();
    expect(result).toEqual({ content: [{ type: 'text', text: 'done' }] });
    expect(reports).toBe(1_000);
  },
);
