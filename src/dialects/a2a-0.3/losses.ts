import type { Dialect } from '../kernel/dialect.ts';
import { below, memberLosses } from '../kernel/loss-lists.ts';

/** Of parts that are no files. */
export const partLosses: readonly string[] = ['parts.mediaType', 'parts.filename'];

/** What the cards of A2A 0.3 have no place for, in either shape. */
export const cardLosses: readonly string[] = ['supportedInterfaces', 'securitySchemes', 'signatures'];

/** What A2A 0.3 and its kin have no place for, by type. */
export const losses: Dialect['losses'] = {
  ...memberLosses({ message: partLosses, artifact: partLosses }),
  request: [
    'tenant',
    'pageSize',
    'pageToken',
    'historyLength',
    ...below('message.', partLosses),
    'configuration.historyLength',
    ...below('configuration.taskPushNotificationConfig.', ['taskId', 'tenant']),
  ],
  card: cardLosses,
  error: [],
};
