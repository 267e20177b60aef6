import type { Operation } from '../../src/gen/operations.ts';
import type { Comments } from '../comments.ts';
import { literal, propertyKey, quote } from '../emit.ts';
import { localName, type Model } from '../model.ts';
import type { ErrorFacts } from './error-table.ts';

/** Types in `types.ts` of the params and the result of a JSON-RPC method whose shapes differ from the proto's. */
export interface JsonRpcMethod {
  readonly rpc: string;
  readonly method: string;
  readonly params: string;
  readonly result: string;
}

interface OperationsInput {
  readonly model: Model;
  readonly comments: Comments;
  readonly errors: readonly ErrorFacts[];
  /** Methods of A2A 0.3. Absent: methods have the names and messages of their rpcs. */
  readonly methods?: readonly JsonRpcMethod[];
  /** Module specifier of the types. */
  readonly types: string;
}

/** Sections of the A2A 1.x specification, by rpc. */
const sections: Readonly<Record<string, string>> = {
  SendMessage: '3.1.1',
  SendStreamingMessage: '3.1.2',
  GetTask: '3.1.3',
  ListTasks: '3.1.4',
  CancelTask: '3.1.5',
  SubscribeToTask: '3.1.6',
  CreateTaskPushNotificationConfig: '3.1.7',
  GetTaskPushNotificationConfig: '3.1.8',
  ListTaskPushNotificationConfigs: '3.1.9',
  DeleteTaskPushNotificationConfig: '3.1.10',
  GetExtendedAgentCard: '3.1.11',
};

/** Returns the source of the operation table, with types, and of the error table. */
export function operationsSource({ model, comments, errors, methods, types }: OperationsInput): string {
  const keys = keysOf(model.operations);
  const used = new Set<string>();
  const rows = model.operations.map((one) => rowSource(one, keys, comments, methods));
  const named = (text: string): string =>
    text.replace(/[A-Za-z_]\w*/g, (name) => {
      if (builtIn.has(name)) return name;
      used.add(name);
      return nameHere(name, model);
    });
  const typed = model.operations.map((one) => {
    const { request: takes, response: returns } = typesOf(one, model, methods);
    const request = named(takes);
    const response = named(returns);
    const key = propertyKey(keys.get(one) ?? one.name);
    return `  ${key}: { request: ${request}; response: ${response}; streaming: ${one.streaming} };\n`;
  });
  const imported = [...used].sort().map((name) => {
    const here = nameHere(name, model);
    return here === name ? `  ${name},\n` : `  ${name} as ${here},\n`;
  });
  return `${imported.length === 0 ? '' : `import type {\n${imported.join('')}} from ${quote(types)};\n\n`}${vocabulary}
/** The operations${model.service === '' ? '' : ` of \`${model.service}\``}, by name. */
export const operations = {
${rows.join('')}} as const;

/** Name of an operation. */
export type OperationName = keyof typeof operations;

/** Request and response types by operation. For a streaming operation, \`response\` is the type of its events. */
export interface OperationTypes {
${typed.join('')}}

/** The request type of an operation. */
export type RequestOf<K extends OperationName> = OperationTypes[K]['request'];

/** The response type of an operation; for a streaming operation, the type of its events. */
export type ResponseOf<K extends OperationName> = OperationTypes[K]['response'];

/** The errors of this version, by name. */
export const errors = {
${errors.map(({ name, ...facts }) => `  ${name}: ${literal(facts)},\n`).join('')}} as const;

/** Name of an error. */
export type ErrorName = keyof typeof errors;
`;
}

/** Names that the generated file declares. */
const declared: ReadonlySet<string> = new Set([
  ...[
    'HttpRule',
    'Operation',
    'ErrorFacts',
    'operations',
    'OperationName',
    'OperationTypes',
    'RequestOf',
    'ResponseOf',
  ],
  ...['errors', 'ErrorName'],
]);

/** Returns the name of a type in the generated file; an alias if the file declares the same name. */
function nameHere(name: string, { messages }: Model): string {
  if (!declared.has(name)) return name;
  let here = `${name}_`;
  while (messages.some((one) => one.name === here)) here += '_';
  return here;
}

const builtIn: ReadonlySet<string> = new Set(['null', 'undefined', 'unknown']);

const vocabulary = `/** A way to call an operation over HTTP. */
export interface HttpRule {
  readonly verb: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Path template below the agent's URL, such as \`/tasks/{id=*}:cancel\`. */
  readonly path: string;
  /** \`*\`: the whole request is the body; the name of a field in the proto: that field is; absent: there is none. */
  readonly body?: string;
}

