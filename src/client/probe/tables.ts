import { api } from '../../core/model/a2a.ts';
import type { Dialect } from '../../dialects/kernel/dialect.ts';
import type { CallPlan } from '../../dialects/kernel/wire.ts';
import type { Operation } from '../../gen/operations.ts';
import type { OperationName } from '../../gen/services.ts';
import type { Binding } from '../bindings.ts';

/** Facts about operations from the tables of the dialects. */

export type WireFormat = Binding['wireFormat'];

/** The call of an operation in a wire format. */
export interface WireMethod extends CallPlan {
  /** The methods on the wire, such as `tasks/get`, `GET /tasks/{id}` or `lf.a2a.v1.A2AService/GetTask`. */
  readonly names: readonly string[];
}

/** Returns the method of an operation. Undefined if the dialect lacks the format, or the operation in this format. */
export function methodOf(format: WireFormat, dialect: Dialect, operation: OperationName): WireMethod | undefined {
  return readers[format](dialect, operation);
}

const readers: Readonly<Record<WireFormat, (dialect: Dialect, operation: OperationName) => WireMethod | undefined>> = {
  jsonrpc: ({ jsonrpc }, operation) => {
    const plan = jsonrpc?.calls.get(operation);
    return plan && { ...plan, names: [plan.method.name, ...(plan.next ? [plan.next.name] : [])] };
  },
  rest: ({ rest }, operation) => {
    const route = rest?.routes.find(({ method }) => method.operation === operation);
    return route && { method: route.method, names: [`${route.rule.verb} ${plainPath(route.rule.path)}`] };
  },
  grpc: ({ grpc }, operation) => {
    const [rpc, method] = [...(grpc?.methods ?? [])].find(([, one]) => one.operation === operation) ?? [];
    return method && { method, names: [`${grpc?.service}/${rpc}`] };
  },
};

/** Simplifies a path template for display: `/tasks/{id=*}` as `/tasks/{id}`, `/v1/{name=tasks/*}` as `/v1/tasks/*`. */
const plainPath = (template: string): string =>
  template.replace(/\{(\w+)=\*\}/g, '{$1}').replace(/\{\w+=([^{}]*)\}/g, '$1');

export const operationsByName: ReadonlyMap<OperationName, Operation> = new Map(
  api.operations.map((operation) => [operation.name as OperationName, operation]),
);

/** Read-only operations that do not stream. */
export const readOperations: ReadonlySet<OperationName> = new Set(
  [...operationsByName].filter(([, { reads, streaming }]) => reads === true && !streaming).map(([name]) => name),
);

export function requestFields(operation: OperationName): readonly string[] {
  const type = operationsByName.get(operation)?.request ?? '';
  return (api.fields.messages[type]?.fields ?? []).map(({ jsonName }) => jsonName);
}
