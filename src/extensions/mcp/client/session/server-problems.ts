import type { Logger } from '../../../../core/ports/logger.ts';

/** Maximum number of unreadable parts that are reported for a server. */
const maxProblems = 50;
/** Maximum number of problems that are logged during the gateway's lifetime. */
const maxLogged = 1_000;

/** Unreadable parts of a server's handshake and list of tools that were omitted, by method. */
export class ServerProblems {
  readonly #server: string;
  readonly #logger: Logger;
  readonly #byMethod = new Map<string, readonly string[]>();
  readonly #logged = new Set<string>();

  constructor(server: string, logger: Logger) {
    this.#server = server;
    this.#logger = logger;
  }

  get all(): readonly string[] {
    return [...this.#byMethod.values()].flat();
  }

  /** Adds problems of a method and logs each problem once. */
  add(method: string, found: readonly string[]): void {
    this.#byMethod.set(method, [...(this.#byMethod.get(method) ?? []), ...found].slice(0, maxProblems));
    const fresh = found.filter((one) => !this.#logged.has(one)).slice(0, maxProblems);
    if (fresh.length === 0 || this.#logged.size > maxLogged) return;
    for (const one of fresh) this.#logged.add(one);
    const text = "parts of an MCP server's handshake or list of tools cannot be read and were ignored";
    this.#logger.warn({ server: this.#server, method, problems: fresh }, text);
  }

  remove(method: string): void {
    this.#byMethod.delete(method);
  }

  clear(): void {
    this.#byMethod.clear();
  }
}