/** An operation, as each binding has it. */
export interface Operation {
  /** Path of the rpc, for gRPC and Connect. */
  readonly rpcPath: string;
  /** Absent if JSON-RPC has no such method. */
  readonly jsonRpcMethod?: string;
  /** Full name of the request message in the proto. */
  readonly request: string;
  /** Full name of the response message or, if \`streaming\`, of the message of each event. */
  readonly response: string;
  /** Whether the response is a stream. */
  readonly streaming: boolean;
  /** The request is a stream. */
  readonly clientStreaming?: true;
  /** Its section in the specification. */
  readonly section?: string;
  /** HTTP rules. The first is the primary one. */
  readonly http: readonly HttpRule[];
}

/** Representation of an error on each binding. */
export interface ErrorFacts {
  /** Code of JSON-RPC. */
  readonly jsonRpc: number;
  /** Status of HTTP+JSON. */
  readonly http: number;
  /** Name of the status of gRPC. */
  readonly grpc: string;
  /** Reason in \`google.rpc.ErrorInfo\`. */
  readonly reason?: string;
  /** Its standard message. */
  readonly message: string;
}
`;

/** Returns the names of operations: that of the rpc, prefixed by the service if several services have the rpc. */
function keysOf(operations: readonly Operation[]): ReadonlyMap<Operation, string> {
  const isAmbiguous = ({ rpc }: Operation): boolean => operations.filter((one) => one.rpc === rpc).length > 1;
  const serviceName = ({ service }: Operation): string => service.slice(service.lastIndexOf('.') + 1);
  return new Map(operations.map((one) => [one, isAmbiguous(one) ? `${serviceName(one)}_${one.rpc}` : one.rpc]));
}

function rowSource(
  one: Operation,
  keys: ReadonlyMap<Operation, string>,
  comments: Comments,
  methods: readonly JsonRpcMethod[] | undefined,
): string {
  const { service, rpc, grpcPath, request, response, streaming, clientStreaming } = one;
  const method = methods ? methods.find((row) => row.rpc === rpc)?.method : rpc;
  const section = service.startsWith('lf.a2a.v1.') ? sections[rpc] : undefined;
  const facts = {
    rpcPath: grpcPath,
    jsonRpcMethod: clientStreaming ? undefined : method,
    request,
    response,
    streaming,
    clientStreaming,
    section,
  };
  const lines = Object.entries(facts).flatMap(([key, value]) =>
    value === undefined ? [] : [`    ${key}: ${literal(value)},\n`],
  );
  const rules = one.http.map(({ verb, path, body }) => `      ${literal({ verb, path, body })},\n`).join('');
  const text = comments.of(`${service}.${rpc}`).description?.replace(/\s+/g, ' ').replaceAll('*/', '*\\/');
  const doc = text === undefined ? '' : `  /** ${text} */\n`;
  const http = rules === '' ? '[]' : `[\n${rules}    ]`;
  return `${doc}  ${propertyKey(keys.get(one) ?? rpc)}: {\n${lines.join('')}    http: ${http},\n  },\n`;
}

function typesOf(
  { rpc, request, response }: Operation,
  model: Model,
  methods: readonly JsonRpcMethod[] | undefined,
): { readonly request: string; readonly response: string } {
  const method = methods?.find((row) => row.rpc === rpc);
  if (method) return { request: method.params, response: method.result };
  if (methods) return { request: 'unknown', response: 'unknown' };
  const type = (name: string): string => (name === 'google.protobuf.Empty' ? 'Empty' : localName(name, model.package));
  return { request: type(request), response: type(response) };
}
