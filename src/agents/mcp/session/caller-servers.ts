import { createHash } from 'node:crypto';
import type { JsonObject } from '../../../core/model/json.ts';
import type { Tool, ToolCall, ToolCallContext, ToolPredicate, ToolServer, ToolServerHealth } from '../tool-server.ts';

/** Callers with open sessions at the most, and milliseconds after which an unused session is closed. */
const maxCallers = 100;
const maxIdle = 15 * 60_000;

/** Identifies a caller by a digest of its credentials, which are not stored. */
function digestOf(facts: Pick<ToolCallContext, 'credentials'> | undefined): string {
  const { authorization = '', apiKey = '' } = facts?.credentials?.() ?? {};
  return createHash('sha256')
    .update(JSON.stringify([authorization, apiKey]))
    .digest('base64url');
}

/**
 * An MCP server that gets each caller's own credentials. Each caller has a session of its own. What one caller sees is
 * not shown to others, so the card lists no tools.
 */
export class PerCallerServer implements ToolServer {
  readonly tools = undefined;
  readonly health: ToolServerHealth = { state: 'ok' };
  readonly #make: (facts: ToolCallContext) => ToolServer;
  readonly #onClose: () => void;
  /** In order of last use. */
  readonly #servers = new Map<string, { readonly server: ToolServer; usedAt: number; calls: number }>();
  #closed = false;

  /** @param make creates a server whose sessions are opened with a caller's credentials */
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
    this.#closeUnused();
    try {
      return await work(entry.server);
    } finally {
      entry.calls -= 1;
    }
  }

  /** Closes idle servers, and the least recently used ones over the limit. */
  #closeUnused(): void {
    if (this.#closed) return;
    const since = Date.now() - maxIdle;
    for (const [digest, { server, usedAt, calls }] of this.#servers) {
      if (calls > 0 || (usedAt > since && this.#servers.size <= maxCallers)) continue;
      this.#servers.delete(digest);
      void server.close();
    }
  }
}
