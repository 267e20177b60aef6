import { below } from '../kernel/calls.ts';
import type { Dialect } from '../kernel/dialect.ts';

const parts = below('parts.', ['metadata', 'mediaType', 'filename', 'raw', 'url']);
const message = ['messageId', 'contextId', 'taskId', 'extensions', 'referenceTaskIds', ...parts];
const artifact = ['name', 'description', 'extensions', 'parts[]', ...parts];

/**
 * What AgentVault has no place for, by type. `parts[]` is the division into parts; their content is kept.
 *
 * All of it is listed here; callers are told of what they could miss. Minor are ids of messages and contexts, since
 * AgentVault has neither; framing (snapshots, chunks, the division of a text), which becomes that of AgentVault; times
 * and texts that the same answer tells in another place; and what the one who calls an agent does itself: waiting,
 * cutting the history. A context that a caller of an agent names is none of these, since the agent could have used it.
 */
export const losses: Dialect['losses'] = {
  message,
  task: [
    'contextId',
    'status.timestamp',
    'status.message',
    ...below('history.', message),
    ...below('artifacts.', artifact),
  ],
  event: [
    'task',
    'message',
    ...below('task.history.', message),
    ...below('message.', message),
    ...below('statusUpdate.', ['contextId', 'metadata', 'status.state', ...below('status.message.', message)]),
    ...below('artifactUpdate.', ['contextId', 'metadata', 'append', 'lastChunk', ...below('artifact.', artifact)]),
  ],
  request: [
    'method',
    'metadata',
    'tenant',
    'historyLength',
    ...below('configuration.', [
      'returnImmediately',
      'historyLength',
      'acceptedOutputModes',
      'taskPushNotificationConfig',
    ]),
    ...below('configuration.taskPushNotificationConfig.', ['id', 'taskId', 'tenant', 'token', 'authentication']),
    ...below('message.', message),
  ],
  card: [
    'supportedInterfaces',
    'defaultInputModes',
    'defaultOutputModes',
    'provider',
    'provider.url',
    'iconUrl',
    'documentationUrl',
    'signatures',
    'securitySchemes',
    'securityRequirements',
    ...below('capabilities.', ['streaming', 'extendedAgentCard', 'extensions']),
    ...below('skills.', ['tags', 'examples', 'inputModes', 'outputModes', 'securityRequirements']),
  ],
  error: [],
};
