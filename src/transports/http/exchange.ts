import type { IncomingMessage, ServerResponse } from 'node:http';
import type { A2AError } from '../../core/model/errors.ts';
import type { Principal } from '../../core/model/principal.ts';
import type { Dialect } from '../../dialects/kernel/dialect.ts';

/** One HTTP request whose agent and caller are known and whose body has not been read. */
export interface Exchange {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
  readonly requestId: string;
  readonly principal: Principal;
  /** Name of the agent. '' on a path of a service that names its agent itself, when there is no default. */
  readonly agent: string;
  /** Path of the agent's base: '' or `/{agent}`, without what the gateway is mounted below. */
  readonly base: string;
  /** Path below the agent's base (and below `/as/{dialect}`), still percent-encoded: '' or '/message:send'. */
  readonly path: string;
  /** Without the question mark; '' when there is none. */
  readonly query: string;
  /** The dialect of `/as/{dialect}`. */
  readonly pinned: Dialect | undefined;
  /** The base is the gateway's root itself, where the first segment of `path` is never a tenant. */
  readonly atRoot: boolean;
}

/** Serves what it recognises; false when the exchange is none of its own, before touching the body. */
export type ExchangeHandler = (exchange: Exchange) => Promise<void> | false;

/** An exchange that is not served: its caller was turned away, or its agent is unknown. */
export type RefusedExchange = Omit<Exchange, 'principal' | 'agent'>;

/**
 * Answers in its binding's shape what looks like its own; false when it does not. For errors about credentials a body is
 * read only where it is small, and not waited for.
 */
export type RefusalHandler = (refused: RefusedExchange, error: A2AError) => Promise<void> | false;
