// Generated from codegen/schemas/agentvault-0.2.json by `npm run generate`. Do not edit.

import * as g from '../checks.ts';
import type * as t from './types.ts';

type Fields = Readonly<Record<string, unknown>>;

const pattern0 = new RegExp('^[Hh][Tt][Tt][Pp][Ss]?://.', 'u');

export function isTextPart(value: unknown): value is t.TextPart {
  if (!g.isObject(value)) return false;
  const v = value as Fields;
  if (v.type !== undefined && !(v.type === 'text')) return false;
  if (!(typeof v.content === 'string')) return false;
  return true;
}

export function isFilePart(value: unknown): value is t.FilePart {
  if (!g.isObject(value)) return false;
  const v = value as Fields;
  if (v.type !== undefined && !(v.type === 'file')) return false;
  if (!((typeof v.url === 'string' && pattern0.test(v.url)))) return false;
  if (v.mediaType !== undefined && !(typeof v.mediaType === 'string' || v.mediaType === null)) return false;
  if (v.filename !== undefined && !(typeof v.filename === 'string' || v.filename === null)) return false;
  return true;
}

export function isDataPart(value: unknown): value is t.DataPart {
  if (!g.isObject(value)) return false;
  const v = value as Fields;
  if (v.type !== undefined && !(v.type === 'data')) return false;
  if (!(g.isObject(v.content))) return false;
  if (v.mediaType !== undefined && !(typeof v.mediaType === 'string' || v.mediaType === null)) return false;
  return true;
}

export const isPart = (value: unknown): value is t.Part => isTextPart(value) || isFilePart(value) || isDataPart(value);

export const isRole = (value: unknown): value is t.Role => value === 'user' || value === 'assistant' || value === 'system' || value === 'tool';

export function isMessage(value: unknown): value is t.Message {
  if (!g.isObject(value)) return false;
  const v = value as Fields;
  if (!(isRole(v.role))) return false;
  if (!(g.isSomeOf(v.parts, isPart))) return false;
  if (v.metadata !== undefined && !(g.isObject(v.metadata) || v.metadata === null)) return false;
  return true;
}

export function isArtifact(value: unknown): value is t.Artifact {
  if (!g.isObject(value)) return false;
  const v = value as Fields;
  if (!((typeof v.id === 'string' && v.id !== ''))) return false;
  if (!(typeof v.type === 'string')) return false;
  if (v.url !== undefined && !((typeof v.url === 'string' && pattern0.test(v.url)) || v.url === null)) return false;
  if (v.mediaType !== undefined && !(typeof v.mediaType === 'string' || v.mediaType === null)) return false;
  if (v.metadata !== undefined && !(g.isObject(v.metadata) || v.metadata === null)) return false;
  return true;
}

export const isTaskState = (value: unknown): value is t.TaskState => value === 'SUBMITTED' || value === 'WORKING' || value === 'INPUT_REQUIRED' || value === 'COMPLETED' || value === 'FAILED' || value === 'CANCELED';

export function isTask(value: unknown): value is t.Task {
  if (!g.isObject(value)) return false;
  const v = value as Fields;
  if (!((typeof v.id === 'string' && v.id !== ''))) return false;
  if (!(isTaskState(v.state))) return false;
  if (!((typeof v.createdAt === 'string' && v.createdAt !== '') || g.isNumber(v.createdAt))) return false;
  if (!((typeof v.updatedAt === 'string' && v.updatedAt !== '') || g.isNumber(v.updatedAt))) return false;
  if (v.messages !== undefined && !(g.isList(v.messages, isMessage))) return false;
  if (v.artifacts !== undefined && !(g.isList(v.artifacts, isArtifact))) return false;
  if (v.metadata !== undefined && !(g.isObject(v.metadata) || v.metadata === null)) return false;
  return true;
}

export function isTaskSendParams(value: unknown): value is t.TaskSendParams {
  if (!g.isObject(value)) return false;
  const v = value as Fields;
  if (v.id !== undefined && !((typeof v.id === 'string' && v.id !== '') || v.id === null)) return false;
  if (!(isMessage(v.message))) return false;
  if (v.webhookUrl !== undefined && !((typeof v.webhookUrl === 'string' && pattern0.test(v.webhookUrl)) || v.webhookUrl === null)) return false;
  return true;
}

