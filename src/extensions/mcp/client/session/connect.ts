import { SSEClientTransport } from '@modelcontextprotocol/sdk/client/sse.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Logger } from '../../../../core/ports/logger.ts';
import type { HttpClient } from '../../../../net/http-client.ts';
import type { OutboundAuth } from '../../../../net/outbound-auth.ts';
import type { HttpToolServerSettings, StdioToolServerSettings } from '../../../../net/tool-server-settings.ts';
import { shortened, ToolFailure } from '../failures.ts';
import { createToolFetch, maxResumptions } from './fetch.ts';
import { type McpSession, type McpSessionOptions, openMcpSession } from './session.ts';
import { createProcessTransport } from './stdio-transport.ts';

/** Opens sessions with one server. Rejects with a ToolFailure, or the signal's reason. */
export type SessionOpener = (options: McpSessionOptions, signal: AbortSignal) => Promise<McpSession>;

/** Bytes of an answer around the result. */
const envelope = 64 * 1024;

const reconnectionOptions = {
  maxRetries: maxResumptions,
  initialReconnectionDelay: 500,
  maxReconnectionDelay: 5_000,
  reconnectionDelayGrowFactor: 2,
};

/**
 * Opens sessions over streamable HTTP, or over SSE if the server refuses with a 4xx: servers of MCP 2024-11-05 answer a
 * GET with an event stream (MCP 2025-11-25, basic/transports: backwards compatibility).
 */
export function connectHttp(
  { url, maxResult }: Pick<HttpToolServerSettings, 'url' | 'maxResult'>,
  net: { readonly http: HttpClient; readonly auth: OutboundAuth },
): SessionOpener {
  const target = new URL(url);
  const fetching = { ...net, limit: maxResult + envelope };
  const overSse: SessionOpener = async (options, signal) => {
    let session: McpSession | undefined;
    let ended: ToolFailure | undefined;
    const onStreamEnd = (failure: ToolFailure): void => {
      ended ??= failure;
      session?.end(failure);
      // Otherwise the SDK's library reconnects for ever, to a session that is not ours.
      void transport.close();
    };
    const fetch = createToolFetch({ ...fetching, onStreamEnd });
    const transport = new SSEClientTransport(target, { fetch });
    session = await openMcpSession(transport, options, signal);
    if (ended) session.end(ended);
    return session;
  };
  return async (options, signal) => {
    const transport = new StreamableHTTPClientTransport(target, {
      fetch: createToolFetch(fetching),
      reconnectionOptions,
    });
    try {
      return await openMcpSession(transport, options, signal);
    } catch (thrown) {
      const status = thrown instanceof ToolFailure ? Number(thrown.details?.http_status) : 0;
      if (![400, 404, 405].includes(status)) throw thrown;
      return overSse(options, signal).catch((other) => {
        // If the older transport fails without an HTTP status it was the right one; else the first answer says more.
        const [failure, details] = [ToolFailure.from(other), { http_status: status }];
        if (failure.details?.http_status === undefined) throw failure;
        throw new ToolFailure('connection', `There is no MCP server at this URL (HTTP ${status})`, { details });
      });
    }
  };
}

/** Opens sessions over standard input and output of a program, which is started for each session. */
export function connectProcess(settings: StdioToolServerSettings, logger: Logger, name: string): SessionOpener {
  return async (options, signal) => {
    const stderrLog = createStderrLog(logger, name);
    let session: McpSession | undefined;
    const transport = createProcessTransport(
      { ...settings, maxResult: settings.maxResult + envelope },
      {
        onStderr: stderrLog.add,
        onOversize: (failure, id, ended) => session?.failUnanswered(failure, id, ended),
      },
    );
    const onLost = (failure: ToolFailure): void => {
      stderrLog.onExit(failure.message);
      options.onLost(failure);
    };
    try {
      session = await openMcpSession(transport, { ...options, onLost }, signal);
      return session;
    } catch (thrown) {
      stderrLog.onExit((thrown as Error).message);
      throw thrown;
    }
  };
}

/** Lines that are logged in a minute, and characters of each. */
const linesPerMinute = 60;
const maxLineLength = 500;
/** Last lines that are logged when a program ends. */
const lastLines = 5;

/** Logs the standard error of a program, at a limited rate. */
function createStderrLog(logger: Logger, server: string) {
  const last: string[] = [];
  let minute = 0;
  let count = 0;
  return {
    add(text: string): void {
      const line = shortened(text.trimEnd(), maxLineLength);
      if (line === '') return;
      last.push(line);
      if (last.length > lastLines) last.shift();
      const now = Math.floor(Date.now() / 60_000);
      count = now === minute ? count + 1 : 1;
      minute = now;
      if (count <= linesPerMinute) logger.debug({ server, line }, 'MCP server wrote to stderr');
      else if (count === linesPerMinute + 1) {
        logger.debug({ server }, 'MCP server wrote too much to stderr; further output is dropped');
      }
    },
    /** Logs the last lines of a program that ended or could not be used: they often hold the reason. */
    onExit(reason: string): void {
      if (last.length === 0) return;
      logger.warn({ server, reason, stderr: [...last] }, 'last stderr output of an MCP server that ended');
    },
  };
}
