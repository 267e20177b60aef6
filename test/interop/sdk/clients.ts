import * as sdk from '@a2a-js/sdk';
import * as v1Client from '@a2a-js/sdk/client';
import { GrpcTransportFactory } from '@a2a-js/sdk/client/grpc';
import type { JSONRPCResponse } from 'a2a-sdk-0.2';
import { A2AClient } from 'a2a-sdk-0.2/client';
import type * as legacy from 'a2a-sdk-0.3';
import type { Client, ClientConfig } from 'a2a-sdk-0.3/client';
import type * as v1 from '../../../src/core/model/a2a.ts';
import { clientOf, type StreamEvent, userMessage } from '../../support/sdk-0.3.ts';

/**
 * The official SDKs as clients, behind one interface, so that one suite holds for all of them. The adapters only rename:
 * what a client sends, and how it reads the answers, is the SDK's own work.
 */

/** A part in the terms of this suite. */
export type Part = { readonly metadata?: object } & (
  | { readonly text: string }
  | { readonly bytes: string; readonly type?: string; readonly name?: string }
  | { readonly uri: string; readonly name?: string }
  | { readonly data: object }
);

export interface Message {
  readonly role: string;
  readonly parts: readonly Part[];
  readonly contextId?: string | undefined;
  readonly metadata?: object | undefined;
}

export interface Task {
  readonly id: string;
  readonly contextId: string;
  /** In the form of A2A 0.3: `input-required`. */
  readonly state: string;
  readonly says?: Message | undefined;
  readonly artifacts: readonly { readonly name?: string | undefined; readonly parts: readonly Part[] }[];
  readonly history: readonly Message[];
}

export type Event =
  | { readonly task: Task }
  | { readonly message: Message }
  | { readonly status: string }
  | { readonly chunk: readonly Part[]; readonly append: boolean; readonly last: boolean };

export interface Push {
  readonly id?: string;
  readonly url: string;
  readonly token?: string;
  readonly scheme?: string;
  readonly credentials?: string;
}

export interface SendOptions {
  readonly taskId?: string;
  readonly contextId?: string;
  readonly metadata?: object;
  /** Default true. */
  readonly wait?: boolean;
  readonly signal?: AbortSignal;
}

/** A client of one agent. Errors are those of the SDK; `errorName` says which one it is. */
export interface SdkClient {
  send(content: string | readonly Part[], options?: SendOptions): Promise<Task | Message>;
  stream(content: string | readonly Part[], options?: SendOptions): AsyncGenerator<Event>;
  get(id: string, historyLength?: number): Promise<Task>;
  cancel(id: string): Promise<Task>;
  resubscribe(id: string): AsyncGenerator<Event>;
  setPush(taskId: string, push: Push): Promise<Push>;
  getPush(taskId: string, id: string): Promise<Push>;
  listPush(taskId: string): Promise<readonly Push[]>;
  deletePush(taskId: string, id: string): Promise<void>;
  extendedCard(): Promise<{ readonly skills: readonly { readonly id: string }[] }>;
}

/** Features that an SDK, or its version of A2A, does not have. */
type Lack =
  | 'list push'
  | 'extended card'
  | 'abort'
  | 'append'
  | 'names'
  | 'null'
  | 'late subscription'
  | 'question ends stream';

export interface Sdk {
  readonly name: string;
  readonly lacks: readonly Lack[];
  /** @param base URL of an agent, without a slash at its end */
  connect(base: string): Promise<SdkClient>;
}

/** Names of errors, with the codes and statuses that mean the same. */
const errors: Readonly<Record<string, RegExp>> = {
  TaskNotFoundError: /-32001/,
  TaskNotCancelableError: /-32002/,
  PushNotificationNotSupportedError: /-32003/,
  UnsupportedOperationError: /-32004/,
  RequestMalformedError: /-32602|\b3 INVALID|\b3 Invalid/,
};

/** The name of the error that an SDK throws: of a class, or of what its message says. */
export function errorName(thrown: unknown): string {
  const error = thrown as Error;
  for (const one of [error, error.cause]) {
    if (!(one instanceof Error)) continue;
    for (
      let type = one.constructor;
      type !== Error && type !== Function.prototype;
      type = Object.getPrototypeOf(type)
    ) {
      if (type.name in errors) return type.name;
    }
  }
  return Object.entries(errors).find(([, words]) => words.test(error.message))?.[0] ?? error.message;
}

async function* map<In, Out>(stream: AsyncIterable<In>, each: (item: In) => Out): AsyncGenerator<Out> {
  for await (const item of stream) yield each(item);
}

