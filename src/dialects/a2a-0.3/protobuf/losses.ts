import type { Dialect } from '../../kernel/dialect.ts';
import { below, memberLosses } from '../../kernel/loss-lists.ts';
import { cardLosses, partLosses } from '../losses.ts';

const message = ['referenceTaskIds', ...partLosses];

/** What the protobuf shapes of A2A 0.3 have no place for, by type. */
export const protobufLosses: Dialect['losses'] = {
  ...memberLosses({ message, artifact: partLosses }),
  request: [
    'tenant',
    'historyLength',
    'metadata',
    ...below('message.', message),
    'configuration.historyLength',
    ...below('configuration.taskPushNotificationConfig.', ['taskId', 'tenant']),
  ],
  card: cardLosses,
  error: [],
};
