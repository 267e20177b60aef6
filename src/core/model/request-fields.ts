/**
 * The fields of v1 requests that the core finds fault with, the last two in the store. What the callers of older
 * dialects call them, the dialects' methods say.
 */
export const ruledFields = [
  'message.messageId',
  'message.parts',
  'message.contextId',
  'message.taskId',
  'configuration.historyLength',
  'configuration.taskPushNotificationConfig.url',
  'configuration.taskPushNotificationConfig.token',
  'configuration.taskPushNotificationConfig.authentication.credentials',
  'url',
  'token',
  'authentication.credentials',
  'taskId',
  'historyLength',
  'pageSize',
  'pageToken',
  'statusTimestampAfter',
] as const;

export type RuledField = (typeof ruledFields)[number];
