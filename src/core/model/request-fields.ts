/** The fields of v1 requests that errors of the core name. Methods of older dialects have their own names for them. */
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
