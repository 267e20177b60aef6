import { SSEClientTransport } from '@modelcontextprotocol/sdk/client/sse.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Logger } from '../../../core/ports/logger.ts';
import type { HttpClient } from '../../../net/http-client.ts';
import type { OutboundAuth } from '../../../net/outbound-auth.ts';
import type { HttpToolServerSettings, StdioToolServerSettings } from '../../../net/tool-server-settings.ts';
import { shortened, ToolFailure } from '../failures.ts';
import { createToolFetch, resumptions } from './fetch.ts';
import { McpSession, type McpSessionOptions } from './session.ts';
import { ProcessTransport } from './stdio-transport.ts';

/** Opens sessions with one server. Rejects with a ToolFailure, or the signal's reason. */
export type SessionOpener = (options: McpSessionOptions, signal: AbortSignal) => Promise<McpSession>;

/** Beside a result, an answer holds the frame that it comes in. Bytes. */
const frame = 64 * 1024;

const reconnectionOptions = {
  maxRetries: resumptions,
  initialReconnectionDelay: 500,
  maxReconnectionDelay: 5_000,
  reconnectionDelayGrowFactor: 2,
};

/**
 * Over streamable HTTP. A server that refuses it with a 4xx may be one of 2024-11-05, which is told by the first event of
 * a GET (MCP 2025-11-25, basic/transports: backwards compatibility).
 */
export function connectHttp(
  { url, maxResult }: Pick<HttpToolServerSettings, 'url' | 'maxResult'>,
  net: { readonly http: HttpClient; readonly auth: OutboundAuth },
): SessionOpener {
  const target = new URL(url);
  const fetching = { ...net, limit: maxResult + frame };
  const overSse: SessionOpener = async (options, signal) => {
    let session: McpSession | undefined;
    let ended: ToolFailure | undefined;
    const onStreamEnd = (failure: ToolFailure): void => {
      ended ??= failure;
      session?.end(failure);
      // The library behind the SDK would connect again and again, to a session that is not ours.
      void transport.close();
    };
    const fetch = createToolFetch({ ...fetching, onStreamEnd });
    const transport = new SSEClientTransport(target, { fetch });
    session = await McpSession.open(transport, options, signal);
    if (ended) session.end(ended);
    return session;
  };
  return async (options, signal) => {
    const transport = new StreamableHTTPClientTransport(target, {
      fetch: createToolFetch(fetching),
      reconnectionOptions,
    });
    try {
      return await McpSession.open(transport, options, signal);
    } catch (thrown) {
      const status = thrown instanceof ToolFailure ? Number(thrown.details?.http_status) : 0;
      if (![400, 404, 405].includes(status)) throw thrown;
      return overSse(options, signal).catch((other) => {
        // Whoever speaks the older transport is let down by that one; of all others the first answer says more.
        const [failure, details] = [ToolFailure.from(other), { http_status: status }];
        if (failure.details?.http_status === undefined) throw failure;
        throw new ToolFailure('connection', `There is no MCP server here (HTTP ${status})`, { details });
      });
    }
  };
}

/** Over the standard input and output of a program, which is started for each session. */
export function connectProcess(settings: StdioToolServerSettings, logger: Logger, name: string): SessionOpener {
  return (options, signal) => {
    const complaints = new StderrLog(logger, name);
    let session: McpSession | undefined;
    const transport = new ProcessTransport(
      { ...settings, maxResult: settings.maxResult + frame },
      {
        onComplaint: (line) => complaints.add(line),
        onOversize: (failure, id, ended) => session?.failUnanswered(failure, id, ended),
      },
    );
    return McpSession.open(
      transport,
      {
        ...options,
        onLost: (failure) => {
          complaints.ended(failure.message);
          options.onLost(failure);
        },
      },
      signal,
    ).then(
      (opened) => {
        session = opened;
        return opened;
      },
      (thrown) => {
        complaints.ended((thrown as Error).message);
        throw thrown;
      },
    );
  };
}

/** Lines of a minute that reach the log, and characters of each. */
const perMinute = 60;
const longest = 500;
/** Last lines that are told when a program ends. */
const last = 5;

/** What a program writes to its standard error, for the log alone, and no more of it than can be read. */
export class StderrLog {
  readonly #logger: Logger;
  readonly #server: string;
  readonly #last: string[] = [];
  #minute = 0;
  #count = 0;

  constructor(logger: Logger, server: string) {
    this.#logger = logger;
    this.#server = server;
  }

  add(text: string): void {
    const line = shortened(text.trimEnd(), longest);
    if (line === '') return;
    this.#last.push(line);
    if (this.#last.length > last) this.#last.shift();
    const minute = Math.floor(Date.now() / 60_000);
    if (minute !== this.#minute) {
      this.#minute = minute;
      this.#count = 0;
    }
    this.#count += 1;
    if (this.#count <= perMinute) this.#logger.debug({ server: this.#server, line }, 'a tool server says');
    else if (this.#count === perMinute + 1) this.#logger.debug({ server: this.#server }, 'a tool server says too much');
  }

  /** The program is gone, or could not be made use of: what it said last is often why. */
  ended(reason: string): void {
    if (this.#last.length === 0) return;
    this.#logger.warn({ server: this.#server, reason, said: [...this.#last] }, 'what a tool server said last');
  }
}
