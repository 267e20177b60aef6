// Generated from proto/a2a-1.0/lf/a2a/v1/a2a.proto by ts-proto by `npm run generate`. Do not edit.

import {
  type CallOptions,
  type ChannelCredentials,
  Client,
  type ClientOptions,
  type ClientReadableStream,
  type ClientUnaryCall,
  type handleServerStreamingCall,
  type handleUnaryCall,
  makeGenericClientConstructor,
  type Metadata,
  type ServiceError,
  type UntypedServiceImplementation,
} from "@grpc/grpc-js";
import { Empty } from '../../proto/google/protobuf/empty.ts';
import * as codec from '../../proto/a2a-1.1/lf/a2a/v1/a2a.ts';
import {
  AgentCard,
  CancelTaskRequest,
  DeleteTaskPushNotificationConfigRequest,
  GetExtendedAgentCardRequest,
  GetTaskPushNotificationConfigRequest,
  ListTaskPushNotificationConfigsRequest,
  ListTaskPushNotificationConfigsResponse,
  ListTasksRequest,
  SubscribeToTaskRequest,
  TaskPushNotificationConfig,
} from '../../proto/a2a-1.1/lf/a2a/v1/a2a.ts';

export type * from '../../proto/a2a-1.1/lf/a2a/v1/a2a.ts';

export type SendMessageConfiguration = Omit<codec.SendMessageConfiguration, 'ifGenerationMatch'>;
export type Task = Omit<codec.Task, 'generation'>;
const Task = codec.Task;
export type TaskStatusUpdateEvent = Omit<codec.TaskStatusUpdateEvent, 'generation'>;
export type TaskArtifactUpdateEvent = Omit<codec.TaskArtifactUpdateEvent, 'generation'>;
export type SendMessageRequest = Omit<codec.SendMessageRequest, 'configuration'> & { configuration?: SendMessageConfiguration | undefined; };
const SendMessageRequest = codec.SendMessageRequest;
export type GetTaskRequest = Omit<codec.GetTaskRequest, 'currentGeneration'>;
const GetTaskRequest = codec.GetTaskRequest;
export type ListTasksResponse = Omit<codec.ListTasksResponse, 'tasks'> & { tasks?: Task[] | undefined; };
const ListTasksResponse = codec.ListTasksResponse;
export type SendMessageResponse = Omit<codec.SendMessageResponse, 'task'> & { task?: Task | undefined; };
const SendMessageResponse = codec.SendMessageResponse;
export type StreamResponse = Omit<codec.StreamResponse, 'task' | 'statusUpdate' | 'artifactUpdate'> & { task?: Task | undefined; statusUpdate?: TaskStatusUpdateEvent | undefined; artifactUpdate?: TaskArtifactUpdateEvent | undefined; };
const StreamResponse = codec.StreamResponse;

