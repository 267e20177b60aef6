// Generated from codegen/schemas/a2a-0.1.json by `npm run generate`. Do not edit.

import type { Shape } from '../api.ts';

/** Shapes by definition. */
export const shapes = {
  TextPart: { type: 'object', required: ['text'], properties: {
    type: { anyOf: [{ const: 'text' }, { type: 'null' }] },
    text: { type: 'string' },
    metadata: { type: ['object', 'null'] },
  } },
  FileContent: { type: 'object', required: [], properties: {
    name: { type: ['string', 'null'] },
    mimeType: { type: ['string', 'null'] },
    bytes: { type: ['string', 'null'] },
    uri: { type: ['string', 'null'] },
  } },
  FilePart: { type: 'object', required: ['file'], properties: {
    type: { anyOf: [{ const: 'file' }, { type: 'null' }] },
    file: { $ref: 'FileContent' },
    metadata: { type: ['object', 'null'] },
  } },
  DataPart: { type: 'object', required: ['data'], properties: {
    type: { anyOf: [{ const: 'data' }, { type: 'null' }] },
    data: { type: 'object' },
    metadata: { type: ['object', 'null'] },
  } },
  Part: { anyOf: [{ $ref: 'TextPart' }, { $ref: 'FilePart' }, { $ref: 'DataPart' }] },
  Role: { enum: ['user', 'agent'] },
  Message: { type: 'object', required: ['role', 'parts'], properties: {
    role: { $ref: 'Role' },
    parts: { type: 'array', items: { $ref: 'Part' } },
    metadata: { type: ['object', 'null'] },
  } },
  TaskState: { enum: ['submitted', 'working', 'input-required', 'completed', 'canceled', 'failed', 'unknown'] },
  TaskStatus: { type: 'object', required: ['state'], properties: {
    state: { $ref: 'TaskState' },
    message: { anyOf: [{ $ref: 'Message' }, { type: 'null' }] },
    timestamp: { type: ['string', 'null'] },
  } },
  Artifact: { type: 'object', required: ['parts'], properties: {
    name: { type: ['string', 'null'] },
    description: { type: ['string', 'null'] },
    parts: { type: 'array', items: { $ref: 'Part' } },
    index: { type: ['integer', 'null'] },
    append: { type: ['boolean', 'null'] },
    lastChunk: { type: ['boolean', 'null'] },
    metadata: { type: ['object', 'null'] },
  } },
  Task: { type: 'object', required: ['id', 'status'], properties: {
    id: { type: 'string', minLength: 1 },
    sessionId: { type: ['string', 'null'] },
    status: { $ref: 'TaskStatus' },
    artifacts: { anyOf: [{ type: 'array', items: { $ref: 'Artifact' } }, { type: 'null' }] },
    history: { anyOf: [{ type: 'array', items: { $ref: 'Message' } }, { type: 'null' }] },
    metadata: { type: ['object', 'null'] },
  } },
  TaskStatusUpdateEvent: { type: 'object', required: ['id', 'status'], properties: {
    id: { type: 'string', minLength: 1 },
    status: { $ref: 'TaskStatus' },
    final: { type: ['boolean', 'null'] },
    metadata: { type: ['object', 'null'] },
  } },
  TaskArtifactUpdateEvent: { type: 'object', required: ['id', 'artifact'], properties: {
    id: { type: 'string', minLength: 1 },
    artifact: { $ref: 'Artifact' },
    metadata: { type: ['object', 'null'] },
  } },
  AuthenticationInfo: { type: 'object', required: ['schemes'], properties: {
    schemes: { type: 'array', items: { type: 'string' } },
    credentials: { type: ['string', 'null'] },
  } },
  PushNotificationConfig: { type: 'object', required: ['url'], properties: {
    url: { type: 'string', minLength: 1 },
    token: { type: ['string', 'null'] },
    authentication: { anyOf: [{ $ref: 'AuthenticationInfo' }, { type: 'null' }] },
  } },
  TaskPushNotificationConfig: { type: 'object', required: ['id', 'pushNotificationConfig'], properties: {
    id: { type: 'string' },
    pushNotificationConfig: { $ref: 'PushNotificationConfig' },
  } },
  TaskIdParams: { type: 'object', required: ['id'], properties: {
    id: { type: 'string', minLength: 1 },
    metadata: { type: ['object', 'null'] },
  } },
  TaskQueryParams: { type: 'object', required: ['id'], properties: {
    id: { type: 'string', minLength: 1 },
    historyLength: { type: ['integer', 'null'] },
    metadata: { type: ['object', 'null'] },
  } },
  TaskSendParams: { type: 'object', required: ['id', 'message'], properties: {
    id: { type: 'string', minLength: 1 },
    sessionId: { type: ['string', 'null'] },
    message: { $ref: 'Message' },
    acceptedOutputModes: { anyOf: [{ type: 'array', items: { type: 'string' } }, { type: 'null' }] },
    pushNotification: { anyOf: [{ $ref: 'PushNotificationConfig' }, { type: 'null' }] },
    historyLength: { type: ['integer', 'null'] },
    metadata: { type: ['object', 'null'] },
  } },
  AgentProvider: { type: 'object', required: ['organization'], properties: {
    organization: { type: 'string' },
    url: { type: ['string', 'null'] },
  } },
  AgentCapabilities: { type: 'object', required: [], properties: {
    streaming: { type: ['boolean', 'null'] },
    pushNotifications: { type: ['boolean', 'null'] },
    stateTransitionHistory: { type: ['boolean', 'null'] },
    knowledgeGraph: { type: ['boolean', 'null'] },
    knowledgeGraphQueryLanguages: { type: ['array', 'null'], items: { type: 'string' } },
  } },
  AgentAuthentication: { type: 'object', required: ['schemes'], properties: {
    schemes: { type: 'array', items: { type: 'string' } },
    credentials: { type: ['string', 'null'] },
  } },
  AgentSkill: { type: 'object', required: ['id', 'name'], properties: {
    id: { type: 'string' },
    name: { type: 'string' },
    description: { type: ['string', 'null'] },
    tags: { anyOf: [{ type: 'array', items: { type: 'string' } }, { type: 'null' }] },
    examples: { anyOf: [{ type: 'array', items: { type: 'string' } }, { type: 'null' }] },
    inputModes: { anyOf: [{ type: 'array', items: { type: 'string' } }, { type: 'null' }] },
    outputModes: { anyOf: [{ type: 'array', items: { type: 'string' } }, { type: 'null' }] },
  } },
  AgentCard: { type: 'object', required: ['name', 'url', 'version', 'capabilities', 'skills'], properties: {
    name: { type: 'string' },
    description: { type: ['string', 'null'] },
    url: { type: 'string', minLength: 1 },
    provider: { anyOf: [{ $ref: 'AgentProvider' }, { type: 'null' }] },
    version: { type: 'string' },
    documentationUrl: { type: ['string', 'null'] },
    capabilities: { $ref: 'AgentCapabilities' },
    authentication: { anyOf: [{ $ref: 'AgentAuthentication' }, { type: 'null' }] },
    defaultInputModes: { anyOf: [{ type: 'array', items: { type: 'string' } }, { type: 'null' }] },
    defaultOutputModes: { anyOf: [{ type: 'array', items: { type: 'string' } }, { type: 'null' }] },
    skills: { type: 'array', items: { $ref: 'AgentSkill' } },
  } },
} satisfies Readonly<Record<string, Shape>>;
