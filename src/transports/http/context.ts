import type { Socket } from 'node:net';
import type { CheckOperation } from '../../core/limits/admission.ts';
import { MemoryBudget } from '../../core/limits/memory-budget.ts';
import type { BindingKind, Invoke } from '../../core/model/call.ts';
import type { ActiveObserver } from '../../core/ports/exchange-observer.ts';
import type { Logger } from '../../core/ports/logger.ts';
import { Meters } from '../../core/telemetry/meters.ts';
import { type BodyLimits, BodyReader } from './body.ts';
import { EventStreams, type StreamLimits } from './event-stream.ts';
import type { AgentDocument, ExchangeHandler, RefusalHandler } from './exchange.ts';
import type { Files } from './files.ts';
import type { RequestBinding } from './request-facts.ts';
import type { RequestTarget } from './request-target.ts';

export interface HttpContextOptions extends StreamLimits {
  /** Limits of request bodies. */
  readonly bodies?: BodyLimits;
  readonly logger: Logger;
  /** URLs of files. Absent: files have no URLs, and encoders write inline bytes if they can. */
  readonly files?: Files;
  /** Counters of the bindings. Default: counters that are not read. */
  readonly meters?: Meters;
  /** Memory for answers. Default: unlimited. */
  readonly budget?: MemoryBudget;
  /** Observes the requests whose callers are known. Default: no observer. */
  readonly observer?: ActiveObserver | undefined;
}

export type HttpContext = ReturnType<typeof createHttpContext>;

/** Creates the objects that the HTTP bindings of one server share. `streams.close()` ends the open streams. */
export function createHttpContext(options: HttpContextOptions) {
  const { logger, files, meters = new Meters(), budget = new MemoryBudget() } = options;
  const { observer = { active: undefined } } = options;
  const streams = new EventStreams(options, meters);
  return { bodies: new BodyReader(options.bodies, budget), streams, files, logger, meters, budget, observer };
}

/** The part of a binding, or of a module, in the HTTP server. All members are optional. */
export interface HttpBinding {
  /** Serves requests of authenticated callers below an agent's path. */
  readonly handle?: ExchangeHandler;
  /** Answers refused requests in the format of the binding. */
  readonly refuse?: RefusalHandler;
  /** Names of the part's bindings, for operators. */
  readonly names?: readonly BindingKind[];
  /**
   * The binding of a request for a path below an agent, before its body is read. Undefined if the path belongs to another part.
   */
  readonly bindingOf?: (path: string, contentType: string) => RequestBinding | undefined;
  /** The methods of HTTP that a path has; undefined for a path that is not the binding's. */
  readonly verbsOf?: (target: Pick<RequestTarget, 'path' | 'pinned' | 'atRoot'>) => readonly string[] | undefined;
  /** A document of each agent and of the gateway, which is public if cards are. */
  readonly document?: AgentDocument;
  /** The first segments of its paths at the root, which therefore cannot be names of agents. */
  readonly segments?: readonly string[];
  /** Serves the connections that use HTTP/2, for all bindings. At most one binding does. */
  readonly connections?: ConnectionServer;
  /** Applies the changes of a reload. */
  applyConfig?(): void;
  /** Answers waiting requests, and ends every stream. */
  close?(): Promise<void>;
}

/** A server of whole connections. */
export interface ConnectionServer {
  readonly serveConnection: (socket: Socket) => void;
  /** Asks clients to open further connections elsewhere. Calls are still served. */
  announceShutdown(): void;
  /** Whether the first request of a connection is probably on its way. */
  awaitsRequests(): boolean;
  /** Ends all calls and connections at once. */
  retire(): void;
  /** Lets open calls finish, and ends them after `ms` milliseconds. Resolves when no connection is left. */
  drain(ms: number): Promise<void>;
  /** Ends everything at once. */
  close(): void;
}

/** Options of every binding. */
export interface HttpBindingOptions {
  readonly invoke: Invoke;
  /** Called before parameters are read. Default: every operation is allowed. */
  readonly checkOperation?: CheckOperation;
  readonly http: HttpContext;
}
