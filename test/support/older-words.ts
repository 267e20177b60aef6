import { create, fromBinary, fromJson, type JsonObject, toBinary, toJson } from '@bufbuild/protobuf';
import type { Message, Part, StreamResponse, Task, TaskStatus } from '../../src/core/model/a2a.ts';
import { registry } from './descriptors.ts';
import {
  card10,
  described,
  framed,
  type GrpcWords,
  legacyTask,
  type ReceivedCall,
  rpcWords,
  sse,
  type Words,
} from './hostile-words.ts';
import { legacyEvent } from './legacy-words.ts';

/** Encoding of messages by agents of A2A 0.1, 0.2 and 0.3, over the bindings that are not in `hostile-words.ts`. */

const methods = {
  'message/send': 'SendMessage',
  'message/stream': 'SendStreamingMessage',
  'tasks/get': 'GetTask',
  'tasks/cancel': 'CancelTask',
  'tasks/resubscribe': 'SubscribeToTask',
} as const;

/** A2A 0.2.6: its cards are at another path, and name their version. */
export const words02: Words = rpcWords({
  methods,
  cardPath: '/.well-known/agent.json',
  card: (url) => ({ ...described, protocolVersion: '0.2.6', url }),
  result: (_, value) => legacyTask(value),
  event: (event) => [[legacyEvent(event)]],
});

/** A2A 0.1 */

const oldestState = (state: string): string =>
  state.replace('TASK_STATE_', '').toLowerCase().replaceAll('_', '-').replace('rejected', 'failed');

const oldestMessage = ({ role, parts }: Message): object => ({
  role: role === 'ROLE_USER' ? 'user' : 'agent',
  parts: parts.map(({ text = '' }) => ({ type: 'text', text })),
});

const oldestStatus = ({ state, message, timestamp }: TaskStatus): object => ({
  state: oldestState(state),
  ...(message && { message: oldestMessage(message) }),
  ...(timestamp && { timestamp: timestamp.replace('Z', '') }),
});

const oldestParts = (parts: readonly Part[]): object[] => parts.map(({ text = '' }) => ({ type: 'text', text }));

const oldestTask = ({ id, contextId, status, artifacts = [], history = [] }: Task): object => ({
  id,
  sessionId: contextId,
  status: oldestStatus(status),
  artifacts: artifacts.map(({ name, parts }, index) => ({ ...(name && { name }), parts: oldestParts(parts), index })),
  history: history.map(oldestMessage),
});

const isEnd = (state: string): boolean => /COMPLETED|FAILED|CANCELED|REJECTED|REQUIRED/.test(state);

/** Streams of A2A 0.1 have no tasks in them. */
function oldestEvent({ task, statusUpdate, artifactUpdate }: StreamResponse): object {
  if (artifactUpdate) {
    const { taskId: id, artifact, append = false, lastChunk } = artifactUpdate;
    const chunk = { append, ...(lastChunk !== undefined && { lastChunk }) };
    return {
      id,
      artifact: { name: artifact.name ?? 'result', parts: oldestParts(artifact.parts), index: 0, ...chunk },
    };
  }
  const id = statusUpdate?.taskId ?? task?.id ?? '';
  const status = statusUpdate?.status ?? task?.status;
  if (!status) throw new TypeError('no event of A2A 0.1');
  return { id, status: oldestStatus(status), final: isEnd(status.state) };
}

export const words01: Words = rpcWords({
  methods: {
    'tasks/send': 'SendMessage',
    'tasks/sendSubscribe': 'SendStreamingMessage',
    'tasks/get': 'GetTask',
    'tasks/cancel': 'CancelTask',
  },
  cardPath: '/.well-known/agent.json',
  card: (url) => ({
    name: described.name,
    description: described.description,
    version: described.version,
    url,
    capabilities: { streaming: true, pushNotifications: false, stateTransitionHistory: false },
    defaultInputModes: ['text'],
    defaultOutputModes: ['text'],
    skills: [],
  }),
  result: (_, value) => oldestTask('task' in value ? (value.task as Task) : (value as Task)),
  event: (event) => [[oldestEvent(event)]],
});

/** A2A 0.3 in the JSON of its protobuf messages, over HTTP+JSON and gRPC. */

const message03 = ({ parts, ...rest }: Message): object => ({
  ...rest,
  content: parts.map(({ text = '' }) => ({ text })),
});

const status03 = ({ state, message, timestamp }: TaskStatus): object => ({
  state: state === 'TASK_STATE_CANCELED' ? 'TASK_STATE_CANCELLED' : state,
  ...(message && { message: message03(message) }),
  ...(timestamp && { timestamp }),
});

