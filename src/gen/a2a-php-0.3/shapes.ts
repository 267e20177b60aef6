// Generated from codegen/schemas/a2a-php-0.3.json by `npm run generate`. Do not edit.

import type { Shape } from '../api.ts';

/** Shapes by definition. */
export const shapes = {
  File: { type: 'object', required: [], properties: {
    bytes: { type: ['string', 'null'] },
    uri: { type: ['string', 'null'] },
    url: { type: ['string', 'null'] },
    href: { type: ['string', 'null'] },
    mimeType: { type: ['string', 'null'] },
    name: { type: ['string', 'null'] },
  } },
  Part: { type: 'object', required: [], properties: {
    kind: { type: ['string', 'null'] },
    type: { type: ['string', 'null'] },
    text: { type: ['string', 'number', 'boolean', 'null'] },
    content: {},
    file: { anyOf: [{ $ref: 'File' }, { type: 'null' }] },
    data: { type: ['object', 'array', 'null'] },
    metadata: { type: ['object', 'array', 'null'] },
  } },
  Message: { type: 'object', required: ['role'], properties: {
    kind: { type: ['string', 'null'] },
    messageId: { type: ['string', 'null'] },
    role: { type: 'string', minLength: 1 },
    parts: { type: ['array', 'null'], items: { $ref: 'Part' } },
    contextId: { type: ['string', 'null'] },
    taskId: { type: ['string', 'null'] },
    referenceTaskIds: { type: ['array', 'null'], items: { type: 'string' } },
    extensions: { type: ['array', 'null'], items: { type: 'string' } },
    metadata: { type: ['object', 'array', 'null'] },
  } },
  TaskStatus: { type: 'object', required: ['state'], properties: {
    state: { type: 'string', minLength: 1 },
    message: { anyOf: [{ $ref: 'Message' }, { type: 'null' }] },
    timestamp: { type: ['string', 'null'] },
  } },
  Artifact: { type: 'object', required: ['artifactId'], properties: {
    artifactId: { type: 'string', minLength: 1 },
    parts: { type: ['array', 'null'], items: { $ref: 'Part' } },
    name: { type: ['string', 'null'] },
    description: { type: ['string', 'null'] },
    extensions: { type: ['array', 'null'], items: { type: 'string' } },
    metadata: { type: ['object', 'array', 'null'] },
  } },
  Task: { type: 'object', required: ['id', 'status'], properties: {
    kind: { type: ['string', 'null'] },
    id: { type: 'string', minLength: 1 },
    contextId: { type: ['string', 'null'] },
    status: { $ref: 'TaskStatus' },
    artifacts: { type: ['array', 'null'], items: { $ref: 'Artifact' } },
    history: { type: ['array', 'null'], items: { $ref: 'Message' } },
    metadata: { type: ['object', 'array', 'null'] },
  } },
  TaskStatusUpdateEvent: { type: 'object', required: ['taskId', 'status'], properties: {
    kind: { type: ['string', 'null'] },
    taskId: { type: 'string', minLength: 1 },
    contextId: { type: ['string', 'null'] },
    status: { $ref: 'TaskStatus' },
    final: { type: ['boolean', 'null'] },
    metadata: { type: ['object', 'array', 'null'] },
  } },
  TaskArtifactUpdateEvent: { type: 'object', required: ['taskId', 'artifact'], properties: {
    kind: { type: ['string', 'null'] },
    taskId: { type: 'string', minLength: 1 },
    contextId: { type: ['string', 'null'] },
    artifact: { $ref: 'Artifact' },
    append: { type: ['boolean', 'null'] },
    lastChunk: { type: ['boolean', 'null'] },
    metadata: { type: ['object', 'array', 'null'] },
  } },
  PushNotificationAuthenticationInfo: { type: 'object', required: ['schemes'], properties: {
    schemes: { type: 'array', items: { type: 'string' } },
    credentials: { type: ['string', 'null'] },
  } },
  PushNotificationConfig: { type: 'object', required: ['url'], properties: {
    url: { type: 'string', minLength: 1 },
    id: { type: ['string', 'null'] },
    token: { type: ['string', 'null'] },
    authentication: { anyOf: [{ $ref: 'PushNotificationAuthenticationInfo' }, { type: 'null' }] },
  } },
  TaskPushNotificationConfig: { type: 'object', required: ['taskId'], properties: {
    taskId: { type: 'string' },
    pushNotificationConfig: { anyOf: [{ $ref: 'PushNotificationConfig' }, { type: 'null' }] },
  } },
  TaskPushNotificationConfigs: { type: 'array', items: { $ref: 'TaskPushNotificationConfig' } },
  MessageSendParams: { type: 'object', required: ['message'], properties: {
    message: { $ref: 'Message' },
    configuration: { type: ['object', 'array', 'null'] },
    metadata: { type: ['object', 'array', 'null'] },
    from: {},
  } },
  TaskSendParams: { type: 'object', required: ['id', 'message'], properties: {
    id: { type: 'string', minLength: 1 },
    message: { $ref: 'Message' },
    metadata: { type: ['object', 'array', 'null'] },
    sessionId: {},
    pushNotification: {},
    historyLength: {},
  } },
  TaskQueryParams: { type: 'object', required: [], properties: {
    id: { type: ['string', 'null'] },
    taskId: { type: ['string', 'null'] },
    historyLength: { type: ['integer', 'string', 'null'] },
    metadata: { type: ['object', 'array', 'null'] },
  } },
  TaskIdParams: { type: 'object', required: [], properties: {
    id: { type: ['string', 'null'] },
    taskId: { type: ['string', 'null'] },
    metadata: { type: ['object', 'array', 'null'] },
  } },
  SetPushNotificationConfigParams: { type: 'object', required: ['pushNotificationConfig'], properties: {
    taskId: { type: ['string', 'null'] },
    id: { type: ['string', 'null'] },
    pushNotificationConfig: { $ref: 'PushNotificationConfig' },
  } },
} satisfies Readonly<Record<string, Shape>>;
