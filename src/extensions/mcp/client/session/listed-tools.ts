import { steadyNow } from '../../../../core/model/timing.ts';
import type { Tool } from '../tool-server.ts';
import type { McpSession } from './session.ts';
import { usualListAge } from './tool-list.ts';

/** Minimum milliseconds between two refreshes of the list of tools. */
const minListAge = 1_000;
/**
 * Minimum and maximum milliseconds after which the list is refreshed on use; the server may choose a value between
 * them.
 */
const listAge = { shortest: 10_000, longest: 3_600_000 } as const;

/** The tools that a server last listed. */
export class ListedTools {
  /** An unchanged list remains the same array, so that values derived from it remain valid. */
  #tools: readonly Tool[] | undefined;
  #readAt = Number.NEGATIVE_INFINITY;
  #maxAge = usualListAge;
  #isStale = false;

  get tools(): readonly Tool[] | undefined {
    return this.#tools;
  }

  /** Whether the server has reported that its tools have changed. */
  get isStale(): boolean {
    return this.#isStale;
  }

  /** Whether the list was read too recently to be read again. */
  get isNew(): boolean {
    return steadyNow() - this.#readAt < minListAge;
  }

  /** Whether the list must be read again when it is next used. */
  get isOld(): boolean {
    const age = steadyNow() - this.#readAt;
    return this.#tools !== undefined && age > minListAge && (this.#isStale || age > this.#maxAge);
  }

  /** Reads the list. If this fails, the list is read again at its next use. */
  async read(session: McpSession, signal: AbortSignal): Promise<readonly Tool[]> {
    this.#isStale = false;
    this.#readAt = steadyNow();
    const { tools, ttl } = await session.list(signal).catch((thrown: unknown) => {
      this.#isStale = true;
      throw thrown;
    });
    // The server's `ttlMs` (MCP 2026-07-28, server/utilities/caching), within limits.
    this.#maxAge = typeof ttl === 'number' ? Math.min(Math.max(ttl, listAge.shortest), listAge.longest) : usualListAge;
    if (!this.#tools || JSON.stringify(tools) !== JSON.stringify(this.#tools)) this.#tools = tools;
    return this.#tools;
  }

  /**
   * Marks the list as stale. Returns the milliseconds until it may be read again; undefined if it was already stale.
   */
  changed(): number | undefined {
    if (this.#isStale) return undefined;
    this.#isStale = true;
    return Math.max(0, this.#readAt + minListAge - steadyNow());
  }
}