const artifact03 = ({ artifactId, name, parts }: NonNullable<Task['artifacts']>[number]): object => ({
  artifactId,
  ...(name && { name }),
  parts: parts.map(({ text = '' }) => ({ text })),
});

const task03 = ({ id, contextId, status, artifacts = [], history = [] }: Task): object => ({
  id,
  contextId,
  status: status03(status),
  artifacts: artifacts.map(artifact03),
  history: history.map(message03),
});

function event03({ task, message, statusUpdate, artifactUpdate }: StreamResponse): object {
  if (task) return { task: task03(task) };
  if (message) return { message: message03(message) };
  if (artifactUpdate) return { artifactUpdate: { ...artifactUpdate, artifact: artifact03(artifactUpdate.artifact) } };
  if (!statusUpdate) throw new TypeError('no event');
  const { taskId, contextId, status } = statusUpdate;
  return { statusUpdate: { taskId, contextId, status: status03(status), final: isEnd(status.state) } };
}

/** Answers in the JSON of protobuf: those of a send name their kind. */
const value03 = (value: object): object =>
  'status' in value ? task03(value as Task) : event03(value as StreamResponse);

const paths: readonly (readonly [verb: string, path: RegExp, operation: string])[] = [
  ['POST', /\/v1\/message:send$/, 'SendMessage'],
  ['POST', /\/v1\/message:stream$/, 'SendStreamingMessage'],
  ['GET', /\/v1\/tasks\/([^/:?]+)(?:\?.*)?$/, 'GetTask'],
  ['POST', /\/v1\/tasks\/([^/:]+):cancel$/, 'CancelTask'],
  ['GET', /\/v1\/tasks\/([^/:]+):subscribe$/, 'SubscribeToTask'],
  ['POST', /\/v1\/tasks\/([^/:]+):subscribe$/, 'SubscribeToTask'],
];

const card03 = (url: string, preferredTransport: string): object => ({
  ...described,
  protocolVersion: '0.3.0',
  url,
  preferredTransport,
});

export const words03Rest: Words = {
  cardPath: '/.well-known/agent-card.json',
  card: (url) => card03(url, 'HTTP+JSON'),
  read(verb, path, body) {
    for (const [known, pattern, operation] of paths) {
      const match = verb === known && pattern.exec(path);
      if (!match) continue;
      const id = match[1];
      return { operation, request: { ...(body ? JSON.parse(body) : {}), ...(id && { id }) }, id: undefined };
    }
    return undefined;
  },
  answer: (_, value) => JSON.stringify(value03(value)),
  frame: (_, event) => sse(event03(event)),
  error: (_, { status, code, message }) => [status, JSON.stringify({ code, message })],
};

export const card03Grpc = (target: string): object => card03(target, 'GRPC');
export const card10Grpc = (target: string): object => card10(target, 'GRPC');

const requests03: Readonly<Record<string, readonly [operation: string, type: string]>> = {
  SendMessage: ['SendMessage', 'SendMessageRequest'],
  SendStreamingMessage: ['SendStreamingMessage', 'SendMessageRequest'],
  GetTask: ['GetTask', 'GetTaskRequest'],
  CancelTask: ['CancelTask', 'CancelTaskRequest'],
  TaskSubscription: ['SubscribeToTask', 'TaskSubscriptionRequest'],
};

const answers03: Readonly<Record<string, string>> = {
  SendMessage: 'SendMessageResponse',
  GetTask: 'Task',
  CancelTask: 'Task',
};

const type03 = (name: string) => {
  const description = registry.getMessage(`a2a.v1.${name}`);
  if (!description) throw new TypeError(`no message ${name}`);
  return description;
};

export const grpcWords03: GrpcWords = {
  read(path, body): ReceivedCall {
    const [operation, name] = requests03[path.slice(path.lastIndexOf('/') + 1)] ?? ['', 'GetTaskRequest'];
    const type = type03(name);
    const read = body.length < 5 ? create(type) : fromBinary(type, body.subarray(5));
    const request = toJson(type, read, { registry }) as JsonObject;
    const id = typeof request.name === 'string' && { id: request.name.replace(/^tasks\//, '') };
    return { operation, request: { ...request, ...id }, id: undefined };
  },
  frame(operation, value) {
    const type = type03(answers03[operation] ?? 'StreamResponse');
    return framed(toBinary(type, fromJson(type, value03(value) as JsonObject, { registry })));
  },
};