export type A2AServiceService = typeof A2AServiceService;
export const A2AServiceService = {
  /** Sends a message and waits for the outcome, unless told otherwise. */
  sendMessage: {
    path: "/lf.a2a.v1.A2AService/SendMessage" as const,
    requestStream: false as const,
    responseStream: false as const,
    requestSerialize: (value: SendMessageRequest): Buffer => Buffer.from(SendMessageRequest.encode(value).finish()),
    requestDeserialize: (value: Buffer): SendMessageRequest => SendMessageRequest.decode(value),
    responseSerialize: (value: SendMessageResponse): Buffer => Buffer.from(SendMessageResponse.encode(value).finish()),
    responseDeserialize: (value: Buffer): SendMessageResponse => SendMessageResponse.decode(value),
  },
  /** Sends a message and streams what happens from there on. */
  sendStreamingMessage: {
    path: "/lf.a2a.v1.A2AService/SendStreamingMessage" as const,
    requestStream: false as const,
    responseStream: true as const,
    requestSerialize: (value: SendMessageRequest): Buffer => Buffer.from(SendMessageRequest.encode(value).finish()),
    requestDeserialize: (value: Buffer): SendMessageRequest => SendMessageRequest.decode(value),
    responseSerialize: (value: StreamResponse): Buffer => Buffer.from(StreamResponse.encode(value).finish()),
    responseDeserialize: (value: Buffer): StreamResponse => StreamResponse.decode(value),
  },
  /** Returns one task. */
  getTask: {
    path: "/lf.a2a.v1.A2AService/GetTask" as const,
    requestStream: false as const,
    responseStream: false as const,
    requestSerialize: (value: GetTaskRequest): Buffer => Buffer.from(GetTaskRequest.encode(value).finish()),
    requestDeserialize: (value: Buffer): GetTaskRequest => GetTaskRequest.decode(value),
    responseSerialize: (value: Task): Buffer => Buffer.from(Task.encode(value).finish()),
    responseDeserialize: (value: Buffer): Task => Task.decode(value),
  },
  /** Returns the tasks that the caller may see, page by page. */
  listTasks: {
    path: "/lf.a2a.v1.A2AService/ListTasks" as const,
    requestStream: false as const,
    responseStream: false as const,
    requestSerialize: (value: ListTasksRequest): Buffer => Buffer.from(ListTasksRequest.encode(value).finish()),
    requestDeserialize: (value: Buffer): ListTasksRequest => ListTasksRequest.decode(value),
    responseSerialize: (value: ListTasksResponse): Buffer => Buffer.from(ListTasksResponse.encode(value).finish()),
    responseDeserialize: (value: Buffer): ListTasksResponse => ListTasksResponse.decode(value),
  },
  /** Asks the agent to stop working on a task, and returns the task. */
  cancelTask: {
    path: "/lf.a2a.v1.A2AService/CancelTask" as const,
    requestStream: false as const,
    responseStream: false as const,
    requestSerialize: (value: CancelTaskRequest): Buffer => Buffer.from(CancelTaskRequest.encode(value).finish()),
    requestDeserialize: (value: Buffer): CancelTaskRequest => CancelTaskRequest.decode(value),
    responseSerialize: (value: Task): Buffer => Buffer.from(Task.encode(value).finish()),
    responseDeserialize: (value: Buffer): Task => Task.decode(value),
  },
  /** Streams the events of a task that has not ended, the task itself first. */
  subscribeToTask: {
    path: "/lf.a2a.v1.A2AService/SubscribeToTask" as const,
    requestStream: false as const,
    responseStream: true as const,
    requestSerialize: (value: SubscribeToTaskRequest): Buffer =>
      Buffer.from(SubscribeToTaskRequest.encode(value).finish()),
    requestDeserialize: (value: Buffer): SubscribeToTaskRequest => SubscribeToTaskRequest.decode(value),
    responseSerialize: (value: StreamResponse): Buffer => Buffer.from(StreamResponse.encode(value).finish()),
    responseDeserialize: (value: Buffer): StreamResponse => StreamResponse.decode(value),
  },
  /** Registers a webhook for a task. */
  createTaskPushNotificationConfig: {
    path: "/lf.a2a.v1.A2AService/CreateTaskPushNotificationConfig" as const,
    requestStream: false as const,
    responseStream: false as const,
    requestSerialize: (value: TaskPushNotificationConfig): Buffer =>
      Buffer.from(TaskPushNotificationConfig.encode(value).finish()),
    requestDeserialize: (value: Buffer): TaskPushNotificationConfig => TaskPushNotificationConfig.decode(value),
    responseSerialize: (value: TaskPushNotificationConfig): Buffer =>
      Buffer.from(TaskPushNotificationConfig.encode(value).finish()),
    responseDeserialize: (value: Buffer): TaskPushNotificationConfig => TaskPushNotificationConfig.decode(value),
  },
  /** Returns one webhook registration of a task. */
  getTaskPushNotificationConfig: {
    path: "/lf.a2a.v1.A2AService/GetTaskPushNotificationConfig" as const,
    requestStream: false as const,
    responseStream: false as const,
    requestSerialize: (value: GetTaskPushNotificationConfigRequest): Buffer =>
      Buffer.from(GetTaskPushNotificationConfigRequest.encode(value).finish()),
    requestDeserialize: (value: Buffer): GetTaskPushNotificationConfigRequest =>
      GetTaskPushNotificationConfigRequest.decode(value),
    responseSerialize: (value: TaskPushNotificationConfig): Buffer =>
      Buffer.from(TaskPushNotificationConfig.encode(value).finish()),
    responseDeserialize: (value: Buffer): TaskPushNotificationConfig => TaskPushNotificationConfig.decode(value),
  },
  /** Returns the webhook registrations of a task. */
  listTaskPushNotificationConfigs: {
    path: "/lf.a2a.v1.A2AService/ListTaskPushNotificationConfigs" as const,
    requestStream: false as const,
    responseStream: false as const,
    requestSerialize: (value: ListTaskPushNotificationConfigsRequest): Buffer =>
      Buffer.from(ListTaskPushNotificationConfigsRequest.encode(value).finish()),
    requestDeserialize: (value: Buffer): ListTaskPushNotificationConfigsRequest =>
      ListTaskPushNotificationConfigsRequest.decode(value),
    responseSerialize: (value: ListTaskPushNotificationConfigsResponse): Buffer =>
      Buffer.from(ListTaskPushNotificationConfigsResponse.encode(value).finish()),
    responseDeserialize: (value: Buffer): ListTaskPushNotificationConfigsResponse =>
      ListTaskPushNotificationConfigsResponse.decode(value),
  },
  /** Returns the card that only authenticated callers see. */
  getExtendedAgentCard: {
    path: "/lf.a2a.v1.A2AService/GetExtendedAgentCard" as const,
    requestStream: false as const,
    responseStream: false as const,
    requestSerialize: (value: GetExtendedAgentCardRequest): Buffer =>
      Buffer.from(GetExtendedAgentCardRequest.encode(value).finish()),
    requestDeserialize: (value: Buffer): GetExtendedAgentCardRequest => GetExtendedAgentCardRequest.decode(value),
    responseSerialize: (value: AgentCard): Buffer => Buffer.from(AgentCard.encode(value).finish()),
    responseDeserialize: (value: Buffer): AgentCard => AgentCard.decode(value),
  },
  /** Removes a webhook registration from a task. */
  deleteTaskPushNotificationConfig: {
    path: "/lf.a2a.v1.A2AService/DeleteTaskPushNotificationConfig" as const,
    requestStream: false as const,
    responseStream: false as const,
    requestSerialize: (value: DeleteTaskPushNotificationConfigRequest): Buffer =>
      Buffer.from(DeleteTaskPushNotificationConfigRequest.encode(value).finish()),
    requestDeserialize: (value: Buffer): DeleteTaskPushNotificationConfigRequest =>
      DeleteTaskPushNotificationConfigRequest.decode(value),
    responseSerialize: (value: Empty): Buffer => Buffer.from(Empty.encode(value).finish()),
    responseDeserialize: (value: Buffer): Empty => Empty.decode(value),
  },
} as const;

