// Generated from proto/a2a-1.1/lf/a2a/v1/a2a.proto and codegen/overlay.ts by `npm run generate`. Do not edit.

import type { Operation } from '../operations.ts';
import type {
  AgentCard,
  CancelTaskRequest,
  DeleteTaskPushNotificationConfigRequest,
  Empty,
  GetExtendedAgentCardRequest,
  GetTaskPushNotificationConfigRequest,
  GetTaskRequest,
  ListTaskPushNotificationConfigsRequest,
  ListTaskPushNotificationConfigsResponse,
  ListTasksRequest,
  ListTasksResponse,
  SendMessageRequest,
  SendMessageResponse,
  StreamResponse,
  SubscribeToTaskRequest,
  Task,
  TaskPushNotificationConfig,
} from './types.ts';

/** The operations of `lf.a2a.v1.A2AService`, in the proto's order. */
export const operations = [
  {
    name: 'SendMessage',
    service: 'lf.a2a.v1.A2AService',
    rpc: 'SendMessage',
    grpcPath: '/lf.a2a.v1.A2AService/SendMessage',
    request: 'lf.a2a.v1.SendMessageRequest',
    response: 'lf.a2a.v1.SendMessageResponse',
    streaming: false,
    createsTask: true,
    longLived: true,
    http: [
      { verb: 'POST', path: '/message:send', body: '*' },
      { verb: 'POST', path: '/{tenant}/message:send', body: '*' },
    ],
  },
  {
    name: 'SendStreamingMessage',
    service: 'lf.a2a.v1.A2AService',
    rpc: 'SendStreamingMessage',
    grpcPath: '/lf.a2a.v1.A2AService/SendStreamingMessage',
    request: 'lf.a2a.v1.SendMessageRequest',
    response: 'lf.a2a.v1.StreamResponse',
    streaming: true,
    createsTask: true,
    longLived: true,
    http: [
      { verb: 'POST', path: '/message:stream', body: '*' },
      { verb: 'POST', path: '/{tenant}/message:stream', body: '*' },
    ],
  },
  {
    name: 'GetTask',
    service: 'lf.a2a.v1.A2AService',
    rpc: 'GetTask',
    grpcPath: '/lf.a2a.v1.A2AService/GetTask',
    request: 'lf.a2a.v1.GetTaskRequest',
    response: 'lf.a2a.v1.Task',
    streaming: false,
    reads: true,
    http: [
      { verb: 'GET', path: '/tasks/{id=*}' },
      { verb: 'GET', path: '/{tenant}/tasks/{id=*}' },
    ],
  },
  {
    name: 'ListTasks',
    service: 'lf.a2a.v1.A2AService',
    rpc: 'ListTasks',
    grpcPath: '/lf.a2a.v1.A2AService/ListTasks',
    request: 'lf.a2a.v1.ListTasksRequest',
    response: 'lf.a2a.v1.ListTasksResponse',
    streaming: false,
    reads: true,
    http: [
      { verb: 'GET', path: '/tasks' },
      { verb: 'GET', path: '/{tenant}/tasks' },
    ],
  },
  {
    name: 'CancelTask',
    service: 'lf.a2a.v1.A2AService',
    rpc: 'CancelTask',
    grpcPath: '/lf.a2a.v1.A2AService/CancelTask',
    request: 'lf.a2a.v1.CancelTaskRequest',
    response: 'lf.a2a.v1.Task',
    streaming: false,
    http: [
      { verb: 'POST', path: '/tasks/{id=*}:cancel', body: '*' },
      { verb: 'POST', path: '/{tenant}/tasks/{id=*}:cancel', body: '*' },
    ],
  },
  {
    name: 'SubscribeToTask',
    service: 'lf.a2a.v1.A2AService',
    rpc: 'SubscribeToTask',
    grpcPath: '/lf.a2a.v1.A2AService/SubscribeToTask',
    request: 'lf.a2a.v1.SubscribeToTaskRequest',
    response: 'lf.a2a.v1.StreamResponse',
    streaming: true,
    reads: true,
    longLived: true,
    http: [
      { verb: 'GET', path: '/tasks/{id=*}:subscribe' },
      { verb: 'GET', path: '/{tenant}/tasks/{id=*}:subscribe' },
      { verb: 'POST', path: '/tasks/{id=*}:subscribe', body: '*' },
      { verb: 'POST', path: '/{tenant}/tasks/{id=*}:subscribe', body: '*' },
    ],
  },
  {
    name: 'CreateTaskPushNotificationConfig',
    service: 'lf.a2a.v1.A2AService',
    rpc: 'CreateTaskPushNotificationConfig',
    grpcPath: '/lf.a2a.v1.A2AService/CreateTaskPushNotificationConfig',
    request: 'lf.a2a.v1.TaskPushNotificationConfig',
    response: 'lf.a2a.v1.TaskPushNotificationConfig',
    streaming: false,
    http: [
      { verb: 'POST', path: '/tasks/{task_id=*}/pushNotificationConfigs', body: '*' },
      { verb: 'POST', path: '/{tenant}/tasks/{task_id=*}/pushNotificationConfigs', body: '*' },
    ],
  },
  {
    name: 'GetTaskPushNotificationConfig',
    service: 'lf.a2a.v1.A2AService',
    rpc: 'GetTaskPushNotificationConfig',
    grpcPath: '/lf.a2a.v1.A2AService/GetTaskPushNotificationConfig',
    request: 'lf.a2a.v1.GetTaskPushNotificationConfigRequest',
    response: 'lf.a2a.v1.TaskPushNotificationConfig',
    streaming: false,
    reads: true,
    http: [
      { verb: 'GET', path: '/tasks/{task_id=*}/pushNotificationConfigs/{id=*}' },
      { verb: 'GET', path: '/{tenant}/tasks/{task_id=*}/pushNotificationConfigs/{id=*}' },
    ],
  },
  {
    name: 'ListTaskPushNotificationConfigs',
    service: 'lf.a2a.v1.A2AService',
    rpc: 'ListTaskPushNotificationConfigs',
    grpcPath: '/lf.a2a.v1.A2AService/ListTaskPushNotificationConfigs',
    request: 'lf.a2a.v1.ListTaskPushNotificationConfigsRequest',
    response: 'lf.a2a.v1.ListTaskPushNotificationConfigsResponse',
    streaming: false,
    reads: true,
    http: [
      { verb: 'GET', path: '/tasks/{task_id=*}/pushNotificationConfigs' },
      { verb: 'GET', path: '/{tenant}/tasks/{task_id=*}/pushNotificationConfigs' },
    ],
  },
  {
    name: 'GetExtendedAgentCard',
    service: 'lf.a2a.v1.A2AService',
    rpc: 'GetExtendedAgentCard',
    grpcPath: '/lf.a2a.v1.A2AService/GetExtendedAgentCard',
    request: 'lf.a2a.v1.GetExtendedAgentCardRequest',
    response: 'lf.a2a.v1.AgentCard',
    streaming: false,
    reads: true,
    http: [
      { verb: 'GET', path: '/extendedAgentCard' },
      { verb: 'GET', path: '/{tenant}/extendedAgentCard' },
    ],
  },
  {
    name: 'DeleteTaskPushNotificationConfig',
    service: 'lf.a2a.v1.A2AService',
    rpc: 'DeleteTaskPushNotificationConfig',
    grpcPath: '/lf.a2a.v1.A2AService/DeleteTaskPushNotificationConfig',
    request: 'lf.a2a.v1.DeleteTaskPushNotificationConfigRequest',
    response: 'google.protobuf.Empty',
    streaming: false,
    http: [
      { verb: 'DELETE', path: '/tasks/{task_id=*}/pushNotificationConfigs/{id=*}' },
      { verb: 'DELETE', path: '/{tenant}/tasks/{task_id=*}/pushNotificationConfigs/{id=*}' },
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
  ListTasks: { request: ListTasksRequest; response: ListTasksResponse; streaming: false };
  CancelTask: { request: CancelTaskRequest; response: Task; streaming: false };
  SubscribeToTask: { request: SubscribeToTaskRequest; response: StreamResponse; streaming: true };
  CreateTaskPushNotificationConfig: { request: TaskPushNotificationConfig; response: TaskPushNotificationConfig; streaming: false };
  GetTaskPushNotificationConfig: { request: GetTaskPushNotificationConfigRequest; response: TaskPushNotificationConfig; streaming: false };
  ListTaskPushNotificationConfigs: { request: ListTaskPushNotificationConfigsRequest; response: ListTaskPushNotificationConfigsResponse; streaming: false };
  GetExtendedAgentCard: { request: GetExtendedAgentCardRequest; response: AgentCard; streaming: false };
  DeleteTaskPushNotificationConfig: { request: DeleteTaskPushNotificationConfigRequest; response: Empty; streaming: false };
}

/** The request type of an operation. */
export type RequestOf<K extends OperationName> = OperationTypes[K]['request'];

/** The response type of an operation; for a streaming operation, the type of its events. */
export type ResponseOf<K extends OperationName> = OperationTypes[K]['response'];
