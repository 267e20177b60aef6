// Generated from proto/a2a/v1/a2a.proto and codegen/overlay.ts by `npm run generate`. Do not edit.

import type { Operation } from '../operations.ts';
import type {
  AgentCard,
  CancelTaskRequest,
  CreateTaskPushNotificationConfigRequest,
  DeleteTaskPushNotificationConfigRequest,
  Empty,
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
} from './types.ts';

/** The operations of `a2a.v1.A2AService`, in the proto's order. */
export const operations = [
  {
    name: 'SendMessage',
    service: 'a2a.v1.A2AService',
    rpc: 'SendMessage',
    grpcPath: '/a2a.v1.A2AService/SendMessage',
    request: 'a2a.v1.SendMessageRequest',
    response: 'a2a.v1.SendMessageResponse',
    streaming: false,
    http: [
      { verb: 'POST', path: '/v1/message:send', body: '*' },
    ],
  },
  {
    name: 'SendStreamingMessage',
    service: 'a2a.v1.A2AService',
    rpc: 'SendStreamingMessage',
    grpcPath: '/a2a.v1.A2AService/SendStreamingMessage',
    request: 'a2a.v1.SendMessageRequest',
    response: 'a2a.v1.StreamResponse',
    streaming: true,
    http: [
      { verb: 'POST', path: '/v1/message:stream', body: '*' },
    ],
  },
  {
    name: 'GetTask',
    service: 'a2a.v1.A2AService',
    rpc: 'GetTask',
    grpcPath: '/a2a.v1.A2AService/GetTask',
    request: 'a2a.v1.GetTaskRequest',
    response: 'a2a.v1.Task',
    streaming: false,
    http: [
      { verb: 'GET', path: '/v1/{name=tasks/*}' },
    ],
  },
  {
    name: 'CancelTask',
    service: 'a2a.v1.A2AService',
    rpc: 'CancelTask',
    grpcPath: '/a2a.v1.A2AService/CancelTask',
    request: 'a2a.v1.CancelTaskRequest',
    response: 'a2a.v1.Task',
    streaming: false,
    http: [
      { verb: 'POST', path: '/v1/{name=tasks/*}:cancel', body: '*' },
    ],
  },
  {
    name: 'TaskSubscription',
    service: 'a2a.v1.A2AService',
    rpc: 'TaskSubscription',
    grpcPath: '/a2a.v1.A2AService/TaskSubscription',
    request: 'a2a.v1.TaskSubscriptionRequest',
    response: 'a2a.v1.StreamResponse',
    streaming: true,
    http: [
      { verb: 'GET', path: '/v1/{name=tasks/*}:subscribe' },
      { verb: 'POST', path: '/v1/{name=tasks/*}:subscribe', body: '*' },
    ],
  },
  {
    name: 'CreateTaskPushNotificationConfig',
    service: 'a2a.v1.A2AService',
    rpc: 'CreateTaskPushNotificationConfig',
    grpcPath: '/a2a.v1.A2AService/CreateTaskPushNotificationConfig',
    request: 'a2a.v1.CreateTaskPushNotificationConfigRequest',
    response: 'a2a.v1.TaskPushNotificationConfig',
    streaming: false,
    http: [
      { verb: 'POST', path: '/v1/{parent=tasks/*}/pushNotificationConfigs', body: 'config' },
    ],
  },
  {
    name: 'GetTaskPushNotificationConfig',
    service: 'a2a.v1.A2AService',
    rpc: 'GetTaskPushNotificationConfig',
    grpcPath: '/a2a.v1.A2AService/GetTaskPushNotificationConfig',
    request: 'a2a.v1.GetTaskPushNotificationConfigRequest',
    response: 'a2a.v1.TaskPushNotificationConfig',
    streaming: false,
    http: [
      { verb: 'GET', path: '/v1/{name=tasks/*/pushNotificationConfigs/*}' },
    ],
  },
  {
    name: 'ListTaskPushNotificationConfig',
    service: 'a2a.v1.A2AService',
    rpc: 'ListTaskPushNotificationConfig',
    grpcPath: '/a2a.v1.A2AService/ListTaskPushNotificationConfig',
    request: 'a2a.v1.ListTaskPushNotificationConfigRequest',
    response: 'a2a.v1.ListTaskPushNotificationConfigResponse',
    streaming: false,
    http: [
      { verb: 'GET', path: '/v1/{parent=tasks/*}/pushNotificationConfigs' },
    ],
  },
  {
    name: 'GetAgentCard',
    service: 'a2a.v1.A2AService',
    rpc: 'GetAgentCard',
    grpcPath: '/a2a.v1.A2AService/GetAgentCard',
    request: 'a2a.v1.GetAgentCardRequest',
    response: 'a2a.v1.AgentCard',
    streaming: false,
    http: [
      { verb: 'GET', path: '/v1/card' },
    ],
  },
  {
    name: 'DeleteTaskPushNotificationConfig',
    service: 'a2a.v1.A2AService',
    rpc: 'DeleteTaskPushNotificationConfig',
    grpcPath: '/a2a.v1.A2AService/DeleteTaskPushNotificationConfig',
    request: 'a2a.v1.DeleteTaskPushNotificationConfigRequest',
    response: 'google.protobuf.Empty',
    streaming: false,
    http: [
      { verb: 'DELETE', path: '/v1/{name=tasks/*/pushNotificationConfigs/*}' },
    ],
  },
] as const satisfies readonly Operation[];

/** Name of an operation. */
export type OperationName = (typeof operations)[number]['name'];

/** Request and response types by operation. For a streaming operation, `response` is the type of its events. */
export interface OperationTypes {
  SendMessage: { request: SendMessageRequest; response: SendMessageResponse; streaming: false };
  SendStreamingMessage: { request: SendMessageRequest; response: StreamResponse; streaming: true };
  GetTask: { request: GetTaskRequest; response: Task; streaming: false };
  CancelTask: { request: CancelTaskRequest; response: Task; streaming: false };
  TaskSubscription: { request: TaskSubscriptionRequest; response: StreamResponse; streaming: true };
  CreateTaskPushNotificationConfig: { request: CreateTaskPushNotificationConfigRequest; response: TaskPushNotificationConfig; streaming: false };
  GetTaskPushNotificationConfig: { request: GetTaskPushNotificationConfigRequest; response: TaskPushNotificationConfig; streaming: false };
  ListTaskPushNotificationConfig: { request: ListTaskPushNotificationConfigRequest; response: ListTaskPushNotificationConfigResponse; streaming: false };
  GetAgentCard: { request: GetAgentCardRequest; response: AgentCard; streaming: false };
  DeleteTaskPushNotificationConfig: { request: DeleteTaskPushNotificationConfigRequest; response: Empty; streaming: false };
}

/** The request type of an operation. */
export type RequestOf<K extends OperationName> = OperationTypes[K]['request'];

/** The response type of an operation; for a streaming operation, the type of its events. */
export type ResponseOf<K extends OperationName> = OperationTypes[K]['response'];
