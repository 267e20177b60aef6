import type { Operation } from '../../gen/operations.ts';
import type { Invoke } from '../model/call.ts';

/** One service and its handler. */
export interface ServedOperations {
  readonly operations: readonly Pick<Operation, 'name'>[];
  readonly invoke: Invoke;
}

/** Routes each call to the service of its operation, and unknown operations to the first one, which refuses them. */
export function routeByService(first: ServedOperations, ...others: readonly ServedOperations[]): Invoke {
  const byName = new Map(others.flatMap(({ operations, invoke }) => operations.map(({ name }) => [name, invoke])));
  return (call) => (byName.get(call.operation) ?? first.invoke)(call);
}
