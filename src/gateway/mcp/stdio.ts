import type { Readable, Writable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { A2AError } from '../../core/model/errors.ts';
import type { Offer } from '../../mcp/server.ts';
import { packageVersion } from '../compose/version.ts';

export type { ExposedAgent as ToolAgent } from '../../mcp/exposed-agent.ts';
export type { Offer } from '../../mcp/server.ts';

/** What is offered over which streams. */
export interface McpStdioOptions {
  /** Whose skills are offered at the moment. Rejects with an A2AError when that cannot be found out. */
  readonly offer: () => Promise<Offer>;
  readonly stdin: Readable;
  readonly stdout: Writable;
  /** Told what went wrong in a call. */
  readonly onFailure: (error: A2AError) => void;
}

/** A server of MCP over a pair of streams. */
export interface McpStdio {
  /** Tells the client that its tools have changed. */
  changed(): void;
  /** Resolves when the client has gone. */
  readonly ended: Promise<void>;
}

/** Milliseconds that calls wait by themselves, a little less than the official client does, and at most. */
const patience = { usual: 50_000, most: 3_600_000 };
/** Milliseconds that answers have which are owed to a client that asks nothing more, and between two looks. */
const [leaving, pause] = [3_000, 10];

/** Serves the skills of agents as tools of MCP over stdin and stdout, until the client closes stdin. */
export async function serveMcpStdio({ offer, stdin, stdout, onFailure }: McpStdioOptions): Promise<McpStdio> {
  const [{ StdioServerTransport }, { createMcpServer }] = await Promise.all([
    import('@modelcontextprotocol/sdk/server/stdio.js'),
    import('../../mcp/server.ts'),
  ]);
  const stopping = new AbortController();
  const server = createMcpServer({ version: packageVersion(), offer, patience, stopping: stopping.signal, onFailure });
  const ended = Promise.withResolvers<void>();
  server.onclose = () => ended.resolve();
  const transport = new StdioServerTransport(stdin, stdout) as Transport;
  await server.connect(transport);
  const owed = answersOf(transport);
  // The transport does not mind when there is nobody left to read from.
  stdin.once('end', async () => {
    stopping.abort();
    for (let left = leaving; left > 0 && owed.size > 0; left -= pause) await delay(pause);
    await server.close();
  });
  stdin.once('error', () => void server.close());
  return { changed: () => void server.sendToolListChanged().catch(() => undefined), ended: ended.promise };
}

const canceled = 'notifications/cancelled';

/** Ids of the requests that have no answer yet. */
function answersOf(transport: Transport): ReadonlySet<unknown> {
  const owed = new Set<unknown>();
  const { onmessage } = transport;
  const send = transport.send.bind(transport);
  transport.onmessage = (message, extra) => {
    if ('method' in message && 'id' in message) owed.add(message.id);
    // What was canceled is not answered.
    else if ('method' in message && message.method === canceled) owed.delete(message.params?.requestId);
    onmessage?.(message, extra);
  };
  transport.send = async (message, options) => {
    await send(message, options);
    if (!('method' in message)) owed.delete(message.id);
  };
  return owed;
}
