// Generated from codegen/schemas/agentvault-0.2.json by `npm run generate`. Do not edit.

import type { Shape } from '../api.ts';

/** Shapes by definition. */
export const shapes = {
  TextPart: { type: 'object', required: ['content'], properties: {
    type: { const: 'text' },
    content: { type: 'string' },
  } },
  FilePart: { type: 'object', required: ['url'], properties: {
    type: { const: 'file' },
    url: { type: 'string', pattern: '^[Hh][Tt][Tt][Pp][Ss]?://.' },
    mediaType: { type: ['string', 'null'] },
    filename: { type: ['string', 'null'] },
  } },
  DataPart: { type: 'object', required: ['content'], properties: {
    type: { const: 'data' },
    content: { type: 'object' },
    mediaType: { type: ['string', 'null'] },
  } },
  Part: { anyOf: [{ $ref: 'TextPart' }, { $ref: 'FilePart' }, { $ref: 'DataPart' }] },
  Role: { enum: ['user', 'assistant', 'system', 'tool'] },
  Message: { type: 'object', required: ['role', 'parts'], properties: {
    role: { $ref: 'Role' },
    parts: { type: 'array', minItems: 1, items: { $ref: 'Part' } },
    metadata: { type: ['object', 'null'] },
  } },
  Artifact: { type: 'object', required: ['id', 'type'], properties: {
    id: { type: 'string', minLength: 1 },
    type: { type: 'string' },
    content: {},
    url: { anyOf: [{ type: 'string', pattern: '^[Hh][Tt][Tt][Pp][Ss]?://.' }, { type: 'null' }] },
    mediaType: { type: ['string', 'null'] },
    metadata: { type: ['object', 'null'] },
  } },
  TaskState: { enum: ['SUBMITTED', 'WORKING', 'INPUT_REQUIRED', 'COMPLETED', 'FAILED', 'CANCELED'] },
  Task: { type: 'object', required: ['id', 'state', 'createdAt', 'updatedAt'], properties: {
    id: { type: 'string', minLength: 1 },
    state: { $ref: 'TaskState' },
    createdAt: { anyOf: [{ type: 'string', minLength: 1 }, { type: 'number' }] },
    updatedAt: { anyOf: [{ type: 'string', minLength: 1 }, { type: 'number' }] },
    messages: { type: 'array', items: { $ref: 'Message' } },
    artifacts: { type: 'array', items: { $ref: 'Artifact' } },
    metadata: { type: ['object', 'null'] },
  } },
  TaskSendParams: { type: 'object', required: ['message'], properties: {
    id: { anyOf: [{ type: 'string', minLength: 1 }, { type: 'null' }] },
    message: { $ref: 'Message' },
    webhookUrl: { anyOf: [{ type: 'string', pattern: '^[Hh][Tt][Tt][Pp][Ss]?://.' }, { type: 'null' }] },
  } },
  TaskSendResult: { type: 'object', required: ['id'], properties: {
    id: { type: 'string', minLength: 1 },
  } },
  TaskIdParams: { type: 'object', required: ['id'], properties: {
    id: { type: 'string', minLength: 1 },
  } },
  TaskCancelResult: { type: 'object', required: [], properties: {
    success: { type: 'boolean' },
    message: { type: ['string', 'null'] },
  } },
  TaskStatusUpdateEvent: { type: 'object', required: ['taskId', 'state', 'timestamp'], properties: {
    taskId: { type: 'string', minLength: 1 },
    state: { $ref: 'TaskState' },
    timestamp: { anyOf: [{ type: 'string', minLength: 1 }, { type: 'number' }] },
    message: { type: ['string', 'null'] },
  } },
  TaskMessageEvent: { type: 'object', required: ['taskId', 'message', 'timestamp'], properties: {
    taskId: { type: 'string', minLength: 1 },
    message: { $ref: 'Message' },
    timestamp: { anyOf: [{ type: 'string', minLength: 1 }, { type: 'number' }] },
  } },
  TaskArtifactUpdateEvent: { type: 'object', required: ['taskId', 'artifact', 'timestamp'], properties: {
    taskId: { type: 'string', minLength: 1 },
    artifact: { $ref: 'Artifact' },
    timestamp: { anyOf: [{ type: 'string', minLength: 1 }, { type: 'number' }] },
  } },
  StreamError: { type: 'object', required: ['error'], properties: {
    error: { type: 'string' },
    message: { type: 'string' },
  } },
  AgentProvider: { type: 'object', required: ['name'], properties: {
    name: { type: 'string' },
    url: { anyOf: [{ type: 'string', pattern: '^[Hh][Tt][Tt][Pp][Ss]?://.' }, { type: 'null' }] },
    support_contact: { type: ['string', 'null'] },
  } },
  TeeDetails: { type: 'object', required: ['type'], properties: {
    type: { type: 'string' },
    attestationEndpoint: { anyOf: [{ type: 'string', pattern: '^[Hh][Tt][Tt][Pp][Ss]?://.' }, { type: 'null' }] },
    publicKey: { type: ['string', 'null'] },
    description: { type: ['string', 'null'] },
  } },
  AgentCapabilities: { type: 'object', required: ['a2aVersion'], properties: {
    a2aVersion: { type: 'string' },
    mcpVersion: { type: ['string', 'null'] },
    supportedMessageParts: { type: ['array', 'null'], items: { type: 'string' } },
    knowledgeGraph: { type: ['boolean', 'null'] },
    knowledgeGraphQueryLanguages: { type: ['array', 'null'], items: { type: 'string' } },
    teeDetails: { anyOf: [{ $ref: 'TeeDetails' }, { type: 'null' }] },
    supportsPushNotifications: { type: ['boolean', 'null'] },
  } },
  AgentAuthentication: { type: 'object', required: ['scheme'], properties: {
    scheme: { enum: ['apiKey', 'bearer', 'oauth2', 'none'] },
    description: { type: ['string', 'null'] },
    tokenUrl: { anyOf: [{ type: 'string', pattern: '^[Hh][Tt][Tt][Pp][Ss]?://.' }, { type: 'null' }] },
    scopes: { type: ['array', 'null'], items: { type: 'string' } },
    service_identifier: { type: ['string', 'null'] },
  } },
  AgentSkill: { type: 'object', required: ['id', 'name', 'description'], properties: {
    id: { type: 'string', minLength: 1 },
    name: { type: 'string' },
    description: { type: 'string' },
    input_schema: { type: ['object', 'null'] },
    output_schema: { type: ['object', 'null'] },
  } },
  AgentCard: { type: 'object', required: ['schemaVersion', 'humanReadableId', 'agentVersion', 'name', 'description', 'url', 'provider', 'capabilities', 'authSchemes'], properties: {
    schemaVersion: { type: 'string' },
    humanReadableId: { type: 'string' },
    agentVersion: { type: 'string' },
    name: { type: 'string', minLength: 1 },
    description: { type: 'string' },
    url: { type: 'string', pattern: '^[Hh][Tt][Tt][Pp][Ss]?://.' },
    provider: { $ref: 'AgentProvider' },
    capabilities: { $ref: 'AgentCapabilities' },
    authSchemes: { type: 'array', minItems: 1, items: { $ref: 'AgentAuthentication' } },
    skills: { anyOf: [{ type: 'array', items: { $ref: 'AgentSkill' } }, { type: 'null' }] },
    tags: { type: ['array', 'null'], items: { type: 'string' } },
    privacyPolicyUrl: { anyOf: [{ type: 'string', pattern: '^[Hh][Tt][Tt][Pp][Ss]?://.' }, { type: 'null' }] },
    termsOfServiceUrl: { anyOf: [{ type: 'string', pattern: '^[Hh][Tt][Tt][Pp][Ss]?://.' }, { type: 'null' }] },
    iconUrl: { anyOf: [{ type: 'string', pattern: '^[Hh][Tt][Tt][Pp][Ss]?://.' }, { type: 'null' }] },
    lastUpdated: { type: ['string', 'null'] },
  } },
} satisfies Readonly<Record<string, Shape>>;
