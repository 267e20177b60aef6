import type { MessageDemands } from '../kernel/wire.ts';

/** Texts that a header can carry. */
const headerValue = { pattern: String.raw`^[\t\x20-\x7e\x80-\xff]*$`, maxLength: 4_096 };

/** Values that operations demand in addition to the types, by message: A2A 1.0.1, sections 3.1.3, 3.1.4 and 4.3.1. */
export const demands: Readonly<Record<string, MessageDemands>> = {
  GetTaskRequest: { fields: { historyLength: { minimum: 0 } } },
  SendMessageConfiguration: { fields: { historyLength: { minimum: 0 } } },
  ListTasksRequest: { fields: { historyLength: { minimum: 0 }, pageSize: { minimum: 1, maximum: 100 } } },
  ListTaskPushNotificationConfigsRequest: { fields: { pageSize: { minimum: 0, maximum: 100 } } },
  TaskPushNotificationConfig: { fields: { url: { format: 'uri', pattern: '^https?://' }, token: headerValue } },
  AuthenticationInfo: { fields: { scheme: headerValue, credentials: headerValue } },
};
