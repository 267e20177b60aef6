import { SdkError, SSEClientTransport, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import type { Logger } from '../../../../core/ports/logger.ts';
import type { HttpToolServerSettings, StdioToolServerSettings } from '../../../../net/tool-server-settings.ts';
import { shortened, ToolFailure } from '../failures.ts';
import type { ToolNet } from '../net.ts';
import { createToolFetch } from './fetch.ts';
import { type Message, MessageReader } from './messages.ts';
import { openProgram } from './program.ts';
import { type McpSession, type McpSessionOptions, openMcpSession } from './session.ts';

/** Opens sessions with one server. Rejects with a ToolFailure, or with the signal's reason. */
export type SessionOpener = (
  options: Omit<McpSessionOptions, 'reader' | 'hide'>,
  signal: AbortSignal,
) => Promise<McpSession>;

/** Maximum bytes of a response in addition to its result. */
const envelope = 64 * 1024;

/** Milliseconds within which a server must answer the probe for its era. */
const shortestProbe = 5_000;
/** Maximum milliseconds for the probe. The time grows while the server cannot be opened, since it may start slowly. */
const longestProbe = 40_000;

/**
 * Classifies the failure of the probe for a server's era. `silent`: the server broke off or did not answer.
 * `unreadable`: it failed or its answer was not MCP; some older servers react so to an unknown method. Undefined:
 * another reason.
 */
function faultOf(thrown: unknown, { legacy }: Pick<McpSessionOptions, 'legacy'>): 'silent' | 'unreadable' | undefined {
  if (legacy === true || !(thrown instanceof ToolFailure)) return undefined;
  if (thrown.cause instanceof SdkError) return 'silent';
  const { condition, details } = thrown;
  const isFailure = Number(details?.http_status) >= 500;
  return isFailure || condition === 'invalidResponse' || condition === 'invalidResult' ? 'unreadable' : undefined;
}

/**
 * Opens sessions in the era of the server, or always in the older era if `protocol` is set. A server whose answer to
 * the probe is missing or unusable is treated as an older one. A server known to be older is not probed again.
 */
function inItsEra(
  open: SessionOpener,
  { protocol, firstProbe = shortestProbe }: Pick<HttpToolServerSettings, 'protocol'> & { readonly firstProbe?: number },
): SessionOpener {
  if (protocol) return (options, signal) => open({ ...options, legacy: true }, signal);
  let legacy = false;
  let probeTime = firstProbe;
  return async (options, signal) => {
    const given = { ...options, legacy, probeTime };
    try {
      const session = await open(given, signal);
      legacy = session.isLegacy;
      probeTime = firstProbe;
      return session;
    } catch (thrown) {
      legacy = false;
      probeTime = Math.min(probeTime * 2, longestProbe);
      const fault = faultOf(thrown, given);
      if (!fault) throw thrown;
      const session = await open({ ...options, legacy: true }, signal);
      // A server that failed may prove to be a newer one at the next attempt.
      legacy = fault === 'silent';
      return session;
    }
  };
}

/**
 * Opens sessions over streamable HTTP, or over SSE if the server refuses with HTTP 400, 404 or 405: servers of MCP
 * 2024-11-05 answer a GET with an event stream (MCP 2025-11-25, basic/transports: backwards compatibility).
 */
export function connectHttp(
  { url, maxResult, protocol }: Pick<HttpToolServerSettings, 'url' | 'maxResult' | 'protocol'>,
  net: ToolNet,
): SessionOpener {
  const target = new URL(url);
  const hideFor =
    ({ facts }: Pick<McpSessionOptions, 'facts'>) =>
    (text: string): string =>
      net.hide(text, facts);
  const fetching = { net, limit: maxResult + envelope };
  const overSse: SessionOpener = async (options, signal) => {
    const reader = new MessageReader(options.onProblems);
    const deliver = (message: Message): void => transport.onmessage?.(message as never);
    const onStreamEnd = (failure: ToolFailure): void => {
      // Otherwise the SDK would reconnect forever, to another session.
      Object.assign(transport, { ending: failure });
      void transport.close();
    };
    const transport = new SSEClientTransport(target, {
      fetch: createToolFetch({ ...fetching, reader, onStreamEnd, deliver }),
    });
    return openMcpSession(transport, { ...options, legacy: true, reader, hide: hideFor(options) }, signal);
  };
  return inItsEra(
    async (options, signal) => {
      const reader = new MessageReader(options.onProblems);
      const transport = new StreamableHTTPClientTransport(target, { fetch: createToolFetch({ ...fetching, reader }) });
      try {
        return await openMcpSession(transport, { ...options, reader, hide: hideFor(options) }, signal);
      } catch (thrown) {
        const { message, details = {} } = ToolFailure.from(thrown);
        const { http_status: status, mcp_protocol_error: said } = details;
        if (status !== 400 && status !== 404 && status !== 405) throw thrown;
        return overSse(options, signal).catch((other) => {
          // If the older transport failed without an HTTP status, it was the right one; otherwise the first response
          // says more.
          const failure = ToolFailure.from(other);
          if (failure.details?.http_status === undefined) throw failure;
          const why = said === undefined ? `There is no MCP server at this URL (HTTP ${status})` : message;
          throw new ToolFailure('connection', why, { details });
        });
      }
    },
    { ...(protocol && { protocol }), ...(net.getsTokens && { firstProbe: longestProbe }) },
  );
}

/** Opens sessions over standard input and output of a program, which is started for each session. */
export function connectProcess(settings: StdioToolServerSettings, logger: Logger, name: string): SessionOpener {
  return inItsEra(async (options, signal) => {
    const stderrLog = createStderrLog(logger, name);
    let session: McpSession | undefined;
    const onLost = (failure: ToolFailure): void => {
      stderrLog.onExit(failure.message);
      options.onLost(failure);
    };
    const reader = new MessageReader(options.onProblems);
    try {
      const transport = await openProgram(
        { ...settings, maxResult: settings.maxResult + envelope },
        {
          reader,
          onStderr: stderrLog.add,
          onOversize: (failure, id, ended) => session?.failUnanswered(failure, id, ended),
        },
      );
      session = await openMcpSession(transport, { ...options, reader, onLost }, signal);
      return session;
    } catch (thrown) {
      if (faultOf(thrown, options) !== 'silent') stderrLog.onExit((thrown as Error).message);
      throw thrown;
    }
  }, settings);
}

/** Maximum number of logged lines per minute, and maximum characters of a line. */
const linesPerMinute = 60;
const maxLineLength = 500;
/** Number of last lines that are logged when a program ends. */
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
    /** Logs the last lines of a program that ended or was unusable. They often contain the reason. */
    onExit(reason: string): void {
      if (last.length === 0) return;
      logger.warn({ server, reason, stderr: [...last] }, 'last stderr output of an MCP server that ended');
    },
  };
}
