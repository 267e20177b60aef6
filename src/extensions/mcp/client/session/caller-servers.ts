import { steadyNow } from '../../../../core/model/timing.ts';
import { processDigest } from '../../../../core/telemetry/process-digest.ts';
import type { ToolCallContext, ToolServer } from '../tool-server.ts';

/** Most callers with open sessions, and milliseconds after which an unused session is closed. */
const maxCallers = 100;
const maxIdle = 15 * 60_000;

/**
 * Identifies a caller by a digest of its id and its credentials, which are not stored. Callers who show none that are passed
 * on, such as those with certificates, are distinguished by their ids.
 */
function digestOf({ caller = '', credentials }: ToolCallContext): string {
  const { authorization = '', apiKey = '' } = credentials?.() ?? {};
  return processDigest(JSON.stringify([caller, authorization, apiKey]));
}

/**
 * An MCP server that gets each caller's own credentials. Each caller has a session of its own. The tools of one caller
 * are not shown to others, so the card lists no tools.
 *
 * @param make creates a server whose sessions are opened with a caller's credentials
 */
export function createPerCallerServer(make: (facts: ToolCallContext) => ToolServer, onClose: () => void): ToolServer {
  /** Servers in the order of their last use. */
  const servers = new Map<string, { readonly server: ToolServer; usedAt: number; calls: number }>();
  let closed = false;

  /** Closes unused servers, and those beyond the limit that were used longest ago. */
  const closeUnused = (): void => {
    if (closed) return;
    const since = steadyNow() - maxIdle;
    for (const [digest, { server, usedAt, calls }] of servers) {
      if (calls > 0 || (usedAt > since && servers.size <= maxCallers)) continue;
      servers.delete(digest);
      void server.close();
    }
  };

  const use = async <T>(facts: ToolCallContext, work: (server: ToolServer) => Promise<T>): Promise<T> => {
    const digest = digestOf(facts);
    const entry = servers.get(digest) ?? { server: make(facts), usedAt: 0, calls: 0 };
    servers.delete(digest);
    servers.set(digest, entry);
    entry.calls += 1;
    entry.usedAt = steadyNow();
    closeUnused();
    try {
      return await work(entry.server);
    } finally {
      entry.calls -= 1;
    }
  };

  return {
    tools: undefined,
    health: { state: 'ok' },
    open() {},
    async close() {
      closed = true;
      await Promise.all([...servers.values()].map(({ server }) => server.close()));
      onClose();
    },
    list: (signal, facts, wanted) => use(facts, (server) => server.list(signal, facts, wanted)),
    call: (call) => use(call, (server) => server.call(call)),
    task: (request) => use(request, async (server) => server.task?.(request) ?? {}),
  };
}
