import { MemoryBudget } from '../../core/limits/memory-budget.ts';
import type { Logger } from '../../core/ports/logger.ts';
import { Meters } from '../../core/telemetry/meters.ts';
import type { Files } from '../pages/files.ts';
import { type BodyLimits, BodyReader } from './body.ts';
import { EventStreams, type StreamLimits } from './event-stream.ts';

export interface HttpContextOptions extends BodyLimits, Omit<StreamLimits, 'meters'> {
  readonly logger: Logger;
  /** Absent where no files are served: then encoders write inline bytes as they can. */
  readonly files?: Files;
  /** Where what happens is counted. Default: where nobody reads it. */
  readonly meters?: Meters;
  /** What answers may take in memory. Default: any number of bytes. */
  readonly budget?: MemoryBudget;
}

/** What the HTTP bindings of one server share. */
export interface HttpContext {
  readonly bodies: BodyReader;
  readonly streams: EventStreams;
  readonly files: Files | undefined;
  readonly logger: Logger;
  readonly meters: Meters;
  readonly budget: MemoryBudget;
}

/** Makes the context with the given limits. `streams.close()` ends what is open. */
export function createHttpContext(options: HttpContextOptions): HttpContext {
  const { logger, files, meters = new Meters(), budget = new MemoryBudget() } = options;
  const streams = new EventStreams({ ...options, meters });
  return { bodies: new BodyReader(options), streams, files, logger, meters, budget };
}