export interface A2AServiceServer extends UntypedServiceImplementation {
  /** Sends a message and waits for the outcome, unless told otherwise. */
  sendMessage: handleUnaryCall<SendMessageRequest, SendMessageResponse>;
  /** Sends a message and streams what happens from there on. */
  sendStreamingMessage: handleServerStreamingCall<SendMessageRequest, StreamResponse>;
  /** Returns one task. */
  getTask: handleUnaryCall<GetTaskRequest, Task>;
  /** Returns the tasks that the caller may see, page by page. */
  listTasks: handleUnaryCall<ListTasksRequest, ListTasksResponse>;
  /** Asks the agent to stop working on a task, and returns the task. */
  cancelTask: handleUnaryCall<CancelTaskRequest, Task>;
  /** Streams the events of a task that has not ended, the task itself first. */
  subscribeToTask: handleServerStreamingCall<SubscribeToTaskRequest, StreamResponse>;
  /** Registers a webhook for a task. */
  createTaskPushNotificationConfig: handleUnaryCall<TaskPushNotificationConfig, TaskPushNotificationConfig>;
  /** Returns one webhook registration of a task. */
  getTaskPushNotificationConfig: handleUnaryCall<GetTaskPushNotificationConfigRequest, TaskPushNotificationConfig>;
  /** Returns the webhook registrations of a task. */
  listTaskPushNotificationConfigs: handleUnaryCall<
    ListTaskPushNotificationConfigsRequest,
    ListTaskPushNotificationConfigsResponse
  >;
  /** Returns the card that only authenticated callers see. */
  getExtendedAgentCard: handleUnaryCall<GetExtendedAgentCardRequest, AgentCard>;
  /** Removes a webhook registration from a task. */
  deleteTaskPushNotificationConfig: handleUnaryCall<DeleteTaskPushNotificationConfigRequest, Empty>;
}

