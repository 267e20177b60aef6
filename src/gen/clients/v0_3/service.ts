// Generated from proto/a2a/v1/a2a.proto by `npm run generate`. Do not edit.

import type * as messages from './grpc.ts';

export { fields } from '../../a2a-v0_3/fields.ts';

/** Requests and responses of the rpcs of `a2a.v1.A2AService`. */
export interface Rpcs {
  /** Sends a message and waits for the outcome, unless told otherwise. */
  sendMessage: { request: messages.SendMessageRequest; response: messages.SendMessageResponse; streaming: false };
  /** Sends a message and streams what happens from there on. */
  sendStreamingMessage: { request: messages.SendMessageRequest; response: messages.StreamResponse; streaming: true };
  /** Returns one task. */
  getTask: { request: messages.GetTaskRequest; response: messages.Task; streaming: false };
  /** Asks the agent to stop working on a task, and returns the task. */
  cancelTask: { request: messages.CancelTaskRequest; response: messages.Task; streaming: false };
  /** Streams the events of a task that has not ended, the task itself first. */
  taskSubscription: { request: messages.TaskSubscriptionRequest; response: messages.StreamResponse; streaming: true };
  /** Registers a webhook for a task. */
  createTaskPushNotificationConfig: { request: messages.CreateTaskPushNotificationConfigRequest; response: messages.TaskPushNotificationConfig; streaming: false };
  /** Returns one webhook registration of a task. */
  getTaskPushNotificationConfig: { request: messages.GetTaskPushNotificationConfigRequest; response: messages.TaskPushNotificationConfig; streaming: false };
  /** Returns the webhook registrations of a task. */
  listTaskPushNotificationConfig: { request: messages.ListTaskPushNotificationConfigRequest; response: messages.ListTaskPushNotificationConfigResponse; streaming: false };
  /** Returns the agent's card. */
  getAgentCard: { request: messages.GetAgentCardRequest; response: messages.AgentCard; streaming: false };
  /** Removes a webhook registration from a task. */
  deleteTaskPushNotificationConfig: { request: messages.DeleteTaskPushNotificationConfigRequest; response: object; streaming: false };
}

/** The rpcs of `a2a.v1.A2AService`. */
export const rpcs = [
  { name: 'sendMessage', path: '/a2a.v1.A2AService/SendMessage', request: 'a2a.v1.SendMessageRequest', response: 'a2a.v1.SendMessageResponse', streaming: false },
  { name: 'sendStreamingMessage', path: '/a2a.v1.A2AService/SendStreamingMessage', request: 'a2a.v1.SendMessageRequest', response: 'a2a.v1.StreamResponse', streaming: true },
  { name: 'getTask', path: '/a2a.v1.A2AService/GetTask', request: 'a2a.v1.GetTaskRequest', response: 'a2a.v1.Task', streaming: false },
  { name: 'cancelTask', path: '/a2a.v1.A2AService/CancelTask', request: 'a2a.v1.CancelTaskRequest', response: 'a2a.v1.Task', streaming: false },
  { name: 'taskSubscription', path: '/a2a.v1.A2AService/TaskSubscription', request: 'a2a.v1.TaskSubscriptionRequest', response: 'a2a.v1.StreamResponse', streaming: true },
  { name: 'createTaskPushNotificationConfig', path: '/a2a.v1.A2AService/CreateTaskPushNotificationConfig', request: 'a2a.v1.CreateTaskPushNotificationConfigRequest', response: 'a2a.v1.TaskPushNotificationConfig', streaming: false },
  { name: 'getTaskPushNotificationConfig', path: '/a2a.v1.A2AService/GetTaskPushNotificationConfig', request: 'a2a.v1.GetTaskPushNotificationConfigRequest', response: 'a2a.v1.TaskPushNotificationConfig', streaming: false },
  { name: 'listTaskPushNotificationConfig', path: '/a2a.v1.A2AService/ListTaskPushNotificationConfig', request: 'a2a.v1.ListTaskPushNotificationConfigRequest', response: 'a2a.v1.ListTaskPushNotificationConfigResponse', streaming: false },
  { name: 'getAgentCard', path: '/a2a.v1.A2AService/GetAgentCard', request: 'a2a.v1.GetAgentCardRequest', response: 'a2a.v1.AgentCard', streaming: false },
  { name: 'deleteTaskPushNotificationConfig', path: '/a2a.v1.A2AService/DeleteTaskPushNotificationConfig', request: 'a2a.v1.DeleteTaskPushNotificationConfigRequest', response: 'google.protobuf.Empty', streaming: false },
] as const;
