import { A2AError } from '../../core/model/errors.ts';
import type { CodecContext } from './codec.ts';
import type { Method } from './wire.ts';

/**
 * Strict mode: nothing goes out of which the dialect could not say a part.
 *
 * @param losses schema paths that a conversion dropped
 * @throws A2AError `invalidParams` that names them
 */
export function requireLossless(losses: ReadonlySet<string>, dialect: string): void {
  if (losses.size === 0) return;
  const description = `cannot be said in ${dialect}`;
  const violations = [...losses].sort().map((field) => ({ field, description }));
  const named = violations.map(({ field }) => field).join(', ');
  throw A2AError.invalidParams(`${dialect} cannot say ${named}, and losses are refused here`, violations);
}

/** How strictly a client converts. */
export interface Strictness {
  /** Name of the dialect that is spoken. */
  readonly dialect: string;
  /** Whether a request of which something would be lost is refused. */
  readonly strict: boolean;
}

/**
 * A request as the dialect writes it, its losses added to those of `cx`.
 *
 * @throws A2AError `invalidParams` where `strict` and something would be lost
 */
export function encodeRequest(
  method: Method,
  request: object,
  cx: CodecContext,
  { dialect, strict }: Strictness,
): unknown {
  if (!strict) return method.request.encode({ request: request as never }, cx);
  const losses = new Set<string>();
  const encoded = method.request.encode({ request: request as never }, { ...cx, losses });
  requireLossless(losses, dialect);
  return encoded;
}
