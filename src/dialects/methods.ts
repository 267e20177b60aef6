import type { OperationName } from '../gen/a2a-v1/operations.ts';
import type { CallPlan, JsonRpcFace, Method } from './dialect.ts';

/**
 * The two tables of a JSON-RPC face: its methods by name, and how each operation is called.
 *
 * @param composed operations that are made of two calls; any other is called by the first method that stands for it
 */
export function methodTables(
  methods: readonly Method[],
  composed: readonly (readonly [OperationName, CallPlan])[] = [],
): Pick<JsonRpcFace, 'methods' | 'calls'> {
  const calls = new Map<OperationName, CallPlan>(composed);
  for (const method of methods) {
    if (!calls.has(method.operation)) calls.set(method.operation, { method });
  }
  return { methods: new Map(methods.map((method) => [method.name, method])), calls };
}
