import type { Dialect } from '../../dialect.ts';

const below = (prefix: string, paths: readonly string[]): string[] => paths.map((path) => prefix + path);

/** Media types and names of parts that are no files. */
const parts = ['parts.mediaType', 'parts.filename'];
const message = ['referenceTaskIds', ...parts];
const task = [...below('status.message.', message), ...below('history.', message), ...below('artifacts.', parts)];

/** What the protobuf shapes of A2A 0.3 have no place for, by type. */
export const protobufLosses: Dialect['losses'] = {
  message,
  task,
  event: [
    ...below('task.', task),
    ...below('message.', message),
    ...below('statusUpdate.status.message.', message),
    ...below('artifactUpdate.artifact.', parts),
  ],
  request: [
    'tenant',
    'historyLength',
    'metadata',
    ...below('message.', message),
    'configuration.historyLength',
    ...below('configuration.taskPushNotificationConfig.', ['taskId', 'tenant']),
  ],
  card: ['supportedInterfaces', 'securitySchemes', 'signatures'],
  error: [],
};
