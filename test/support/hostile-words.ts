import { create, fromBinary, fromJson, type JsonObject, toBinary, toJson } from '@bufbuild/protobuf';
import type { StreamResponse, Task } from '../../src/core/model/a2a.ts';
import { registry } from './descriptors.ts';
import { legacyEvent } from './legacy-words.ts';

/** Encoding of messages by agents of several generations; written by hand, and limited to the tests' needs. */

/** A decoded request. */
export interface ReceivedCall {
  /** Name of the operation in A2A 1.0. */
  readonly operation: string;
  // biome-ignore lint/suspicious/noExplicitAny: whatever the gateway sent
  readonly request: any;
  /** The JSON-RPC request id, where there is one. */
  readonly id: string | number | undefined;
}

/** The words of one generation over one binding of HTTP. */
export interface Words {
  readonly cardPath: string;
  card(base: string): object;
  /** Undefined for what is none of its requests. */
  read(verb: string, path: string, body: string): ReceivedCall | undefined;
  /** The answer of an operation that answers with one value: a Task, or `{ task }` or `{ message }` for a send. */
  answer(call: ReceivedCall, value: object): string;
  /** One event with its frame. */
  frame(call: ReceivedCall, event: StreamResponse): string;
  /** Status and body of an error. */
  error(call: ReceivedCall, error: HostileError): readonly [status: number, body: string];
}

/** An error in the numbers of JSON-RPC and in HTTP's, and as v1 calls it. */
export interface HostileError {
  readonly code: number;
  readonly status: number;
  readonly reason: string;
  readonly message: string;
}

const text = ['text/plain'];
/** Members of every card since A2A 0.2. */
export const described = {
  name: 'Hostile agent',
  description: 'Misbehaves on command',
  version: '1.0.0',
  capabilities: { streaming: true },
  defaultInputModes: text,
  defaultOutputModes: text,
  skills: [],
};

/** A card of A2A 1.0 with one interface. */
export const card10 = (url: string, protocolBinding: string): object => ({
  ...described,
  supportedInterfaces: [{ url, protocolBinding, protocolVersion: '1.0' }],
});

/** A frame of server-sent events. */
export const sse = (data: unknown, event?: string): string =>
  `${event === undefined ? '' : `event: ${event}\n`}data: ${JSON.stringify(data)}\n\n`;

/** JSON-RPC with the methods and the results of one generation. */
export function rpcWords(parts: {
  readonly methods: Readonly<Record<string, string>>;
  readonly cardPath: string;
  card(base: string): object;
  result(operation: string, value: object): unknown;
  /** The payloads that an event becomes, with the names of their frames. */
  event(event: StreamResponse): readonly (readonly [data: unknown, name?: string])[];
  readonly bareEvents?: true;
  readonly error?: Words['error'];
}): Words {
  const envelope = (id: ReceivedCall['id'], rest: object) => ({ jsonrpc: '2.0', id, ...rest });
  return {
    cardPath: parts.cardPath,
    card: parts.card,
    read(verb, _, body) {
      if (verb !== 'POST') return undefined;
      const { method, params, id } = JSON.parse(body);
      const operation = parts.methods[method];
      return operation === undefined ? undefined : { operation, request: params, id };
    },
    answer: ({ id, operation }, value) => JSON.stringify(envelope(id, { result: parts.result(operation, value) })),
    frame: ({ id }, event) =>
      parts
        .event(event)
        .map(([data, name]) => sse(parts.bareEvents ? data : envelope(id, { result: data }), name))
        .join(''),
    error:
      parts.error ?? (({ id }, { code, message }) => [200, JSON.stringify(envelope(id, { error: { code, message } }))]),
  };
}

/** A Task or a Message in the words of 0.2 and 0.3, out of what a send or a get answers with. */
export const legacyTask = (value: object): object =>
  legacyEvent('task' in value || 'message' in value ? (value as StreamResponse) : { task: value as Task });

const operations = ['SendMessage', 'SendStreamingMessage', 'GetTask', 'CancelTask', 'SubscribeToTask'];

const restPaths: readonly (readonly [verb: string, path: RegExp, operation: string])[] = [
  ['POST', /\/message:send$/, 'SendMessage'],
  ['POST', /\/message:stream$/, 'SendStreamingMessage'],
  ['GET', /\/tasks\/([^/:]+)$/, 'GetTask'],
  ['POST', /\/tasks\/([^/:]+):cancel$/, 'CancelTask'],
  ['GET', /\/tasks\/([^/:]+):subscribe$/, 'SubscribeToTask'],
  ['POST', /\/tasks\/([^/:]+):subscribe$/, 'SubscribeToTask'],
];

const vaultState = (state: string): string => state.replace('TASK_STATE_', '').replace('REJECTED', 'FAILED');

type V1Message = NonNullable<StreamResponse['message']>;

const vaultMessage = ({ role, parts }: V1Message): object => ({
  role: role === 'ROLE_USER' ? 'user' : 'assistant',
  parts: parts.map((part) => ({ type: 'text', content: part.text ?? '' })),
});

type V1Artifact = NonNullable<Task['artifacts']>[number];

const vaultArtifact = ({ artifactId, parts }: V1Artifact): object => ({
  id: artifactId,
  type: 'text',
  content: parts.map((part) => part.text ?? '').join(''),
  mediaType: 'text/plain',
});

const vaultTime = '2026-01-02T03:04:05.000Z';

