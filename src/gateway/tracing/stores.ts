import { A2AError } from '../../core/errors.ts';
import type { Around, StoreAccess } from '../../core/observed-store.ts';
import { ambientTrace, type Tracing, traced } from '../../core/tracing.ts';

/** Accesses that a call waits for; all others happen beside it, or on nobody's behalf. */
const waitedFor: ReadonlySet<StoreAccess> = new Set([
  'append',
  'events',
  'find',
  'idempotency',
  'list',
  'load',
  'push_config',
  'upstream_ids',
]);

/** Whether spans of this trace are kept: of those that are not, none is made here. */
const isSampled = (traceparent: string): boolean => (Number.parseInt(traceparent.slice(53), 16) & 1) === 1;

/** What runs inside each access to a store: a span, where it is on behalf of a call. */
export function traceAccesses(tracing: Tracing, system: string): Around {
  return (access, run) => {
    const parent = ambientTrace.getStore();
    if (parent?.traceparent === undefined || !waitedFor.has(access) || !isSampled(parent.traceparent)) return run();
    return traced(
      tracing,
      { name: `store ${access}`, kind: 'client', parent },
      () => ({ 'db.system.name': system, 'db.operation.name': access }),
      run,
      (thrown) => A2AError.from(thrown).kind,
    );
  };
}