export interface A2AServiceClient extends Client {
  /** Sends a message and waits for the outcome, unless told otherwise. */
  sendMessage(
    request: SendMessageRequest,
    callback: (error: ServiceError | null, response: SendMessageResponse) => void,
  ): ClientUnaryCall;
  sendMessage(
    request: SendMessageRequest,
    metadata: Metadata,
    callback: (error: ServiceError | null, response: SendMessageResponse) => void,
  ): ClientUnaryCall;
  sendMessage(
    request: SendMessageRequest,
    metadata: Metadata,
    options: Partial<CallOptions>,
    callback: (error: ServiceError | null, response: SendMessageResponse) => void,
  ): ClientUnaryCall;
  /** Sends a message and streams what happens from there on. */
  sendStreamingMessage(
    request: SendMessageRequest,
    options?: Partial<CallOptions>,
  ): ClientReadableStream<StreamResponse>;
  sendStreamingMessage(
    request: SendMessageRequest,
    metadata?: Metadata,
    options?: Partial<CallOptions>,
  ): ClientReadableStream<StreamResponse>;
  /** Returns one task. */
  getTask(request: GetTaskRequest, callback: (error: ServiceError | null, response: Task) => void): ClientUnaryCall;
  getTask(
    request: GetTaskRequest,
    metadata: Metadata,
    callback: (error: ServiceError | null, response: Task) => void,
  ): ClientUnaryCall;
  getTask(
    request: GetTaskRequest,
    metadata: Metadata,
    options: Partial<CallOptions>,
    callback: (error: ServiceError | null, response: Task) => void,
  ): ClientUnaryCall;
  /** Returns the tasks that the caller may see, page by page. */
  listTasks(
    request: ListTasksRequest,
    callback: (error: ServiceError | null, response: ListTasksResponse) => void,
  ): ClientUnaryCall;
  listTasks(
    request: ListTasksRequest,
    metadata: Metadata,
    callback: (error: ServiceError | null, response: ListTasksResponse) => void,
  ): ClientUnaryCall;
  listTasks(
    request: ListTasksRequest,
    metadata: Metadata,
    options: Partial<CallOptions>,
    callback: (error: ServiceError | null, response: ListTasksResponse) => void,
  ): ClientUnaryCall;
  /** Asks the agent to stop working on a task, and returns the task. */
  cancelTask(
    request: CancelTaskRequest,
    callback: (error: ServiceError | null, response: Task) => void,
  ): ClientUnaryCall;
  cancelTask(
    request: CancelTaskRequest,
    metadata: Metadata,
    callback: (error: ServiceError | null, response: Task) => void,
  ): ClientUnaryCall;
  cancelTask(
    request: CancelTaskRequest,
    metadata: Metadata,
    options: Partial<CallOptions>,
    callback: (error: ServiceError | null, response: Task) => void,
  ): ClientUnaryCall;
  /** Streams the events of a task that has not ended, the task itself first. */
  subscribeToTask(
    request: SubscribeToTaskRequest,
    options?: Partial<CallOptions>,
  ): ClientReadableStream<StreamResponse>;
  subscribeToTask(
    request: SubscribeToTaskRequest,
    metadata?: Metadata,
    options?: Partial<CallOptions>,
  ): ClientReadableStream<StreamResponse>;
  /** Registers a webhook for a task. */
  createTaskPushNotificationConfig(
    request: TaskPushNotificationConfig,
    callback: (error: ServiceError | null, response: TaskPushNotificationConfig) => void,
  ): ClientUnaryCall;
  createTaskPushNotificationConfig(
    request: TaskPushNotificationConfig,
    metadata: Metadata,
    callback: (error: ServiceError | null, response: TaskPushNotificationConfig) => void,
  ): ClientUnaryCall;
  createTaskPushNotificationConfig(
    request: TaskPushNotificationConfig,
    metadata: Metadata,
    options: Partial<CallOptions>,
    callback: (error: ServiceError | null, response: TaskPushNotificationConfig) => void,
  ): ClientUnaryCall;
  /** Returns one webhook registration of a task. */
  getTaskPushNotificationConfig(
    request: GetTaskPushNotificationConfigRequest,
    callback: (error: ServiceError | null, response: TaskPushNotificationConfig) => void,
  ): ClientUnaryCall;
  getTaskPushNotificationConfig(
    request: GetTaskPushNotificationConfigRequest,
    metadata: Metadata,
    callback: (error: ServiceError | null, response: TaskPushNotificationConfig) => void,
  ): ClientUnaryCall;
  getTaskPushNotificationConfig(
    request: GetTaskPushNotificationConfigRequest,
    metadata: Metadata,
    options: Partial<CallOptions>,
    callback: (error: ServiceError | null, response: TaskPushNotificationConfig) => void,
  ): ClientUnaryCall;
  /** Returns the webhook registrations of a task. */
  listTaskPushNotificationConfigs(
    request: ListTaskPushNotificationConfigsRequest,
    callback: (error: ServiceError | null, response: ListTaskPushNotificationConfigsResponse) => void,
  ): ClientUnaryCall;
  listTaskPushNotificationConfigs(
    request: ListTaskPushNotificationConfigsRequest,
    metadata: Metadata,
    callback: (error: ServiceError | null, response: ListTaskPushNotificationConfigsResponse) => void,
  ): ClientUnaryCall;
  listTaskPushNotificationConfigs(
    request: ListTaskPushNotificationConfigsRequest,
    metadata: Metadata,
    options: Partial<CallOptions>,
    callback: (error: ServiceError | null, response: ListTaskPushNotificationConfigsResponse) => void,
  ): ClientUnaryCall;
  /** Returns the card that only authenticated callers see. */
  getExtendedAgentCard(
    request: GetExtendedAgentCardRequest,
    callback: (error: ServiceError | null, response: AgentCard) => void,
  ): ClientUnaryCall;
  getExtendedAgentCard(
    request: GetExtendedAgentCardRequest,
    metadata: Metadata,
    callback: (error: ServiceError | null, response: AgentCard) => void,
  ): ClientUnaryCall;
  getExtendedAgentCard(
    request: GetExtendedAgentCardRequest,
    metadata: Metadata,
    options: Partial<CallOptions>,
    callback: (error: ServiceError | null, response: AgentCard) => void,
  ): ClientUnaryCall;
  /** Removes a webhook registration from a task. */
  deleteTaskPushNotificationConfig(
    request: DeleteTaskPushNotificationConfigRequest,
    callback: (error: ServiceError | null, response: Empty) => void,
  ): ClientUnaryCall;
  deleteTaskPushNotificationConfig(
    request: DeleteTaskPushNotificationConfigRequest,
    metadata: Metadata,
    callback: (error: ServiceError | null, response: Empty) => void,
  ): ClientUnaryCall;
  deleteTaskPushNotificationConfig(
    request: DeleteTaskPushNotificationConfigRequest,
    metadata: Metadata,
    options: Partial<CallOptions>,
    callback: (error: ServiceError | null, response: Empty) => void,
  ): ClientUnaryCall;
}

export const A2AServiceClient = makeGenericClientConstructor(A2AServiceService, "lf.a2a.v1.A2AService") as unknown as {
  new (address: string, credentials: ChannelCredentials, options?: Partial<ClientOptions>): A2AServiceClient;
  service: typeof A2AServiceService;
  serviceName: string;
};
