import { methodNames } from '../../src/dialects/a2a-0.3/names.ts';
import type { JsonRpcMethod } from './operations-file.ts';

/** The JSON-RPC methods of A2A 0.3, by rpc of its proto, with the types of its JSON form. */
export const methods: readonly JsonRpcMethod[] = [
  { rpc: 'SendMessage', method: methodNames.SendMessage, params: 'MessageSendParams', result: 'Task | Message' },
  {
    rpc: 'SendStreamingMessage',
    method: methodNames.SendStreamingMessage,
    params: 'MessageSendParams',
    result: 'Task | Message | TaskStatusUpdateEvent | TaskArtifactUpdateEvent',
  },
  { rpc: 'GetTask', method: methodNames.GetTask, params: 'TaskQueryParams', result: 'Task' },
  { rpc: 'CancelTask', method: methodNames.CancelTask, params: 'TaskIdParams', result: 'Task' },
  {
    rpc: 'TaskSubscription',
    method: methodNames.SubscribeToTask,
    params: 'TaskIdParams',
    result: 'Task | Message | TaskStatusUpdateEvent | TaskArtifactUpdateEvent',
  },
  {
    rpc: 'CreateTaskPushNotificationConfig',
    method: methodNames.CreateTaskPushNotificationConfig,
    params: 'TaskPushNotificationConfig',
    result: 'TaskPushNotificationConfig',
  },
  {
    rpc: 'GetTaskPushNotificationConfig',
    method: methodNames.GetTaskPushNotificationConfig,
    params: 'TaskPushNotificationConfigParams',
    result: 'TaskPushNotificationConfig',
  },
  {
    rpc: 'ListTaskPushNotificationConfig',
    method: methodNames.ListTaskPushNotificationConfigs,
    params: 'TaskIdParams',
    result: 'TaskPushNotificationConfigs',
  },
  {
    rpc: 'DeleteTaskPushNotificationConfig',
    method: methodNames.DeleteTaskPushNotificationConfig,
    params: 'TaskPushNotificationConfigParams',
    result: 'null',
  },
  { rpc: 'GetAgentCard', method: methodNames.GetExtendedAgentCard, params: 'undefined', result: 'AgentCard' },
];
