import { PassThrough, type Readable, type Writable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import type { McpServer, ProtocolEra } from '@modelcontextprotocol/server';
import { newId } from '../../../core/model/ids.ts';
import { sealedTokens } from '../../../net/credentials/sealed-tokens.ts';
import type { CallState } from './asking.ts';
import type { McpServerOptions } from './server.ts';

export type { ExposedAgent } from './exposed-agent.ts';
export type { Offer } from './server.ts';

export interface McpStdioOptions extends Pick<McpServerOptions, 'offer' | 'onFailure' | 'version'> {
  readonly stdin: Readable;
  readonly stdout: Writable;
}

/**
 * Waiting time of a call in milliseconds: the default, slightly less than the official client's time-out, and the
 * maximum.
 */
const waitLimits = { default: 50_000, most: 3_600_000 };
/** Milliseconds for the remaining responses after the client has closed stdin. */
const leaving = 3_000;
/** Milliseconds between two checks whether they have been sent. */
const pause = 10;

/**
 * Serves the skills of agents as MCP tools over stdin and stdout, in the era of the client's first message. `ended`
 * waits until the client has closed stdin.
 */
export async function serveMcpStdio({ stdin, stdout, ...options }: McpStdioOptions) {
  const [{ serveStdio, StdioServerTransport }, { createMcpServer }] = await Promise.all([
    import('@modelcontextprotocol/server/stdio'),
    import('./server.ts'),
  ]);
  const stopping = new AbortController();
  // The process has a single client, whose calls end with the process.
  const tokens = sealedTokens<CallState>(newId(), 'MCP request state');
  const asking = { states: { caller: '', tokens: async () => tokens } };
  let running = 0;
  const onRunning = (change: 1 | -1): void => {
    running += change;
  };
  let server: McpServer | undefined;
  const newServer = ({ era }: { readonly era: ProtocolEra }): McpServer => {
    server = createMcpServer({ ...options, asking, era, waitLimits, stopping: stopping.signal, onRunning });
    return server;
  };
  // The SDK leaves calls unanswered when its input ends, so its input ends later than stdin.
  const input = new PassThrough();
  stdin.pipe(input, { end: false });
  stdin.once('end', async () => {
    stopping.abort();
    for (let left = leaving; left > 0 && running > 0; left -= pause) await delay(pause);
    input.end();
  });
  stdin.once('error', () => input.end());
  const ended = Promise.withResolvers<void>();
  const transport = new StdioServerTransport(input, stdout);
  const close = transport.close.bind(transport);
  transport.close = () => close().finally(() => ended.resolve());
  serveStdio(newServer, { transport });
  return { changed: () => void server?.server.sendToolListChanged().catch(() => undefined), ended: ended.promise };
}
