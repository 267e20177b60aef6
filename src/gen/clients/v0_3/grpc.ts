// Generated from proto/a2a/v1/a2a.proto by ts-proto by `npm run generate`. Do not edit.

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
import {
  AgentCard,
  CancelTaskRequest,
  CreateTaskPushNotificationConfigRequest,
  DeleteTaskPushNotificationConfigRequest,
  GetAgentCardRequest,
  GetTaskPushNotificationConfigRequest,
  GetTaskRequest,
  ListTaskPushNotificationConfigRequest,
  ListTaskPushNotificationConfigResponse,
  SendMessageRequest,
  SendMessageResponse,
  StreamResponse,
  Task,
  TaskPushNotificationConfig,
  TaskSubscriptionRequest,
} from '../../proto/a2a/v1/a2a.ts';

export type * from '../../proto/a2a/v1/a2a.ts';

export type A2AServiceService = typeof A2AServiceService;
export const A2AServiceService = {
  /** Sends a message and waits for the outcome, unless told otherwise. */
  sendMessage: {
    path: "/a2a.v1.A2AService/SendMessage" as const,
    requestStream: false as const,
    responseStream: false as const,
    requestSerialize: (value: SendMessageRequest): Buffer => Buffer.from(SendMessageRequest.encode(value).finish()),
    requestDeserialize: (value: Buffer): SendMessageRequest => SendMessageRequest.decode(value),
    responseSerialize: (value: SendMessageResponse): Buffer => Buffer.from(SendMessageResponse.encode(value).finish()),
    responseDeserialize: (value: Buffer): SendMessageResponse => SendMessageResponse.decode(value),
  },
  /** Sends a message and streams what happens from there on. */
  sendStreamingMessage: {
    path: "/a2a.v1.A2AService/SendStreamingMessage" as const,
    requestStream: false as const,
    responseStream: true as const,
    requestSerialize: (value: SendMessageRequest): Buffer => Buffer.from(SendMessageRequest.encode(value).finish()),
    requestDeserialize: (value: Buffer): SendMessageRequest => SendMessageRequest.decode(value),
    responseSerialize: (value: StreamResponse): Buffer => Buffer.from(StreamResponse.encode(value).finish()),
    responseDeserialize: (value: Buffer): StreamResponse => StreamResponse.decode(value),
  },
  /** Returns one task. */
  getTask: {
    path: "/a2a.v1.A2AService/GetTask" as const,
    requestStream: false as const,
    responseStream: false as const,
    requestSerialize: (value: GetTaskRequest): Buffer => Buffer.from(GetTaskRequest.encode(value).finish()),
    requestDeserialize: (value: Buffer): GetTaskRequest => GetTaskRequest.decode(value),
    responseSerialize: (value: Task): Buffer => Buffer.from(Task.encode(value).finish()),
    responseDeserialize: (value: Buffer): Task => Task.decode(value),
  },
  /** Asks the agent to stop working on a task, and returns the task. */
  cancelTask: {
    path: "/a2a.v1.A2AService/CancelTask" as const,
    requestStream: false as const,
    responseStream: false as const,
    requestSerialize: (value: CancelTaskRequest): Buffer => Buffer.from(CancelTaskRequest.encode(value).finish()),
    requestDeserialize: (value: Buffer): CancelTaskRequest => CancelTaskRequest.decode(value),
    responseSerialize: (value: Task): Buffer => Buffer.from(Task.encode(value).finish()),
    responseDeserialize: (value: Buffer): Task => Task.decode(value),
  },
  /** Streams the events of a task that has not ended, the task itself first. */
  taskSubscription: {
    path: "/a2a.v1.A2AService/TaskSubscription" as const,
    requestStream: false as const,
    responseStream: true as const,
    requestSerialize: (value: TaskSubscriptionRequest): Buffer =>
      Buffer.from(TaskSubscriptionRequest.encode(value).finish()),
    requestDeserialize: (value: Buffer): TaskSubscriptionRequest => TaskSubscriptionRequest.decode(value),
    responseSerialize: (value: StreamResponse): Buffer => Buffer.from(StreamResponse.encode(value).finish()),
    responseDeserialize: (value: Buffer): StreamResponse => StreamResponse.decode(value),
  },
  /** Registers a webhook for a task. */
  createTaskPushNotificationConfig: {
    path: "/a2a.v1.A2AService/CreateTaskPushNotificationConfig" as const,
    requestStream: false as const,
    responseStream: false as const,
    requestSerialize: (value: CreateTaskPushNotificationConfigRequest): Buffer =>
      Buffer.from(CreateTaskPushNotificationConfigRequest.encode(value).finish()),
    requestDeserialize: (value: Buffer): CreateTaskPushNotificationConfigRequest =>
      CreateTaskPushNotificationConfigRequest.decode(value),
    responseSerialize: (value: TaskPushNotificationConfig): Buffer =>
      Buffer.from(TaskPushNotificationConfig.encode(value).finish()),
    responseDeserialize: (value: Buffer): TaskPushNotificationConfig => TaskPushNotificationConfig.decode(value),
  },
  /** Returns one webhook registration of a task. */
  getTaskPushNotificationConfig: {
    path: "/a2a.v1.A2AService/GetTaskPushNotificationConfig" as const,
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
  listTaskPushNotificationConfig: {
    path: "/a2a.v1.A2AService/ListTaskPushNotificationConfig" as const,
    requestStream: false as const,
    responseStream: false as const,
    requestSerialize: (value: ListTaskPushNotificationConfigRequest): Buffer =>
      Buffer.from(ListTaskPushNotificationConfigRequest.encode(value).finish()),
    requestDeserialize: (value: Buffer): ListTaskPushNotificationConfigRequest =>
      ListTaskPushNotificationConfigRequest.decode(value),
    responseSerialize: (value: ListTaskPushNotificationConfigResponse): Buffer =>
      Buffer.from(ListTaskPushNotificationConfigResponse.encode(value).finish()),
    responseDeserialize: (value: Buffer): ListTaskPushNotificationConfigResponse =>
      ListTaskPushNotificationConfigResponse.decode(value),
  },
  /** Returns the agent's card. */
  getAgentCard: {
    path: "/a2a.v1.A2AService/GetAgentCard" as const,
    requestStream: false as const,
    responseStream: false as const,
    requestSerialize: (value: GetAgentCardRequest): Buffer => Buffer.from(GetAgentCardRequest.encode(value).finish()),
    requestDeserialize: (value: Buffer): GetAgentCardRequest => GetAgentCardRequest.decode(value),
    responseSerialize: (value: AgentCard): Buffer => Buffer.from(AgentCard.encode(value).finish()),
    responseDeserialize: (value: Buffer): AgentCard => AgentCard.decode(value),
  },
  /** Removes a webhook registration from a task. */
  deleteTaskPushNotificationConfig: {
    path: "/a2a.v1.A2AService/DeleteTaskPushNotificationConfig" as const,
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
  /** Asks the agent to stop working on a task, and returns the task. */
  cancelTask: handleUnaryCall<CancelTaskRequest, Task>;
  /** Streams the events of a task that has not ended, the task itself first. */
  taskSubscription: handleServerStreamingCall<TaskSubscriptionRequest, StreamResponse>;
  /** Registers a webhook for a task. */
  createTaskPushNotificationConfig: handleUnaryCall<
    CreateTaskPushNotificationConfigRequest,
    TaskPushNotificationConfig
  >;
  /** Returns one webhook registration of a task. */
  getTaskPushNotificationConfig: handleUnaryCall<GetTaskPushNotificationConfigRequest, TaskPushNotificationConfig>;
  /** Returns the webhook registrations of a task. */
  listTaskPushNotificationConfig: handleUnaryCall<
    ListTaskPushNotificationConfigRequest,
    ListTaskPushNotificationConfigResponse
  >;
  /** Returns the agent's card. */
  getAgentCard: handleUnaryCall<GetAgentCardRequest, AgentCard>;
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
  taskSubscription(
    request: TaskSubscriptionRequest,
    options?: Partial<CallOptions>,
  ): ClientReadableStream<StreamResponse>;
  taskSubscription(
    request: TaskSubscriptionRequest,
    metadata?: Metadata,
    options?: Partial<CallOptions>,
  ): ClientReadableStream<StreamResponse>;
  /** Registers a webhook for a task. */
  createTaskPushNotificationConfig(
    request: CreateTaskPushNotificationConfigRequest,
    callback: (error: ServiceError | null, response: TaskPushNotificationConfig) => void,
  ): ClientUnaryCall;
  createTaskPushNotificationConfig(
    request: CreateTaskPushNotificationConfigRequest,
    metadata: Metadata,
    callback: (error: ServiceError | null, response: TaskPushNotificationConfig) => void,
  ): ClientUnaryCall;
  createTaskPushNotificationConfig(
    request: CreateTaskPushNotificationConfigRequest,
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
  listTaskPushNotificationConfig(
    request: ListTaskPushNotificationConfigRequest,
    callback: (error: ServiceError | null, response: ListTaskPushNotificationConfigResponse) => void,
  ): ClientUnaryCall;
  listTaskPushNotificationConfig(
    request: ListTaskPushNotificationConfigRequest,
    metadata: Metadata,
    callback: (error: ServiceError | null, response: ListTaskPushNotificationConfigResponse) => void,
  ): ClientUnaryCall;
  listTaskPushNotificationConfig(
    request: ListTaskPushNotificationConfigRequest,
    metadata: Metadata,
    options: Partial<CallOptions>,
    callback: (error: ServiceError | null, response: ListTaskPushNotificationConfigResponse) => void,
  ): ClientUnaryCall;
  /** Returns the agent's card. */
  getAgentCard(
    request: GetAgentCardRequest,
    callback: (error: ServiceError | null, response: AgentCard) => void,
  ): ClientUnaryCall;
  getAgentCard(
    request: GetAgentCardRequest,
    metadata: Metadata,
    callback: (error: ServiceError | null, response: AgentCard) => void,
  ): ClientUnaryCall;
  getAgentCard(
    request: GetAgentCardRequest,
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

export const A2AServiceClient = makeGenericClientConstructor(A2AServiceService, "a2a.v1.A2AService") as unknown as {
  new (address: string, credentials: ChannelCredentials, options?: Partial<ClientOptions>): A2AServiceClient;
  service: typeof A2AServiceService;
  serviceName: string;
};