export function isTaskSendResult(value: unknown): value is t.TaskSendResult {
  if (!g.isObject(value)) return false;
  const v = value as Fields;
  if (!((typeof v.id === 'string' && v.id !== ''))) return false;
  return true;
}

export function isTaskIdParams(value: unknown): value is t.TaskIdParams {
  if (!g.isObject(value)) return false;
  const v = value as Fields;
  if (!((typeof v.id === 'string' && v.id !== ''))) return false;
  return true;
}

export function isTaskCancelResult(value: unknown): value is t.TaskCancelResult {
  if (!g.isObject(value)) return false;
  const v = value as Fields;
  if (v.success !== undefined && !(typeof v.success === 'boolean')) return false;
  if (v.message !== undefined && !(typeof v.message === 'string' || v.message === null)) return false;
  return true;
}

export function isTaskStatusUpdateEvent(value: unknown): value is t.TaskStatusUpdateEvent {
  if (!g.isObject(value)) return false;
  const v = value as Fields;
  if (!((typeof v.taskId === 'string' && v.taskId !== ''))) return false;
  if (!(isTaskState(v.state))) return false;
  if (!((typeof v.timestamp === 'string' && v.timestamp !== '') || g.isNumber(v.timestamp))) return false;
  if (v.message !== undefined && !(typeof v.message === 'string' || v.message === null)) return false;
  return true;
}

export function isTaskMessageEvent(value: unknown): value is t.TaskMessageEvent {
  if (!g.isObject(value)) return false;
  const v = value as Fields;
  if (!((typeof v.taskId === 'string' && v.taskId !== ''))) return false;
  if (!(isMessage(v.message))) return false;
  if (!((typeof v.timestamp === 'string' && v.timestamp !== '') || g.isNumber(v.timestamp))) return false;
  return true;
}

export function isTaskArtifactUpdateEvent(value: unknown): value is t.TaskArtifactUpdateEvent {
  if (!g.isObject(value)) return false;
  const v = value as Fields;
  if (!((typeof v.taskId === 'string' && v.taskId !== ''))) return false;
  if (!(isArtifact(v.artifact))) return false;
  if (!((typeof v.timestamp === 'string' && v.timestamp !== '') || g.isNumber(v.timestamp))) return false;
  return true;
}

export function isStreamError(value: unknown): value is t.StreamError {
  if (!g.isObject(value)) return false;
  const v = value as Fields;
  if (!(typeof v.error === 'string')) return false;
  if (v.message !== undefined && !(typeof v.message === 'string')) return false;
  return true;
}

export function isAgentProvider(value: unknown): value is t.AgentProvider {
  if (!g.isObject(value)) return false;
  const v = value as Fields;
  if (!(typeof v.name === 'string')) return false;
  if (v.url !== undefined && !((typeof v.url === 'string' && pattern0.test(v.url)) || v.url === null)) return false;
  if (v.support_contact !== undefined && !(typeof v.support_contact === 'string' || v.support_contact === null)) return false;
  return true;
}

export function isTeeDetails(value: unknown): value is t.TeeDetails {
  if (!g.isObject(value)) return false;
  const v = value as Fields;
  if (!(typeof v.type === 'string')) return false;
  if (v.attestationEndpoint !== undefined && !((typeof v.attestationEndpoint === 'string' && pattern0.test(v.attestationEndpoint)) || v.attestationEndpoint === null)) return false;
  if (v.publicKey !== undefined && !(typeof v.publicKey === 'string' || v.publicKey === null)) return false;
  if (v.description !== undefined && !(typeof v.description === 'string' || v.description === null)) return false;
  return true;
}

