import { api as a2aApi } from '../../../core/model/a2a.ts';
import { versions } from '../../../dialects/a2a-1.x/versions.ts';
import type { Dialects } from '../../../dialects/kernel/detect.ts';
import type { Method, WireProtocol } from '../../../dialects/kernel/wire.ts';
import { methodsOf } from '../../../dialects/translate/frame.ts';
import { api as adminApi } from '../../../gen/admin-v1/index.ts';
import type { Api, FieldTables } from '../../../gen/api.ts';
import { api as knowledgeApi } from '../../../gen/knowledge-v1/index.ts';
import type { Operation } from '../../../gen/operations.ts';

/** The bindings that a browser supports. Connect and gRPC-Web serve the services of gRPC. */
export const bindings = [
  { id: 'jsonrpc', title: 'JSON-RPC', frames: 'jsonrpc' },
  { id: 'rest', title: 'HTTP+JSON', frames: 'rest' },
  { id: 'connect', title: 'Connect', frames: 'grpc' },
  { id: 'grpc-web', title: 'gRPC-Web', frames: 'grpc' },
] as const;

type BindingId = (typeof bindings)[number]['id'];

/** One method that a page can call: of a dialect, or of a service that every dialect shares. */
export interface Callable {
  readonly protocol: WireProtocol;
  readonly binding: BindingId;
  /** Name on the wire, such as `message/send`; over Connect and gRPC-Web the rpc's name. */
  readonly name: string;
  readonly method: Method;
  /** The canonical operation, whose request the form edits. */
  readonly operation: Operation;
  /** Tables of the operation's messages. */
  readonly fields: FieldTables;
  readonly streaming: boolean;
}

const currentApis: readonly Api[] = [a2aApi, knowledgeApi, adminApi];

const canonical = new Map(
  currentApis.flatMap(({ operations, fields }) =>
    operations.map((operation) => [operation.name, { operation, fields }] as const),
  ),
);

/** Returns the bindings of a protocol that a browser supports, and that have methods. */
export const bindingsOf = (protocol: WireProtocol) => bindings.filter(({ id }) => callablesOf(protocol, id).length > 0);

/** Returns the methods of a protocol over a binding that a browser can call: those without streams of requests. */
export function callablesOf(protocol: WireProtocol, binding: BindingId): Callable[] {
  const frames = bindings.find(({ id }) => id === binding)?.frames;
  if (frames === undefined || protocol[frames] === undefined) return [];
  const named: readonly (readonly [string, Method])[] =
    frames === 'grpc'
      ? [...(protocol.grpc?.methods ?? [])]
      : methodsOf(protocol, frames).map((method) => [method.name, method]);
  return named.flatMap(([name, method]) => {
    const known = canonical.get(method.operation);
    if (!known || known.operation.clientStreaming) return [];
    const fields = fieldsFor(protocol, known);
    return [{ protocol, binding, name, method, ...known, fields, streaming: method.stream !== undefined }];
  });
}

/**
 * Returns the tables of a form. It has the fields of the dialect's own version of A2A 1.x; of dialects before it, those
 * of the oldest one.
 */
function fieldsFor({ grpc }: WireProtocol, { operation, fields }: Pick<Callable, 'operation' | 'fields'>): FieldTables {
  const own = [grpc?.api, versions.at(-1)?.api].find((api) => api?.fields.messages[operation.request] !== undefined);
  return own?.fields ?? fields;
}

/** Returns the method that carries out an operation over the same binding of the same protocol, or of an extension. */
export function callableOf(dialects: Dialects, from: Callable, operation: string): Callable | undefined {
  const protocols = [from.protocol, ...dialects.extensions];
  return protocols
    .flatMap((protocol) => callablesOf(protocol, from.binding))
    .find((callable) => callable.method.operation === operation);
}

/**
 * Returns the protocols that a gateway serves.
 *
 * @param previews names of those that are served although their specification is not published
 */
export const servedProtocols = ({ list, extensions }: Dialects, previews: readonly string[] = []): WireProtocol[] => [
  ...list.filter(({ name, preview }) => !preview || previews.includes(name)),
  ...extensions,
];
