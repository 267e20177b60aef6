import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Principal } from '../../core/call.ts';
import type { Dialect } from '../../dialects/dialect.ts';

/** One HTTP request whose agent and caller are known and whose body has not been read. */
export interface Exchange {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
  readonly requestId: string;
  readonly principal: Principal;
  /** Name of the agent. */
  readonly agent: string;
  /** Path below the agent's base (and below `/as/{dialect}`), still percent-encoded: '' or '/message:send'. */
  readonly path: string;
  /** Without the question mark; '' when there is none. */
  readonly query: string;
  /** The dialect of `/as/{dialect}`. */
  readonly pinned: Dialect | undefined;
}

/** Serves what it recognises; false when the exchange is none of its own, before touching the body. */
export type ExchangeHandler = (exchange: Exchange) => Promise<void> | false;
