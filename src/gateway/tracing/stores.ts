import { A2AError } from '../../core/model/errors.ts';
import type { Append } from '../../core/ports/task-store.ts';
import type { Around, StoreAccess } from '../../core/telemetry/observed-store.ts';
import { ambientTrace, type Tracing, traced } from '../../core/telemetry/tracing.ts';

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

/** Whether an append brings nothing but pieces of artifacts: there may be thousands of them, and nobody waits for one. */
const isPiece = ({ create, events, bound }: Append): boolean =>
  !create && !bound && events.every(({ event }) => event.artifactUpdate !== undefined);

/** What runs inside each access to a store: a span, where it is on behalf of a call. */
export function traceAccesses(tracing: Tracing, system: string): Around {
  return (access, run, args) => {
    const parent = ambientTrace();
    if (parent.traceparent === undefined || !waitedFor.has(access) || !isSampled(parent.traceparent)) return run();
    if (access === 'append' && isPiece(args[0] as Append)) return run();
    return traced(
      tracing,
      { name: `store ${access}`, kind: 'client', parent },
      () => ({ 'db.system.name': system, 'db.operation.name': access }),
      run,
      (thrown) => A2AError.from(thrown).kind,
    );
  };
}
