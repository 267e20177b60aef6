import { setTimeout as sleep } from 'node:timers/promises';
import { shared, unlessAborted } from '../../../../core/model/timing.ts';
import type { Logger } from '../../../../core/ports/logger.ts';
import { ToolFailure } from '../failures.ts';
import type { Tool, ToolCall, ToolServer, ToolServerHealth } from '../tool-server.ts';
import type { SessionOpener } from './connect.ts';
import type { McpSession, McpSessionOptions } from './session.ts';

export interface SessionServerOptions
  extends Pick<McpSessionOptions, 'timeout' | 'taskTimeout' | 'version' | 'facts' | 'roots' | 'sampling'> {
  readonly name: string;
  readonly connect: SessionOpener;
  readonly logger: Logger;
  /** Called when the last session is closed. */
  readonly onClose?: () => void;
}

/** Milliseconds before the list of tools may be refreshed again. */
const minListAge = 1_000;
/** Milliseconds after which it is refreshed when it is used: of servers that do not say, and at least and at most what they say. */
const [usualListAge, shortestListAge, longestListAge] = [300_000, 10_000, 3_600_000];
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
  const { name: server, logger, connect, timeout, taskTimeout, version, facts, roots, sampling = false } = options;
  const closing = new AbortController();
  const { signal: closed } = closing;
  let session: McpSession | undefined;
  let openedAt = 0;
  /** The last pause before an attempt to connect, when it ends, and what ends it. */
  let pause = 0;
  let retryAt = 0;
  let timer: NodeJS.Timeout | undefined;
  let failure: ToolFailure | undefined;
  let tools: readonly Tool[] | undefined;
  let listedAt = Number.NEGATIVE_INFINITY;
  let maxListAge = usualListAge;
  let isStale = false;

  const open = shared(async (): Promise<McpSession> => {
    if (session) return session;
    clearTimeout(timer);
    retryAt = 0;
    closed.throwIfAborted();
    let opened: McpSession | undefined;
    try {
      opened = await connect({ timeout, taskTimeout, version, facts, roots, sampling, onToolsChanged, onLost }, closed);
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
      if (!closed.aborted && reason !== failure?.message) {
        logger.warn({ server, reason, ...(err !== undefined && { err }) }, 'cannot reach an MCP server; trying again');
      }
      retryLater(why);
      throw why;
    }
  });
  const openSoon = (): void => void open().catch(() => undefined);

  /** The session, once it is open. Rejects at once while the pause before the next attempt is long. */
  const connected = async (): Promise<McpSession> => {
    const wait = retryAt - Date.now();
    if (failure && wait > maxConnectWait) throw failure;
    if (wait > 0) await sleep(wait);
    return open();
  };

  /** Schedules the next attempt to connect. */
  const retryLater = (why: ToolFailure): void => {
    if (closed.aborted) return;
    failure = why;
    pause = pause === 0 ? firstPause : Math.min(pause * 2, longestPause);
    retryAt = Date.now() + pause;
    clearTimeout(timer);
    timer = setTimeout(openSoon, pause).unref();
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
    const { tools: list, ttl } = await from.list(closed).catch((thrown: unknown) => {
      isStale = true;
      throw thrown;
    });
    // As MCP 2026-07-28 has it (server/utilities/caching), within bounds.
    maxListAge = typeof ttl === 'number' ? Math.min(Math.max(ttl, shortestListAge), longestListAge) : usualListAge;
    // An unchanged list stays the same array, so that everything derived from it stays valid.
    if (!tools || JSON.stringify(list) !== JSON.stringify(tools)) tools = list;
    return tools;
  };

  const refresh = shared(async () => read(await connected()));

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

  const mayRepeat = ({ condition, details }: ToolFailure, call: ToolCall): boolean => {
    // A server that does not know the session has not carried out the call.
    if (condition === 'sessionLost') return true;
    const { annotations } = toolOf(call) ?? {};
    const isRepeatable = annotations?.readOnlyHint === true || annotations?.idempotentHint === true;
    return condition === 'connection' && details === undefined && isRepeatable;
  };

  /** Ends a session that the server does not know. The next request opens another one. */
  const forget = ({ condition }: ToolFailure, lost: McpSession): void => {
    if (condition !== 'sessionLost' || session !== lost) return;
    session = undefined;
    void lost.close();
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
    open: openSoon,
    async close() {
      closing.abort(new ToolFailure('connection', 'The gateway is stopping'));
      clearTimeout(timer);
      // An attempt that is under way ends.
      const last = session ?? (await open().catch(() => undefined));
      await last?.close();
      options.onClose?.();
    },
    async list(signal, _, wanted) {
      if (tools === undefined) {
        await unlessAborted(connected(), signal);
        return tools ?? [];
      }
      if (!wanted || wanted(tools) || Date.now() - listedAt < minListAge) return tools;
      return unlessAborted(refresh(), signal);
    },
    async call(call) {
      const current = await unlessAborted(connected(), call.signal);
      const taskOnly = toolOf(call)?.taskOnly === true;
      let hasAsked = false;
      const onAsk: ToolCall['onAsk'] = (asked, withdrawn) => {
        hasAsked = true;
        return call.onAsk?.(asked, withdrawn) ?? Promise.resolve({ action: 'cancel' });
      };
      try {
        return await current.call({ ...call, onAsk, taskOnly });
      } catch (thrown) {
        // A call that has asked was begun: it is not made twice.
        if (hasAsked || !(thrown instanceof ToolFailure) || !mayRepeat(thrown, call)) throw thrown;
        forget(thrown, current);
        return (await unlessAborted(connected(), call.signal)).call({ ...call, taskOnly });
      }
    },
    async task(request) {
      const current = await unlessAborted(connected(), request.signal);
      try {
        return await current.task(request);
      } catch (thrown) {
        if (thrown instanceof ToolFailure) forget(thrown, current);
        throw thrown;
      }
    },
  };
}
