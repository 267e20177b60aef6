import { steadyNow } from '../../../../core/model/timing.ts';
import { processDigest } from '../../../../core/telemetry/process-digest.ts';
import type { ToolCallContext, ToolServer } from '../tool-server.ts';

/** Maximum number of callers with open sessions, and milliseconds after which an unused session is closed. */
const maxCallers = 100;
const maxIdle = 15 * 60_000;

/**
 * Returns a digest of a caller's id and credentials, which are not stored. Callers without credentials that are passed
 * on, such as those with client certificates, are distinguished by id.
 */
function digestOf({ caller = '', credentials }: ToolCallContext): string {
  const { authorization = '', apiKey = '' } = credentials?.() ?? {};
  return processDigest(JSON.stringify([caller, authorization, apiKey]));
}

/**
 * Creates a client of an MCP server that receives each caller's own credentials. Each caller has a separate session.
 * One caller's tools are not shown to others, so the card lists no tools.
 *
 * @param make creates a server whose sessions are opened with a caller's credentials
 */
export function createPerCallerServer(make: (facts: ToolCallContext) => ToolServer, onClose: () => void): ToolServer {
  /** Servers in the order of their last use. */
  const servers = new Map<string, { readonly server: ToolServer; usedAt: number; calls: number }>();
  let closed = false;

  /** Closes unused servers, and the least recently used servers beyond the limit. */
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
