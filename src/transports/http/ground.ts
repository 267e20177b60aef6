import type { Logger } from '../../core/ports.ts';
import { type BodyLimits, BodyReader } from './body.ts';
import { EventStreams, type StreamLimits } from './event-stream.ts';

export interface HttpGroundOptions extends BodyLimits, StreamLimits {
  readonly logger: Logger;
}

/** What the HTTP bindings of one server share. */
export interface HttpGround {
  readonly bodies: BodyReader;
  readonly streams: EventStreams;
  readonly logger: Logger;
}

/** Makes the ground with the given limits. `streams.close()` ends what is open. */
export function createHttpGround(options: HttpGroundOptions): HttpGround {
  return { bodies: new BodyReader(options), streams: new EventStreams(options), logger: options.logger };
}