function vaultTask({ id, status, history = [], artifacts = [] }: Task): object {
  const messages = [...history, ...(status.message ? [status.message] : [])].map(vaultMessage);
  const times = { createdAt: vaultTime, updatedAt: status.timestamp ?? vaultTime };
  return { id, state: vaultState(status.state), ...times, messages, artifacts: artifacts.map(vaultArtifact) };
}

/** An AgentVault agent that cannot cancel a task says so in a result: -32002 is about credentials there. */
const vaultError = (call: ReceivedCall, { code, message }: HostileError): readonly [number, string] => {
  const { id } = call;
  const body = code === -32002 ? { result: { success: false, message } } : { error: { code, message } };
  return [200, JSON.stringify({ jsonrpc: '2.0', id, ...body })];
};

/** Every generation and binding of HTTP that the hostile agent speaks. */
export const words = {
  'a2a-1.0 jsonrpc': rpcWords({
    methods: Object.fromEntries(operations.map((name) => [name, name])),
    cardPath: '/.well-known/agent-card.json',
    card: (base) => card10(base, 'JSONRPC'),
    result: (_, value) => value,
    event: (event) => [[event]],
  }),
  'a2a-1.0 rest': {
    cardPath: '/.well-known/agent-card.json',
    card: (base) => card10(base, 'HTTP+JSON'),
    read(verb, path, body) {
      for (const [known, pattern, operation] of restPaths) {
        const match = verb === known && pattern.exec(path);
        if (!match) continue;
        const id = match[1];
        return { operation, request: { ...(body ? JSON.parse(body) : {}), ...(id && { id }) }, id: undefined };
      }
      return undefined;
    },
    answer: (_, value) => JSON.stringify(value),
    frame: (_, event) => sse(event),
    error: (_, { status, message, reason }) => {
      const info = { '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason, domain: 'a2a-protocol.org' };
      return [status, JSON.stringify({ error: { code: status, message, status: '', details: [info] } })];
    },
  },
  'a2a-0.3 jsonrpc': rpcWords({
    methods: {
      'message/send': 'SendMessage',
      'message/stream': 'SendStreamingMessage',
      'tasks/get': 'GetTask',
      'tasks/cancel': 'CancelTask',
      'tasks/resubscribe': 'SubscribeToTask',
    },
    cardPath: '/.well-known/agent-card.json',
    card: (base) => ({ ...described, protocolVersion: '0.3.0', url: base, preferredTransport: 'JSONRPC' }),
    result: (_, value) => legacyTask(value),
    event: (event) => [[legacyEvent(event)]],
  }),
  agentvault: rpcWords({
    methods: {
      'tasks/send': 'SendMessage',
      'tasks/sendSubscribe': 'SubscribeToTask',
      'tasks/get': 'GetTask',
      'tasks/cancel': 'CancelTask',
    },
    cardPath: '/agent-card.json',
    card: (base) => ({
      schemaVersion: '1.0',
      humanReadableId: 'test/hostile',
      agentVersion: '1.0.0',
      name: described.name,
      description: described.description,
      url: base,
      provider: { name: 'Tests' },
      capabilities: { a2aVersion: '1.0' },
      authSchemes: [{ scheme: 'none' }],
    }),
    result(operation, value) {
      if (operation === 'SendMessage') return { id: (value as { task: Task }).task.id };
      return operation === 'CancelTask' ? { success: true } : vaultTask(value as Task);
    },
    event({ task, statusUpdate, artifactUpdate }) {
      const timestamp = vaultTime;
      if (artifactUpdate) {
        const { taskId, artifact } = artifactUpdate;
        return [[{ taskId, artifact: vaultArtifact(artifact), timestamp }, 'task_artifact']];
      }
      const taskId = statusUpdate?.taskId ?? task?.id;
      const { state = '', timestamp: at = timestamp, message } = statusUpdate?.status ?? task?.status ?? {};
      const said = message ? [[{ taskId, message: vaultMessage(message), timestamp }, 'task_message'] as const] : [];
      return [...said, [{ taskId, state: vaultState(state), timestamp: at }, 'task_status']];
    },
    bareEvents: true,
    error: vaultError,
  }),
} as const satisfies Readonly<Record<string, Words>>;

const messageNamed = (name: string) => {
  const description = registry.getMessage(`lf.a2a.v1.${name}`);
  if (!description) throw new TypeError(`no message ${name}`);
  return description;
};

/** A message of gRPC. */
export const framed = (bytes: Uint8Array): Buffer => {
  const head = Buffer.alloc(5);
  head.writeUInt32BE(bytes.length, 1);
  return Buffer.concat([head, bytes]);
};

/** The words of one generation over gRPC. */
export interface GrpcWords {
  read(path: string, body: Buffer): ReceivedCall;
  /** The answer of an operation, or an event of its stream. */
  frame(operation: string, value: object): Buffer;
}

export const grpcWords: GrpcWords = {
  read(path, body) {
    const operation = path.slice(path.lastIndexOf('/') + 1);
    const type = messageNamed(operation === 'SendStreamingMessage' ? 'SendMessageRequest' : `${operation}Request`);
    const request = toJson(type, body.length < 5 ? create(type) : fromBinary(type, body.subarray(5)), { registry });
    return { operation, request: request as JsonObject, id: undefined };
  },
  frame(operation, value) {
    const type = messageNamed(
      { SendMessage: 'SendMessageResponse', GetTask: 'Task', CancelTask: 'Task' }[operation] ?? 'StreamResponse',
    );
    return framed(toBinary(type, fromJson(type, value as JsonObject, { registry })));
  },
};
