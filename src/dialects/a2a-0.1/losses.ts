import { below } from '../kernel/calls.ts';
import type { Dialect } from '../kernel/dialect.ts';

const parts = below('parts.', ['mediaType', 'filename', 'url']);
const message = ['messageId', 'contextId', 'taskId', 'extensions', 'referenceTaskIds', ...parts];
const artifact = ['artifactId', 'extensions', ...parts];

/** What A2A 0.1 has no place for, by type. */
export const losses: Dialect['losses'] = {
  message,
  task: [...below('status.message.', message), ...below('history.', message), ...below('artifacts.', artifact)],
  event: [
    'task',
    'message',
    ...below('task.status.message.', message),
    ...below('task.artifacts.', artifact),
    ...below('message.', message),
    ...below('statusUpdate.', ['contextId', ...below('status.message.', message)]),
    ...below('artifactUpdate.', ['contextId', ...below('artifact.', artifact)]),
  ],
  request: [
    'id',
    'tenant',
    'configuration.returnImmediately',
    ...below('configuration.taskPushNotificationConfig.', ['id', 'taskId', 'tenant']),
    ...below('message.', message),
  ],
  card: [
    'supportedInterfaces',
    'iconUrl',
    'signatures',
    'securitySchemes',
    'securityRequirements',
    'capabilities.extendedAgentCard',
    'capabilities.extensions',
    'skills.securityRequirements',
  ],
  error: [],
};
