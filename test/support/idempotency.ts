import { claimsKey, type IdempotencyDeps, idempotent } from '../../src/core/middleware/idempotency.ts';
import { operations } from '../../src/core/model/a2a.ts';
import type { Invoke } from '../../src/core/model/call.ts';
import type { Service } from '../../src/core/operations/service.ts';

/** The core service behind the middleware for idempotency keys, as the pipeline puts it together. */
export function withIdempotencyKeys(
  { invoke, keyed }: Pick<Service, 'invoke' | 'keyed'>,
  deps: IdempotencyDeps,
): Invoke {
  const claiming = idempotent(deps)(invoke);
  const claimed = new Set<string>(
    operations.flatMap((operation) => (claimsKey(operation, keyed) ? operation.name : [])),
  );
  return (call) => (claimed.has(call.operation) ? claiming : invoke)(call);
}
