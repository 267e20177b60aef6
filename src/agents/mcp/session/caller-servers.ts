import { createHash } from 'node:crypto';
import type { JsonObject } from '../../../core/model/json.ts';
import type { Tool, ToolCall, ToolCallContext, ToolPredicate, ToolServer, ToolServerHealth } from '../tool-server.ts';

/** Callers that sessions are kept for at the same time, and milliseconds that one is kept for who does not call. */
const most = 100;
const idle = 15 * 60_000;

/** What callers are told apart by. Not kept: a digest of what they showed. */
function digestOf(facts: Pick<ToolCallContext, 'credentials'> | undefined): string {
  const { authorization = '', apiKey = '' } = facts?.credentials?.() ?? {};
  return createHash('sha256')
    .update(JSON.stringify([authorization, apiKey]))
    .digest('base64url');
}

/**
 * A server that is shown each caller's own credentials. Sessions belong to who opened them, so each caller has one of its
 * own, and what one of them may see is not told to others: the card names no tools.
 */
export class PerCallerServer implements ToolServer {
  readonly tools = undefined;
  readonly health: ToolServerHealth = { state: 'ok' };
  readonly #make: (facts: ToolCallContext) => ToolServer;
  readonly #onClose: () => void;
  /** In the order of their last use. */
  readonly #servers = new Map<string, { readonly server: ToolServer; usedAt: number; calls: number }>();
  #closed = false;

  /** @param make makes a server whose sessions are opened with these facts' credentials */
  constructor(make: (facts: ToolCallContext) => ToolServer, onClose: () => void) {
    this.#make = make;
    this.#onClose = onClose;
  }

  open(): void {}

  async close(): Promise<void> {
    this.#closed = true;
    await Promise.all([...this.#servers.values()].map(({ server }) => server.close()));
    this.#onClose();
  }

  list(signal: AbortSignal, facts: ToolCallContext, wanted?: ToolPredicate): Promise<readonly Tool[] | undefined> {
    return this.#use(facts, (server) => server.list(signal, facts, wanted));
  }

  call(call: ToolCall): Promise<JsonObject> {
    return this.#use(call, (server) => server.call(call));
  }

  async #use<T>(facts: ToolCallContext, work: (server: ToolServer) => Promise<T>): Promise<T> {
    const digest = digestOf(facts);
    const known = this.#servers.get(digest);
    const entry = known ?? { server: this.#make(facts), usedAt: 0, calls: 0 };
    this.#servers.delete(digest);
    this.#servers.set(digest, entry);
    entry.calls += 1;
    entry.usedAt = Date.now();
    this.#tidy();
    try {
      return await work(entry.server);
    } finally {
      entry.calls -= 1;
    }
  }

  /** Closes what is not used any more, or least of all. */
  #tidy(): void {
    if (this.#closed) return;
    const since = Date.now() - idle;
    for (const [digest, { server, usedAt, calls }] of this.#servers) {
      if (calls > 0 || (usedAt > since && this.#servers.size <= most)) continue;
      this.#servers.delete(digest);
      void server.close();
    }
  }
}
