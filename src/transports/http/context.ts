import type { CheckOperation } from '../../core/limits/admission.ts';
import { MemoryBudget } from '../../core/limits/memory-budget.ts';
import type { Invoke } from '../../core/model/call.ts';
import type { ActiveObserver } from '../../core/ports/exchange-observer.ts';
import type { Logger } from '../../core/ports/logger.ts';
import { Meters } from '../../core/telemetry/meters.ts';
import { type BodyLimits, BodyReader } from './body.ts';
import { EventStreams, type StreamLimits } from './event-stream.ts';
import type { ExchangeHandler, RefusalHandler } from './exchange.ts';
import type { Files } from './files.ts';
import type { RequestTarget } from './request-target.ts';

export interface HttpContextOptions extends BodyLimits, StreamLimits {
  readonly logger: Logger;
  /** Absent: files have no URLs, and encoders write inline bytes if they can. */
  readonly files?: Files;
  /** Default: counters that are not read. */
  readonly meters?: Meters;
  /** Memory of answers. Default: unlimited. */
  readonly budget?: MemoryBudget;
  /** Sees the requests whose callers are known. Default: none. */
  readonly observer?: ActiveObserver | undefined;
}

export type HttpContext = ReturnType<typeof createHttpContext>;

/** Creates what the HTTP bindings of one server share. `streams.close()` ends the open streams. */
export function createHttpContext(options: HttpContextOptions) {
  const { logger, files, meters = new Meters(), budget = new MemoryBudget() } = options;
  const { observer = { active: undefined } } = options;
  const streams = new EventStreams(options, meters);
  return { bodies: new BodyReader(options), streams, files, logger, meters, budget, observer };
}

/** One binding of the HTTP server. */
export interface HttpBinding {
  readonly handle: ExchangeHandler;
  readonly refuse: RefusalHandler;
  /** The methods of HTTP that a path has; undefined for a path that is not the binding's. */
  readonly verbsOf?: (target: Pick<RequestTarget, 'path' | 'pinned' | 'atRoot'>) => readonly string[] | undefined;
}

/** Options of every binding. */
export interface HttpBindingOptions {
  readonly invoke: Invoke;
  /** Called before parameters are read. Default: every operation is allowed. */
  readonly checkOperation?: CheckOperation;
  readonly http: HttpContext;
}