/* A2A 0.2 and 0.3, whose objects are alike. */

function toLegacyPart(part: Part): legacy.Part {
  const metadata = part.metadata && { metadata: part.metadata as Record<string, unknown> };
  if ('text' in part) return { kind: 'text', text: part.text, ...metadata };
  if ('data' in part) return { kind: 'data', data: part.data as Record<string, unknown>, ...metadata };
  const name = part.name !== undefined && { name: part.name };
  if ('uri' in part) return { kind: 'file', file: { uri: part.uri, ...name }, ...metadata };
  const type = part.type !== undefined && { mimeType: part.type };
  return { kind: 'file', file: { bytes: part.bytes, ...type, ...name }, ...metadata };
}

function fromLegacyPart(part: legacy.Part): Part {
  const metadata = part.metadata && { metadata: part.metadata };
  if (part.kind === 'text') return { text: part.text, ...metadata };
  if (part.kind === 'data') return { data: part.data, ...metadata };
  const { name, mimeType } = part.file;
  const named = { ...(name && { name }), ...(mimeType && { type: mimeType }) };
  if ('bytes' in part.file) return { bytes: part.file.bytes, ...named, ...metadata };
  return { uri: part.file.uri, ...named, ...metadata };
}

const fromLegacyMessage = ({ role, parts, contextId, metadata }: legacy.Message): Message => ({
  role,
  parts: parts.map(fromLegacyPart),
  contextId,
  metadata,
});

const fromLegacyTask = ({ id, contextId, status, artifacts = [], history = [] }: legacy.Task): Task => ({
  id,
  contextId,
  state: status.state,
  says: status.message && fromLegacyMessage(status.message),
  artifacts: artifacts.map(({ name, parts }) => ({ name, parts: parts.map(fromLegacyPart) })),
  history: history.map(fromLegacyMessage),
});

function fromLegacyEvent(event: StreamEvent): Event {
  if (event.kind === 'task') return { task: fromLegacyTask(event) };
  if (event.kind === 'message') return { message: fromLegacyMessage(event) };
  if (event.kind === 'status-update') return { status: `${event.status.state}${event.final ? '!' : ''}` };
  const { artifact, append, lastChunk } = event;
  return { chunk: artifact.parts.map(fromLegacyPart), append: append === true, last: lastChunk === true };
}

const fromLegacyAnswer = (result: legacy.Message | legacy.Task): Task | Message =>
  result.kind === 'task' ? fromLegacyTask(result) : fromLegacyMessage(result);

function legacyParams(content: string | readonly Part[], options: SendOptions = {}): legacy.MessageSendParams {
  const { wait, signal: _, ...more } = options;
  const message = userMessage(typeof content === 'string' ? content : content.map(toLegacyPart), more as object);
  return {
    message,
    ...(wait === false && { configuration: { acceptedOutputModes: ['text/plain'], blocking: false } }),
  };
}

const toLegacyPush = (taskId: string, { scheme, credentials, ...push }: Push): legacy.TaskPushNotificationConfig => ({
  taskId,
  pushNotificationConfig: {
    ...push,
    ...(scheme && { authentication: { schemes: [scheme], ...(credentials && { credentials }) } }),
  },
});

function fromLegacyPush({ pushNotificationConfig }: legacy.TaskPushNotificationConfig): Push {
  const { id, url, token, authentication } = pushNotificationConfig;
  const { schemes: [scheme] = [], credentials } = authentication ?? {};
  return {
    url,
    ...(id && { id }),
    ...(token && { token }),
    ...(scheme && { scheme }),
    ...(credentials && { credentials }),
  };
}

/** The result of a JSON-RPC response, as the SDK of 0.2 returns it. Throws the code of an error. */
export function resultOf<R>(response: JSONRPCResponse | { result: R }): R {
  if ('error' in response) throw new Error(`${response.error.code} ${response.error.message}`);
  return (response as { result: R }).result;
}

function connect02(base: string): SdkClient {
  const client = new A2AClient(base);
  const none = (): never => {
    throw new TypeError('A2A 0.2 has no such method');
  };
  return {
    send: async (content, options) =>
      fromLegacyAnswer(resultOf(await client.sendMessage(legacyParams(content, options) as never))),
    stream: (content, options) =>
      map(client.sendMessageStream(legacyParams(content, options) as never), fromLegacyEvent),
    get: async (id, historyLength) =>
      fromLegacyTask(resultOf(await client.getTask({ id, ...(historyLength !== undefined && { historyLength }) }))),
    cancel: async (id) => fromLegacyTask(resultOf(await client.cancelTask({ id }))),
    resubscribe: (id) => map(client.resubscribeTask({ id }), fromLegacyEvent),
    setPush: async (taskId, push) =>
      fromLegacyPush(resultOf(await client.setTaskPushNotificationConfig(toLegacyPush(taskId, push)))),
    getPush: async (taskId) => fromLegacyPush(resultOf(await client.getTaskPushNotificationConfig({ id: taskId }))),
    listPush: none,
    deletePush: none,
    extendedCard: none,
  };
}

