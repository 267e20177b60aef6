import type { Readable, Writable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { McpServerOptions } from './server.ts';

export type { ExposedAgent } from './exposed-agent.ts';
export type { Offer } from './server.ts';

export interface McpStdioOptions extends Pick<McpServerOptions, 'offer' | 'onFailure' | 'version'> {
  readonly stdin: Readable;
  readonly stdout: Writable;
}

/** A server of MCP over a pair of streams. */
export interface McpStdio {
  /** Notifies the client that its tools have changed. */
  changed(): void;
  /** Resolves when the client has gone. */
  readonly ended: Promise<void>;
}

/** Milliseconds that a call waits by default, a little less than the official client's time-out, and at most. */
const waitLimits = { default: 50_000, most: 3_600_000 };
/** Milliseconds for the remaining answers after the client has closed stdin, and between two checks. */
const [leaving, pause] = [3_000, 10];

/** Serves the skills of agents as tools of MCP over stdin and stdout, until the client closes stdin. */
export async function serveMcpStdio({ stdin, stdout, ...options }: McpStdioOptions): Promise<McpStdio> {
  const [{ StdioServerTransport }, { createMcpServer }] = await Promise.all([
    import('@modelcontextprotocol/sdk/server/stdio.js'),
    import('./server.ts'),
  ]);
  const stopping = new AbortController();
  const server = createMcpServer({
    ...options,
    waitLimits,
    stopping: stopping.signal,
  });
  const ended = Promise.withResolvers<void>();
  server.onclose = () => ended.resolve();
  const transport = new StdioServerTransport(stdin, stdout) as Transport;
  await server.connect(transport);
  const pending = pendingRequests(transport);
  // The transport does not notice the end of stdin.
  stdin.once('end', async () => {
    stopping.abort();
    for (let left = leaving; left > 0 && pending.size > 0; left -= pause) await delay(pause);
    await server.close();
  });
  stdin.once('error', () => void server.close());
  return { changed: () => void server.sendToolListChanged().catch(() => undefined), ended: ended.promise };
}

const canceled = 'notifications/cancelled';

/** Ids of the requests that have no answer yet. */
function pendingRequests(transport: Transport): ReadonlySet<unknown> {
  const pending = new Set<unknown>();
  const { onmessage } = transport;
  const send = transport.send.bind(transport);
  transport.onmessage = (message, extra) => {
    if ('method' in message && 'id' in message) pending.add(message.id);
    // A canceled request gets no answer.
    else if ('method' in message && message.method === canceled) pending.delete(message.params?.requestId);
    onmessage?.(message, extra);
  };
  transport.send = async (message, options) => {
    await send(message, options);
    if (!('method' in message)) pending.delete(message.id);
  };
  return pending;
}
