import { setTimeout as sleep } from 'node:timers/promises';
import { isObject } from '../../../../core/model/json.ts';
import { shared, steadyNow, unlessAborted } from '../../../../core/model/timing.ts';
import type { Logger } from '../../../../core/ports/logger.ts';
import { ToolFailure } from '../failures.ts';
import type { Tool, ToolCall, ToolServer, ToolServerHealth } from '../tool-server.ts';
import type { SessionOpener } from './connect.ts';
import { type SessionState, sessionAfter, suspicionOf } from './lost-session.ts';
import type { OnProblems } from './messages.ts';
import type { McpSession, McpSessionOptions } from './session.ts';
import { usualListAge } from './tool-list.ts';

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
/** Milliseconds after which it is refreshed when it is used, by what its server says: at least and at most. */
const listAge = { shortest: 10_000, longest: 3_600_000 } as const;
/** Milliseconds before reconnecting: the first pause and the longest. */
const [firstPause, longestPause] = [500, 30_000];
/** Milliseconds after which a session counts as stable: when it ends, pauses begin again with the shortest. */
const stableAfter = 30_000;
/** Parts of what a server says of itself that are named where they cannot be read. */
const maxProblems = 50;
/** Those that are logged while the gateway runs. */
const maxLogged = 1_000;
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
  /** What of the server's handshake and list of tools was left out, by the method, and what of it is in the log. */
  const problems = new Map<string, readonly string[]>();
  const logged = new Set<string>();

  const open = shared(async (): Promise<McpSession> => {
    if (session) return session;
    clearTimeout(timer);
    retryAt = 0;
    closed.throwIfAborted();
    let opened: McpSession | undefined;
    problems.clear();
    const onEnd = (why: ToolFailure): void => {
      if (session !== undefined && session === opened) onLost(why);
    };
    const told = { timeout, taskTimeout, version, facts, roots, sampling, onToolsChanged, onProblems };
    try {
      opened = await connect({ ...told, onLost: onEnd }, closed);
      await read(opened);
      if (opened.ending) throw opened.ending;
      session = opened;
      openedAt = steadyNow();
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
    const wait = retryAt - steadyNow();
    if (failure && wait > maxConnectWait) throw failure;
    if (wait > 0) await sleep(wait);
    return open();
  };

  /** Schedules the next attempt to connect. */
  const retryLater = (why: ToolFailure): void => {
    if (closed.aborted) return;
    failure = why;
    pause = pause === 0 ? firstPause : Math.min(pause * 2, longestPause);
    retryAt = steadyNow() + pause;
    clearTimeout(timer);
    timer = setTimeout(openSoon, pause).unref();
  };

  const onLost = (why: ToolFailure): void => {
    session = undefined;
    if (steadyNow() - openedAt > stableAfter) pause = 0;
    logger.warn({ server, reason: why.message }, 'lost the session with an MCP server; reconnecting');
    retryLater(why);
  };

  /** Logs what a server writes that cannot be read, once. */
  const onProblems: OnProblems = (method, found) => {
    problems.set(method, [...(problems.get(method) ?? []), ...found].slice(0, maxProblems));
    const fresh = found.filter((one) => !logged.has(one)).slice(0, maxProblems);
    if (fresh.length === 0 || logged.size > maxLogged) return;
    for (const one of fresh) logged.add(one);
    const text = 'parts of what an MCP server says of itself cannot be read and were left out';
    logger.warn({ server, method, problems: fresh }, text);
  };

  const read = async (from: McpSession): Promise<readonly Tool[]> => {
    isStale = false;
    listedAt = steadyNow();
    problems.delete('tools/list');
    const { tools: list, ttl } = await from.list(closed).catch((thrown: unknown) => {
      isStale = true;
      throw thrown;
    });
    // As MCP 2026-07-28 has it (server/utilities/caching), within bounds.
    maxListAge = typeof ttl === 'number' ? Math.min(Math.max(ttl, listAge.shortest), listAge.longest) : usualListAge;
    // An unchanged list stays the same array, so that everything derived from it stays valid.
    if (!tools || JSON.stringify(list) !== JSON.stringify(tools)) tools = list;
    return tools;
  };

  const refresh = shared(async () => {
    const current = await connected();
    return read(current).catch(async (thrown: unknown) => {
      if (!(thrown instanceof ToolFailure) || (await stateAfter(thrown, current, closed)) === 'open') throw thrown;
      return read(await connected());
    });
  });

  /** Handles `tools/list_changed`, at a limited rate. */
  const onToolsChanged = (): void => {
    if (isStale) return;
    isStale = true;
    const wait = Math.max(0, listedAt + minListAge - steadyNow());
    setTimeout(() => {
      if (session && isStale) refresh().catch(() => undefined);
    }, wait).unref();
  };

  const connectedFor = ({ signal }: Pick<ToolCall, 'signal'>): Promise<McpSession> =>
    unlessAborted(connected(), signal);

  const toolOf = (call: ToolCall): Tool | undefined => tools?.find(({ name }) => name === call.name);

  /** Whether a call that was interrupted may be made again. */
  const mayRepeat = ({ condition, details }: ToolFailure, call: ToolCall): boolean => {
    const { annotations } = toolOf(call) ?? {};
    const isRepeatable = annotations?.readOnlyHint === true || annotations?.idempotentHint === true;
    return condition === 'connection' && details === undefined && isRepeatable;
  };

  /** What has become of a session after a failure. One that is gone is forgotten: the next request opens another one. */
  const stateAfter = async (failure: ToolFailure, current: McpSession, signal: AbortSignal): Promise<SessionState> => {
    const state = await sessionAfter(failure, current, signal);
    if (state !== 'open' && session === current) {
      session = undefined;
      logger.info({ server, reason: failure.message }, 'an MCP server has lost its session; opening another one');
      current.retire();
    }
    return state;
  };

  return {
    get tools() {
      const age = steadyNow() - listedAt;
      const isOld = age > minListAge && (isStale || age > maxListAge);
      if (session && tools && isOld) refresh().catch(() => undefined);
      return tools ?? [];
    },
    get health(): ToolServerHealth {
      if (failure) return { state: 'unreachable', reason: failure.message };
      const found = [...problems.values()].flat();
      return { state: session ? 'ok' : 'connecting', ...(found.length > 0 && { problems: found }) };
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
      if (!wanted || wanted(tools) || steadyNow() - listedAt < minListAge) return tools;
      return unlessAborted(refresh(), signal);
    },
    async call(call) {
      const current = await unlessAborted(connected(), call.signal);
      const taskOnly = toolOf(call)?.taskOnly === true;
      // Whatever a server says during a call shows that it was begun: such a call is not made twice.
      let isBegun = false;
      const onAsk: ToolCall['onAsk'] = (asked, withdrawn) => {
        isBegun = true;
        return call.onAsk?.(asked, withdrawn) ?? Promise.resolve({ action: 'cancel' });
      };
      const onProgress: ToolCall['onProgress'] = (progress) => {
        isBegun = true;
        call.onProgress(progress);
      };
      try {
        return await current.call({ ...call, onAsk, onProgress, taskOnly });
      } catch (thrown) {
        if (!(thrown instanceof ToolFailure)) throw thrown;
        if (mayRepeat(thrown, call) && !isBegun) return (await connectedFor(call)).call({ ...call, taskOnly });
        // What becomes of the session of a server that fails is for later calls.
        const isFailing = suspicionOf(thrown) === 'failing';
        const after = stateAfter(thrown, current, isFailing ? closed : call.signal);
        if (isFailing) after.catch(() => undefined);
        const state = isFailing ? 'gone' : await after;
        if (state === 'open') throw withoutSession(thrown);
        if (state !== 'lost' || isBegun) throw thrown;
        return (await connectedFor(call)).call({ ...call, taskOnly });
      }
    },
    async task(request) {
      const current = await unlessAborted(connected(), request.signal);
      try {
        return await current.task(request);
      } catch (thrown) {
        if (!(thrown instanceof ToolFailure) || (await stateAfter(thrown, current, request.signal)) === 'open')
          throw thrown;
        // All of these may be repeated, in another session.
        return (await unlessAborted(connected(), request.signal)).task(request);
      }
    },
  };
}

/** The failure of a request that was refused in a session which is open: the refusal is about the request. */
function withoutSession(failure: ToolFailure): ToolFailure {
  const { condition, message, details = {}, answersRequest } = failure;
  if (condition !== 'sessionLost') return failure;
  const said = details.mcp_protocol_error;
  if (!answersRequest || !isObject(said)) return new ToolFailure('connection', message, { details });
  const { code, message: words, data } = said;
  return new ToolFailure('protocolError', typeof words === 'string' ? words : message, {
    ...(typeof code === 'number' && { code: String(code) }),
    ...(data !== undefined && { details: { mcp_protocol_error_data: data } }),
  });
}