/** The adapter of a client of the SDK of 0.3. */
export function client03(client: Client): SdkClient {
  return {
    send: async (content, options) => fromLegacyAnswer(await client.sendMessage(legacyParams(content, options))),
    stream: (content, options) =>
      map(
        client.sendMessageStream(legacyParams(content, options), options?.signal && { signal: options.signal }),
        fromLegacyEvent,
      ),
    get: async (id, historyLength) =>
      fromLegacyTask(await client.getTask({ id, ...(historyLength !== undefined && { historyLength }) })),
    cancel: async (id) => fromLegacyTask(await client.cancelTask({ id })),
    resubscribe: (id) => map(client.resubscribeTask({ id }), fromLegacyEvent),
    setPush: async (taskId, push) =>
      fromLegacyPush(await client.setTaskPushNotificationConfig(toLegacyPush(taskId, push))),
    getPush: async (id, pushNotificationConfigId) =>
      fromLegacyPush(await client.getTaskPushNotificationConfig({ id, pushNotificationConfigId } as { id: string })),
    // Below the client, whose types lack the methods' own parameters.
    listPush: async (id) => (await client.transport.listTaskPushNotificationConfig({ id })).map(fromLegacyPush),
    deletePush: (id, pushNotificationConfigId) =>
      client.deleteTaskPushNotificationConfig({ id, pushNotificationConfigId }),
    extendedCard: () => client.getAgentCard(),
  };
}

/** A client of the SDK of 0.3 for an agent, over the transport that the card lists under this name. */
export const sdk03 = (base: string, protocol: string, config: ClientConfig = {}): Promise<Client> =>
  clientOf(`${base}/.well-known/agent-card.json`, protocol, config);

/* A2A 1.0. */

function toV1Part(part: Part): v1.Part {
  const metadata = part.metadata && { metadata: part.metadata };
  const filename = 'name' in part && part.name !== undefined && { filename: part.name };
  if ('text' in part) return { text: part.text, ...metadata } as v1.Part;
  if ('data' in part) return { data: part.data, ...metadata } as v1.Part;
  if ('uri' in part) return { url: part.uri, ...filename, ...metadata } as v1.Part;
  return { raw: part.bytes, ...filename, ...(part.type && { mediaType: part.type }), ...metadata } as v1.Part;
}

function fromV1Part({ text, raw, url, data, filename, mediaType, metadata }: v1.Part): Part {
  const more = {
    ...(filename && { name: filename }),
    ...(mediaType && { type: mediaType }),
    ...(metadata && { metadata }),
  };
  if (text !== undefined) return { text, ...(metadata && { metadata }) };
  if (raw !== undefined) return { bytes: raw as string, ...more };
  return url === undefined ? { data: data as object, ...(metadata && { metadata }) } : { uri: url, ...more };
}

const nameOf = (v1Name: string): string =>
  v1Name
    .replace(/^(TASK_STATE|ROLE)_/, '')
    .toLowerCase()
    .replaceAll('_', '-');

const fromV1Message = ({ role, parts, contextId, metadata }: v1.Message): Message => ({
  role: nameOf(role),
  parts: parts.map(fromV1Part),
  contextId,
  metadata,
});

const fromV1Task = ({ id, contextId = '', status, artifacts = [], history = [] }: v1.Task): Task => ({
  id,
  contextId,
  state: nameOf(status.state),
  says: status.message && fromV1Message(status.message),
  artifacts: artifacts.map(({ name, parts }) => ({ name, parts: parts.map(fromV1Part) })),
  history: history.map(fromV1Message),
});

/** A task as the SDK read it, back in ProtoJSON. */
const taskOf = (task: sdk.Task): Task => fromV1Task(sdk.Task.toJSON(task) as v1.Task);

function fromV1Event(response: sdk.StreamResponse): Event {
  const { task, message, statusUpdate, artifactUpdate } = sdk.StreamResponse.toJSON(response) as v1.StreamResponse;
  if (task) return { task: fromV1Task(task) };
  if (message) return { message: fromV1Message(message) };
  if (statusUpdate) return { status: nameOf(statusUpdate.status.state) };
  const { artifact, append, lastChunk } = artifactUpdate as v1.TaskArtifactUpdateEvent;
  return { chunk: artifact.parts.map(fromV1Part), append: append === true, last: lastChunk === true };
}

