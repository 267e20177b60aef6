import type { JsonRpcMethod } from './operations-file.ts';

/** The methods of JSON-RPC in A2A 0.3, by the rpcs of its proto, with the types of its JSON form. */
export const methods: readonly JsonRpcMethod[] = [
  { rpc: 'SendMessage', method: 'message/send', params: 'MessageSendParams', result: 'Task | Message' },
  {
    rpc: 'SendStreamingMessage',
    method: 'message/stream',
    params: 'MessageSendParams',
    result: 'Task | Message | TaskStatusUpdateEvent | TaskArtifactUpdateEvent',
  },
  { rpc: 'GetTask', method: 'tasks/get', params: 'TaskQueryParams', result: 'Task' },
  { rpc: 'CancelTask', method: 'tasks/cancel', params: 'TaskIdParams', result: 'Task' },
  {
    rpc: 'TaskSubscription',
    method: 'tasks/resubscribe',
    params: 'TaskIdParams',
    result: 'Task | Message | TaskStatusUpdateEvent | TaskArtifactUpdateEvent',
  },
  {
    rpc: 'CreateTaskPushNotificationConfig',
    method: 'tasks/pushNotificationConfig/set',
    params: 'TaskPushNotificationConfig',
    result: 'TaskPushNotificationConfig',
  },
  {
    rpc: 'GetTaskPushNotificationConfig',
    method: 'tasks/pushNotificationConfig/get',
    params: 'TaskPushNotificationConfigParams',
    result: 'TaskPushNotificationConfig',
  },
  {
    rpc: 'ListTaskPushNotificationConfig',
    method: 'tasks/pushNotificationConfig/list',
    params: 'TaskIdParams',
    result: 'TaskPushNotificationConfigs',
  },
  {
    rpc: 'DeleteTaskPushNotificationConfig',
    method: 'tasks/pushNotificationConfig/delete',
    params: 'TaskPushNotificationConfigParams',
    result: 'null',
  },
  { rpc: 'GetAgentCard', method: 'agent/getAuthenticatedExtendedCard', params: 'undefined', result: 'AgentCard' },
];
