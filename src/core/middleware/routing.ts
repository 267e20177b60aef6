import type { Operation } from '../../gen/operations.ts';
import type { Invoke } from '../model/call.ts';

/** One service, and what carries out its calls. */
export interface ServedOperations {
  readonly operations: readonly Pick<Operation, 'name'>[];
  readonly invoke: Invoke;
}

/**
 * Brings each call to the service whose operation it is; what is no operation of any goes to the first, which says so.
 */
export function routeByService(first: ServedOperations, ...others: readonly ServedOperations[]): Invoke {
  const byName = new Map(others.flatMap(({ operations, invoke }) => operations.map(({ name }) => [name, invoke])));
  return (call) => (byName.get(call.operation) ?? first.invoke)(call);
}
