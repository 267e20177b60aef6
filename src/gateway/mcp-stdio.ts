import type { Readable, Writable } from 'node:stream';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { A2AError } from '../core/errors.ts';
import type { Offer } from '../mcp/server.ts';
import { packageVersion } from './version.ts';

export type { Offer } from '../mcp/server.ts';
export type { CallFacts, ToolAgent } from '../mcp/tool-agent.ts';

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

/** Serves the skills of agents as tools of MCP over stdin and stdout, until the client closes them. */
export async function serveMcpStdio({ offer, stdin, stdout, onFailure }: McpStdioOptions): Promise<McpStdio> {
  const [{ StdioServerTransport }, { createMcpServer }] = await Promise.all([
    import('@modelcontextprotocol/sdk/server/stdio.js'),
    import('../mcp/server.ts'),
  ]);
  const stopping = new AbortController().signal;
  const server = createMcpServer({ version: packageVersion(), offer, patience, stopping, onFailure });
  const ended = Promise.withResolvers<void>();
  server.onclose = () => ended.resolve();
  // The transport does not mind when there is nobody left to read from.
  const close = (): void => void server.close();
  for (const event of ['end', 'close'] as const) stdin.once(event, close);
  await server.connect(new StdioServerTransport(stdin, stdout) as Transport);
  return { changed: () => void server.sendToolListChanged().catch(() => undefined), ended: ended.promise };
}