export function isAgentCapabilities(value: unknown): value is t.AgentCapabilities {
  if (!g.isObject(value)) return false;
  const v = value as Fields;
  if (!(typeof v.a2aVersion === 'string')) return false;
  if (v.mcpVersion !== undefined && !(typeof v.mcpVersion === 'string' || v.mcpVersion === null)) return false;
  if (v.supportedMessageParts !== undefined && !(g.isList(v.supportedMessageParts, g.isString) || v.supportedMessageParts === null)) return false;
  if (v.knowledgeGraph !== undefined && !(typeof v.knowledgeGraph === 'boolean' || v.knowledgeGraph === null)) return false;
  if (v.knowledgeGraphQueryLanguages !== undefined && !(g.isList(v.knowledgeGraphQueryLanguages, g.isString) || v.knowledgeGraphQueryLanguages === null)) return false;
  if (v.teeDetails !== undefined && !(isTeeDetails(v.teeDetails) || v.teeDetails === null)) return false;
  if (v.supportsPushNotifications !== undefined && !(typeof v.supportsPushNotifications === 'boolean' || v.supportsPushNotifications === null)) return false;
  return true;
}

export function isAgentAuthentication(value: unknown): value is t.AgentAuthentication {
  if (!g.isObject(value)) return false;
  const v = value as Fields;
  if (!(v.scheme === 'apiKey' || v.scheme === 'bearer' || v.scheme === 'oauth2' || v.scheme === 'none')) return false;
  if (v.description !== undefined && !(typeof v.description === 'string' || v.description === null)) return false;
  if (v.tokenUrl !== undefined && !((typeof v.tokenUrl === 'string' && pattern0.test(v.tokenUrl)) || v.tokenUrl === null)) return false;
  if (v.scopes !== undefined && !(g.isList(v.scopes, g.isString) || v.scopes === null)) return false;
  if (v.service_identifier !== undefined && !(typeof v.service_identifier === 'string' || v.service_identifier === null)) return false;
  return true;
}

export function isAgentSkill(value: unknown): value is t.AgentSkill {
  if (!g.isObject(value)) return false;
  const v = value as Fields;
  if (!((typeof v.id === 'string' && v.id !== ''))) return false;
  if (!(typeof v.name === 'string')) return false;
  if (!(typeof v.description === 'string')) return false;
  if (v.input_schema !== undefined && !(g.isObject(v.input_schema) || v.input_schema === null)) return false;
  if (v.output_schema !== undefined && !(g.isObject(v.output_schema) || v.output_schema === null)) return false;
  return true;
}

export function isAgentCard(value: unknown): value is t.AgentCard {
  if (!g.isObject(value)) return false;
  const v = value as Fields;
  if (!(typeof v.schemaVersion === 'string')) return false;
  if (!(typeof v.humanReadableId === 'string')) return false;
  if (!(typeof v.agentVersion === 'string')) return false;
  if (!((typeof v.name === 'string' && v.name !== ''))) return false;
  if (!(typeof v.description === 'string')) return false;
  if (!((typeof v.url === 'string' && pattern0.test(v.url)))) return false;
  if (!(isAgentProvider(v.provider))) return false;
  if (!(isAgentCapabilities(v.capabilities))) return false;
  if (!(g.isSomeOf(v.authSchemes, isAgentAuthentication))) return false;
  if (v.skills !== undefined && !(g.isList(v.skills, isAgentSkill) || v.skills === null)) return false;
  if (v.tags !== undefined && !(g.isList(v.tags, g.isString) || v.tags === null)) return false;
  if (v.privacyPolicyUrl !== undefined && !((typeof v.privacyPolicyUrl === 'string' && pattern0.test(v.privacyPolicyUrl)) || v.privacyPolicyUrl === null)) return false;
  if (v.termsOfServiceUrl !== undefined && !((typeof v.termsOfServiceUrl === 'string' && pattern0.test(v.termsOfServiceUrl)) || v.termsOfServiceUrl === null)) return false;
  if (v.iconUrl !== undefined && !((typeof v.iconUrl === 'string' && pattern0.test(v.iconUrl)) || v.iconUrl === null)) return false;
  if (v.lastUpdated !== undefined && !(typeof v.lastUpdated === 'string' || v.lastUpdated === null)) return false;
  return true;
}
