import type { IncomingMessage, ServerResponse } from 'node:http';
import type { A2AError } from '../../core/model/errors.ts';
import type { Principal } from '../../core/model/principal.ts';
import type { RequestFacts } from './request-facts.ts';
import type { RequestTarget } from './request-target.ts';

/** A request that is not served: its caller was refused, or its agent is unknown. */
export interface RefusedExchange extends Omit<RequestTarget, 'agent' | 'card' | 'error'> {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
  readonly facts: RequestFacts;
  readonly requestId: string;
  /** Name of the agent, if it is known. */
  readonly agent?: string;
  /** The caller, if it is authenticated. */
  readonly principal?: Principal;
}

/** One HTTP request whose agent and caller are known and whose body has not been read. */
export interface Exchange extends Omit<RefusedExchange, 'agent' | 'principal'>, Pick<RequestTarget, 'agent'> {
  readonly principal: Principal;
}

/** A document below the base path of each agent and at the root. */
export interface AgentDocument {
  /** Path of the document below the base path, and below the path of the interface that it describes. */
  readonly path: string;
  readonly mediaType: string;
  /**
   * Answers GET and HEAD.
   *
   * @param isPublic whether the caller was not asked for credentials
   */
  serve(refused: RefusedExchange, isPublic: boolean): Promise<void>;
}

/** Serves an exchange. False for exchanges of other bindings, which it leaves untouched. */
export type ExchangeHandler = (exchange: Exchange) => Promise<void> | false;

/**
 * Answers a refused exchange in the format of its binding. False for exchanges of other bindings. For callers without valid
 * credentials, only small bodies that have already arrived are read.
 */
export type RefusalHandler = (refused: RefusedExchange, error: A2AError) => Promise<void> | false;
