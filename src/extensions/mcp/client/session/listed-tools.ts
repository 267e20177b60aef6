import { steadyNow } from '../../../../core/model/timing.ts';
import type { Tool } from '../tool-server.ts';
import type { McpSession } from './session.ts';
import { usualListAge } from './tool-list.ts';

/** Milliseconds before the list of tools may be refreshed again. */
const minListAge = 1_000;
/** Milliseconds after which the list is refreshed when it is used, by what its server says: at least and at most. */
const listAge = { shortest: 10_000, longest: 3_600_000 } as const;

/** The tools of a server as it has listed them last. */
export class ListedTools {
  /** An unchanged list stays the same array, so that everything derived from it stays valid. */
  #tools: readonly Tool[] | undefined;
  #readAt = Number.NEGATIVE_INFINITY;
  #maxAge = usualListAge;
  #isStale = false;

  get tools(): readonly Tool[] | undefined {
    return this.#tools;
  }

  /** Whether the server has said that its tools have changed. */
  get isStale(): boolean {
    return this.#isStale;
  }

  /** Whether the list was read too recently to be read again. */
  get isNew(): boolean {
    return steadyNow() - this.#readAt < minListAge;
  }

  /** Whether the list is to be read again when it is used. */
  get isOld(): boolean {
    const age = steadyNow() - this.#readAt;
    return this.#tools !== undefined && age > minListAge && (this.#isStale || age > this.#maxAge);
  }

  /** Reads the list. One that cannot be read is read again at its next use. */
  async read(session: McpSession, signal: AbortSignal): Promise<readonly Tool[]> {
    this.#isStale = false;
    this.#readAt = steadyNow();
    const { tools, ttl } = await session.list(signal).catch((thrown: unknown) => {
      this.#isStale = true;
      throw thrown;
    });
    // As MCP 2026-07-28 has it (server/utilities/caching), within bounds.
    this.#maxAge = typeof ttl === 'number' ? Math.min(Math.max(ttl, listAge.shortest), listAge.longest) : usualListAge;
    if (!this.#tools || JSON.stringify(tools) !== JSON.stringify(this.#tools)) this.#tools = tools;
    return this.#tools;
  }

  /** Marks the list as stale. Returns the milliseconds until it may be read again; undefined: it was stale already. */
  changed(): number | undefined {
    if (this.#isStale) return undefined;
    this.#isStale = true;
    return Math.max(0, this.#readAt + minListAge - steadyNow());
  }
}
