import type { Dialect } from '../dialect.ts';

const below = (prefix: string, paths: readonly string[]): string[] => paths.map((path) => prefix + path);

/** Of parts that are no files. */
const message = ['parts.mediaType', 'parts.filename'];
const task = [...below('status.message.', message), ...below('history.', message), ...below('artifacts.', message)];

/** What A2A 0.3 and its kin have no place for, by type. */
export const losses: Dialect['losses'] = {
  message,
  task,
  event: [
    ...below('task.', task),
    ...below('message.', message),
    ...below('statusUpdate.status.message.', message),
    ...below('artifactUpdate.artifact.', message),
  ],
  request: [
    'tenant',
    'pageSize',
    'pageToken',
    ...below('message.', message),
    ...below('configuration.taskPushNotificationConfig.', ['taskId', 'tenant']),
  ],
  card: ['supportedInterfaces', 'securitySchemes', 'signatures'],
  error: [],
};
