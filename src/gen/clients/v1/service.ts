// Generated from proto/a2a-1.0/lf/a2a/v1/a2a.proto by `npm run generate`. Do not edit.

import type * as messages from './grpc.ts';

export { fields } from '../../a2a-1.1/fields.ts';

/** Requests and responses of the rpcs of `lf.a2a.v1.A2AService`. */
export interface Rpcs {
  /** Sends a message and waits for the outcome, unless told otherwise. */
  sendMessage: { request: messages.SendMessageRequest; response: messages.SendMessageResponse; streaming: false };
  /** Sends a message and streams what happens from there on. */
  sendStreamingMessage: { request: messages.SendMessageRequest; response: messages.StreamResponse; streaming: true };
  /** Returns one task. */
  getTask: { request: messages.GetTaskRequest; response: messages.Task; streaming: false };
  /** Returns the tasks that the caller may see, page by page. */
  listTasks: { request: messages.ListTasksRequest; response: messages.ListTasksResponse; streaming: false };
  /** Asks the agent to stop working on a task, and returns the task. */
  cancelTask: { request: messages.CancelTaskRequest; response: messages.Task; streaming: false };
  /** Streams the events of a task that has not ended, the task itself first. */
  subscribeToTask: { request: messages.SubscribeToTaskRequest; response: messages.StreamResponse; streaming: true };
  /** Registers a webhook for a task. */
  createTaskPushNotificationConfig: { request: messages.TaskPushNotificationConfig; response: messages.TaskPushNotificationConfig; streaming: false };
  /** Returns one webhook registration of a task. */
  getTaskPushNotificationConfig: { request: messages.GetTaskPushNotificationConfigRequest; response: messages.TaskPushNotificationConfig; streaming: false };
  /** Returns the webhook registrations of a task. */
  listTaskPushNotificationConfigs: { request: messages.ListTaskPushNotificationConfigsRequest; response: messages.ListTaskPushNotificationConfigsResponse; streaming: false };
  /** Returns the card that only authenticated callers see. */
  getExtendedAgentCard: { request: messages.GetExtendedAgentCardRequest; response: messages.AgentCard; streaming: false };
  /** Removes a webhook registration from a task. */
  deleteTaskPushNotificationConfig: { request: messages.DeleteTaskPushNotificationConfigRequest; response: object; streaming: false };
}

/** The rpcs of `lf.a2a.v1.A2AService`. */
export const rpcs = [
  { name: 'sendMessage', path: '/lf.a2a.v1.A2AService/SendMessage', request: 'lf.a2a.v1.SendMessageRequest', response: 'lf.a2a.v1.SendMessageResponse', streaming: false },
  { name: 'sendStreamingMessage', path: '/lf.a2a.v1.A2AService/SendStreamingMessage', request: 'lf.a2a.v1.SendMessageRequest', response: 'lf.a2a.v1.StreamResponse', streaming: true },
  { name: 'getTask', path: '/lf.a2a.v1.A2AService/GetTask', request: 'lf.a2a.v1.GetTaskRequest', response: 'lf.a2a.v1.Task', streaming: false },
  { name: 'listTasks', path: '/lf.a2a.v1.A2AService/ListTasks', request: 'lf.a2a.v1.ListTasksRequest', response: 'lf.a2a.v1.ListTasksResponse', streaming: false },
  { name: 'cancelTask', path: '/lf.a2a.v1.A2AService/CancelTask', request: 'lf.a2a.v1.CancelTaskRequest', response: 'lf.a2a.v1.Task', streaming: false },
  { name: 'subscribeToTask', path: '/lf.a2a.v1.A2AService/SubscribeToTask', request: 'lf.a2a.v1.SubscribeToTaskRequest', response: 'lf.a2a.v1.StreamResponse', streaming: true },
  { name: 'createTaskPushNotificationConfig', path: '/lf.a2a.v1.A2AService/CreateTaskPushNotificationConfig', request: 'lf.a2a.v1.TaskPushNotificationConfig', response: 'lf.a2a.v1.TaskPushNotificationConfig', streaming: false },
  { name: 'getTaskPushNotificationConfig', path: '/lf.a2a.v1.A2AService/GetTaskPushNotificationConfig', request: 'lf.a2a.v1.GetTaskPushNotificationConfigRequest', response: 'lf.a2a.v1.TaskPushNotificationConfig', streaming: false },
  { name: 'listTaskPushNotificationConfigs', path: '/lf.a2a.v1.A2AService/ListTaskPushNotificationConfigs', request: 'lf.a2a.v1.ListTaskPushNotificationConfigsRequest', response: 'lf.a2a.v1.ListTaskPushNotificationConfigsResponse', streaming: false },
  { name: 'getExtendedAgentCard', path: '/lf.a2a.v1.A2AService/GetExtendedAgentCard', request: 'lf.a2a.v1.GetExtendedAgentCardRequest', response: 'lf.a2a.v1.AgentCard', streaming: false },
  { name: 'deleteTaskPushNotificationConfig', path: '/lf.a2a.v1.A2AService/DeleteTaskPushNotificationConfig', request: 'lf.a2a.v1.DeleteTaskPushNotificationConfigRequest', response: 'google.protobuf.Empty', streaming: false },
] as const;
