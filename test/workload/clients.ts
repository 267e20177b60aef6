import { setTimeout as delay } from 'node:timers/promises';
import {
  A2AError,
  type BindingName,
  type Client,
  connect,
  type DialectName,
  type ErrorKind,
} from '../../src/client/index.ts';
import type { Random } from '../support/random.ts';

/** Dialect and binding of a client. */
export interface Face {
  readonly as: DialectName;
  readonly via: BindingName;
  /** On the path of this dialect alone. */
  readonly pinned?: true;
}

/** Dialects and bindings of clients. */
export const faces = {
  rpc: { as: 'a2a-1.0', via: 'jsonrpc' },
  rest: { as: 'a2a-1.0', via: 'rest' },
  grpc: { as: 'a2a-1.0', via: 'grpc' },
  legacy: { as: 'a2a-0.3', via: 'jsonrpc' },
  oldest: { as: 'a2a-0.1', via: 'jsonrpc', pinned: true },
} as const satisfies Record<string, Face>;

export const modern: readonly Face[] = [faces.rpc, faces.rest, faces.grpc];
export const all: readonly Face[] = [...modern, faces.legacy, faces.oldest];
/** Faces whose streams number their events even if a client's own messages are among them. */
export const numbered: readonly Face[] = [faces.rpc, faces.rest];

/** The agent that a call is for, over one dialect and binding. */
export interface Callee {
  readonly agent: string;
  readonly face: Face;
  /** The caller whose key is sent. Default: none. */
  readonly caller?: string | undefined;
}

/** The API key of a caller. */
export const keyOf = (caller: string): string => `a2a_${caller.padEnd(43, '0')}`;

/** Time limits of a call's attempts. */
export interface CallTimeouts {
  /** Milliseconds for one attempt. */
  readonly attempt: number;
  /** Milliseconds for all of them. */
  readonly total: number;
}

/** A call that was answered. */
export interface Answered<T> {
  readonly value: T;
  readonly attempts: number;
}

/** Whether another attempt, at any gateway, may succeed: there was no answer, or a temporary refusal. */
const passing: ReadonlySet<ErrorKind> = new Set([
  'upstreamUnreachable',
  'upstreamTimeout',
  'unavailable',
  'canceled',
  'deadlineExceeded',
  'requestTimeout',
  'tooManyRequests',
]);

export const isPassing = (error: A2AError): boolean => passing.has(error.kind);

/** Milliseconds between two attempts if the answer has no retry delay, and the longest retry delay that is heeded. */
const pauses = { least: 100, most: 400, heeded: 3_000 } as const;

/** Clients of every gateway, in every face, made when they are needed. */
export class Clients {
  readonly #urls: readonly string[];
  readonly #random: Random;
  readonly #made = new Map<string, Promise<Client>>();
  /** Attempts that failed and were followed by another, by what they failed with. */
  readonly retried = new Map<string, number>();

  /** @param urls of the gateways, such as `http://127.0.0.1:8080` */
  constructor(urls: readonly string[], random: Random) {
    this.#urls = urls;
    this.#random = random;
  }

  /** A client of one gateway's. */
  async at(gateway: number, { agent, face, caller }: Callee, signal: AbortSignal): Promise<Client> {
    const key = `${gateway} ${agent} ${face.as} ${face.via} ${caller ?? ''}`;
    let client = this.#made.get(key);
    if (!client) {
      const { as, via, pinned } = face;
      const base = `${this.#urls[gateway]}/${agent}`;
      client = connect(pinned ? `${base}/as/${as}/.well-known/agent-card.json` : base, {
        as,
        via,
        signal,
        ...(caller !== undefined && { apiKey: keyOf(caller) }),
      });
      this.#made.set(key, client);
      client.catch(() => this.#made.delete(key));
    }
    return client;
  }

  /** Number of a gateway, whichever. */
  any(): number {
    return this.#random.between(0, this.#urls.length - 1);
  }

  /**
   * Calls one gateway after the other until one answers. Rejects with what cannot be mended by another attempt, and with
   * the last failure when the time for all attempts is up.
   */
  async call<T>(
    callee: Callee,
    timeouts: CallTimeouts,
    use: (client: Client, signal: AbortSignal, gateway: number) => Promise<T>,
  ): Promise<Answered<T>> {
    const until = Date.now() + timeouts.total;
    for (let attempts = 1; ; attempts += 1) {
      const signal = AbortSignal.timeout(timeouts.attempt);
      try {
        const gateway = this.any();
        const client = await this.at(gateway, callee, signal);
        return { value: await use(client, signal, gateway), attempts };
      } catch (thrown) {
        const error = A2AError.from(thrown);
        if (!isPassing(error) || Date.now() > until) throw error;
        await this.waitAfter(error);
      }
    }
  }

  /** Waits as long as an error asks for, within bounds. */
  async waitAfter(error: A2AError): Promise<void> {
    this.retried.set(error.kind, (this.retried.get(error.kind) ?? 0) + 1);
    const asked = (error.retryAfter ?? 0) * 1_000;
    await delay(Math.max(this.#random.between(pauses.least, pauses.most), Math.min(asked, pauses.heeded)));
  }

  async close(): Promise<void> {
    const all = await Promise.allSettled(this.#made.values());
    await Promise.all(all.map((one) => (one.status === 'fulfilled' ? one.value.close() : undefined)));
  }
}
