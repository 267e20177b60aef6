import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from '../../../../core/ports/logger.ts';
import { ToolFailure } from '../failures.ts';
import type { Tool, ToolCall, ToolServer, ToolServerHealth } from '../tool-server.ts';
import type { SessionOpener } from './connect.ts';
import type { McpSession, McpSessionOptions } from './session.ts';

/** Settings of the sessions with a server. */
export interface SessionServerOptions extends Pick<McpSessionOptions, 'timeout' | 'version' | 'facts'> {
  readonly name: string;
  readonly connect: SessionOpener;
  readonly logger: Logger;
  /** Called when the last session is closed. */
  readonly onClose?: () => void;
}

/** Milliseconds before the list of tools may be refreshed again, and after which it is refreshed when it is used. */
const [minListAge, maxListAge] = [1_000, 300_000];
/** Milliseconds before reconnecting: the first pause and the longest. */
const [firstPause, longestPause] = [500, 30_000];
/** Milliseconds after which a session counts as stable: when it ends, pauses begin again with the shortest. */
const stableAfter = 30_000;
/** Milliseconds that a call waits for the next attempt to connect; if the pause is longer it fails at once. */
const maxConnectWait = 2_000;

/**
 * An MCP server with one session at a time. The session is opened when the gateway starts, and again whenever it is
 * lost, after growing pauses.
 */
export function createSessionServer(options: SessionServerOptions): ToolServer {
  const { name: server, logger, connect, timeout, version, facts } = options;
  const closing = new AbortController();
  let session: McpSession | undefined;
  let connecting: Promise<McpSession> | undefined;
  let openedAt = 0;
  let pause = 0;
  let retry: { readonly at: number; readonly timer: NodeJS.Timeout } | undefined;
  let failure: ToolFailure | undefined;
  let tools: readonly Tool[] | undefined;
  let listedAt = Number.NEGATIVE_INFINITY;
  let listing: Promise<readonly Tool[]> | undefined;
  let isStale = false;

  /** The session, once it is open. Rejects at once while the pause before the next attempt is long. */
  const connected = async (): Promise<McpSession> => {
    const wait = (retry?.at ?? 0) - Date.now();
    if (!session && !connecting && wait > 0) {
      if (failure && wait > maxConnectWait) throw failure;
      await sleep(wait);
    }
    return open();
  };

  const open = async (): Promise<McpSession> => {
    if (session) return session;
    connecting ??= establish().finally(() => {
      connecting = undefined;
    });
    return connecting;
  };

  const establish = async (): Promise<McpSession> => {
    clearTimeout(retry?.timer);
    retry = undefined;
    const { signal } = closing;
    signal.throwIfAborted();
    let opened: McpSession | undefined;
    try {
      opened = await connect({ timeout, version, facts, onToolsChanged, onLost }, signal);
      await read(opened);
      if (opened.ending) throw opened.ending;
      session = opened;
      openedAt = Date.now();
      failure = undefined;
      return opened;
    } catch (thrown) {
      await opened?.close();
      const why = ToolFailure.from(thrown);
      const { message: reason, cause: err } = why;
      if (!signal.aborted && reason !== failure?.message) {
        logger.warn({ server, reason, ...(err !== undefined && { err }) }, 'cannot reach an MCP server; trying again');
      }
      retryLater(why);
      throw why;
    }
  };

  /** Schedules the next attempt to connect. */
  const retryLater = (why: ToolFailure): void => {
    if (closing.signal.aborted) return;
    failure = why;
    pause = pause === 0 ? firstPause : Math.min(pause * 2, longestPause);
    clearTimeout(retry?.timer);
    const again = (): void => void open().catch(() => undefined);
    retry = { at: Date.now() + pause, timer: setTimeout(again, pause).unref() };
  };

  const onLost = (why: ToolFailure): void => {
    if (session === undefined) return;
    session = undefined;
    if (Date.now() - openedAt > stableAfter) pause = 0;
    logger.warn({ server, reason: why.message }, 'lost the session with an MCP server; reconnecting');
    retryLater(why);
  };

  const read = async (from: McpSession): Promise<readonly Tool[]> => {
    isStale = false;
    listedAt = Date.now();
    const list = await from.list(closing.signal);
    // An unchanged list stays the same array, so that everything derived from it stays valid.
    if (!tools || JSON.stringify(list) !== JSON.stringify(tools)) tools = list;
    return tools;
  };

  const refresh = (): Promise<readonly Tool[]> => {
    listing ??= connected()
      .then(read)
      .finally(() => {
        listing = undefined;
      });
    return listing;
  };

  /** Handles `tools/list_changed`, at a limited rate. */
  const onToolsChanged = (): void => {
    if (isStale) return;
    isStale = true;
    const wait = Math.max(0, listedAt + minListAge - Date.now());
    setTimeout(() => {
      if (session && isStale) refresh().catch(() => undefined);
    }, wait).unref();
  };

  const toolOf = (call: ToolCall): Tool | undefined => tools?.find(({ name }) => name === call.name);

  /** Whether a failed call may be repeated once. */
  const mayRepeat = ({ condition, details }: ToolFailure, call: ToolCall): boolean => {
    // A server that does not know the session has not carried out the call.
    if (condition === 'sessionLost') return true;
    const { annotations } = toolOf(call) ?? {};
    const isRepeatable = annotations?.readOnlyHint === true || annotations?.idempotentHint === true;
    return condition === 'connection' && details === undefined && isRepeatable;
  };

  return {
    get tools() {
      const age = Date.now() - listedAt;
      const isOld = age > minListAge && (isStale || age > maxListAge);
      if (session && tools && isOld) refresh().catch(() => undefined);
      return tools ?? [];
    },
    get health(): ToolServerHealth {
      if (failure) return { state: 'unreachable', reason: failure.message };
      return { state: session ? 'ok' : 'connecting' };
    },
    open() {
      open().catch(() => undefined);
    },
    async close() {
      closing.abort(new ToolFailure('connection', 'The gateway is stopping'));
      clearTimeout(retry?.timer);
      const last = session ?? (await connecting?.catch(() => undefined));
      await last?.close();
      options.onClose?.();
    },
    async list(signal, _, wanted) {
      if (tools === undefined) {
        await untilAborted(connected(), signal);
        return tools ?? [];
      }
      if (!wanted || wanted(tools) || Date.now() - listedAt < minListAge) return tools;
      return untilAborted(refresh(), signal);
    },
    async call(call) {
      const current = await untilAborted(connected(), call.signal);
      const taskOnly = toolOf(call)?.taskOnly === true;
      try {
        return await current.call({ ...call, taskOnly });
      } catch (thrown) {
        if (!(thrown instanceof ToolFailure) || !mayRepeat(thrown, call)) throw thrown;
        if (thrown.condition === 'sessionLost' && session === current) {
          session = undefined;
          void current.close();
        }
        return (await untilAborted(connected(), call.signal)).call({ ...call, taskOnly });
      }
    },
  };
}

/** The result of a promise. Rejects when the signal aborts before. */
async function untilAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const abort = (): void => reject(signal.reason);
  if (signal.aborted) abort();
  signal.addEventListener('abort', abort, { once: true });
  try {
    return await Promise.race([aborted, promise]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}