let messages = 0;

/** A request in the objects of the SDK of 1.0. */
export function v1Request(content: string | readonly Part[], options: SendOptions = {}): sdk.SendMessageRequest {
  messages += 1;
  const { wait, signal: _, ...more } = options;
  const parts = typeof content === 'string' ? [{ text: content }] : content.map(toV1Part);
  const message = { messageId: `sdk-v1-${messages}`, role: 'ROLE_USER', parts, ...more };
  const configuration = wait === false && { configuration: { returnImmediately: true } };
  return sdk.SendMessageRequest.fromJSON({ message, ...configuration });
}

const toV1Push = (taskId: string, { scheme, credentials, ...push }: Push): sdk.TaskPushNotificationConfig =>
  sdk.TaskPushNotificationConfig.fromJSON({
    taskId,
    ...push,
    ...(scheme && { authentication: { scheme, credentials } }),
  });

function fromV1Push(config: sdk.TaskPushNotificationConfig): Push {
  const { id, url, token, authentication } = config;
  return { id, url, ...(token && { token }), ...(authentication && { ...authentication }) };
}

/** A client of the SDK of 1.0 for an agent, over the binding that its card lists under this name. */
export function sdk10(base: string, protocol: string): Promise<v1Client.Client> {
  const options = v1Client.ClientFactoryOptions.createFrom(v1Client.ClientFactoryOptions.default, {
    transports: [
      new v1Client.JsonRpcTransportFactory(),
      new v1Client.RestTransportFactory(),
      new GrpcTransportFactory(),
    ],
    preferredTransports: [protocol],
  });
  return new v1Client.ClientFactory(options).createFromUrl(`${base}/.well-known/agent-card.json`, '');
}

/** The adapter of a client of the SDK of 1.0. */
export function client10(client: v1Client.Client): SdkClient {
  return {
    async send(content, options) {
      const result = await client.sendMessage(v1Request(content, options));
      return 'messageId' in result ? fromV1Message(sdk.Message.toJSON(result) as v1.Message) : taskOf(result);
    },
    stream: (content, options) =>
      map(
        client.sendMessageStream(v1Request(content, options), options?.signal && { signal: options.signal }),
        fromV1Event,
      ),
    get: async (id, historyLength) => taskOf(await client.getTask(sdk.GetTaskRequest.fromJSON({ id, historyLength }))),
    cancel: async (id) => taskOf(await client.cancelTask(sdk.CancelTaskRequest.fromJSON({ id }))),
    resubscribe: (id) => map(client.resubscribeTask(sdk.SubscribeToTaskRequest.fromJSON({ id })), fromV1Event),
    setPush: async (taskId, push) => fromV1Push(await client.createTaskPushNotificationConfig(toV1Push(taskId, push))),
    getPush: async (taskId, id) =>
      fromV1Push(
        await client.getTaskPushNotificationConfig(sdk.GetTaskPushNotificationConfigRequest.fromJSON({ taskId, id })),
      ),
    listPush: async (taskId) =>
      (
        await client.listTaskPushNotificationConfig(sdk.ListTaskPushNotificationConfigsRequest.fromJSON({ taskId }))
      ).configs.map(fromV1Push),
    deletePush: (taskId, id) =>
      client.deleteTaskPushNotificationConfig(sdk.DeleteTaskPushNotificationConfigRequest.fromJSON({ taskId, id })),
    extendedCard: () => client.getAgentCard(),
  };
}

export const protocols = ['JSONRPC', 'HTTP+JSON', 'GRPC'] as const;

/** Every official SDK over every binding that it has. */
export const sdks: readonly Sdk[] = [
  {
    name: 'SDK 0.2 over JSONRPC',
    lacks: ['list push', 'extended card', 'abort'],
    connect: async (base) => connect02(base),
  },
  ...protocols.map((protocol) => ({
    name: `SDK 0.3 over ${protocol}`,
    // Its protobuf shapes have no names of files, no metadata of parts and no null, and drop `append` on reading.
    lacks: (protocol === 'JSONRPC' ? [] : ['append', 'names', 'null']) as Lack[],
    connect: async (base: string) => client03(await sdk03(base, protocol)),
  })),
  ...protocols.map((protocol) => ({
    name: `SDK 1.0 over ${protocol}`,
    lacks: ['late subscription', 'question ends stream'] as Lack[],
    connect: async (base: string) => client10(await sdk10(base, protocol)),
  })),
];
