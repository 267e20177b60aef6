// Generated from codegen/schemas/a2a-0.1.json by `npm run generate`. Do not edit.

import * as g from '../checks.ts';
import type * as t from './types.ts';

type Fields = Readonly<Record<string, unknown>>;

export function isTextPart(value: unknown): value is t.TextPart {
  if (!g.isObject(value)) return false;
  const v = value as Fields;
  if (v.type !== undefined && !(v.type === 'text' || v.type === null)) return false;
  if (!(typeof v.text === 'string')) return false;
  if (v.metadata !== undefined && !(g.isObject(v.metadata) || v.metadata === null)) return false;
  return true;
}

export function isFileContent(value: unknown): value is t.FileContent {
  if (!g.isObject(value)) return false;
  const v = value as Fields;
  if (v.name !== undefined && !(typeof v.name === 'string' || v.name === null)) return false;
  if (v.mimeType !== undefined && !(typeof v.mimeType === 'string' || v.mimeType === null)) return false;
  if (v.bytes !== undefined && !(typeof v.bytes === 'string' || v.bytes === null)) return false;
  if (v.uri !== undefined && !(typeof v.uri === 'string' || v.uri === null)) return false;
  return true;
}

export function isFilePart(value: unknown): value is t.FilePart {
  if (!g.isObject(value)) return false;
  const v = value as Fields;
  if (v.type !== undefined && !(v.type === 'file' || v.type === null)) return false;
  if (!(isFileContent(v.file))) return false;
  if (v.metadata !== undefined && !(g.isObject(v.metadata) || v.metadata === null)) return false;
  return true;
}

export function isDataPart(value: unknown): value is t.DataPart {
  if (!g.isObject(value)) return false;
  const v = value as Fields;
  if (v.type !== undefined && !(v.type === 'data' || v.type === null)) return false;
  if (!(g.isObject(v.data))) return false;
  if (v.metadata !== undefined && !(g.isObject(v.metadata) || v.metadata === null)) return false;
  return true;
}

export const isPart = (value: unknown): value is t.Part => isTextPart(value) || isFilePart(value) || isDataPart(value);

export const isRole = (value: unknown): value is t.Role => value === 'user' || value === 'agent';

export function isMessage(value: unknown): value is t.Message {
  if (!g.isObject(value)) return false;
  const v = value as Fields;
  if (!(isRole(v.role))) return false;
  if (!(g.isList(v.parts, isPart))) return false;
  if (v.metadata !== undefined && !(g.isObject(v.metadata) || v.metadata === null)) return false;
  return true;
}

export const isTaskState = (value: unknown): value is t.TaskState => value === 'submitted' || value === 'working' || value === 'input-required' || value === 'completed' || value === 'canceled' || value === 'failed' || value === 'unknown';

export function isTaskStatus(value: unknown): value is t.TaskStatus {
  if (!g.isObject(value)) return false;
  const v = value as Fields;
  if (!(isTaskState(v.state))) return false;
  if (v.message !== undefined && !(isMessage(v.message) || v.message === null)) return false;
  if (v.timestamp !== undefined && !(typeof v.timestamp === 'string' || v.timestamp === null)) return false;
  return true;
}

export function isArtifact(value: unknown): value is t.Artifact {
  if (!g.isObject(value)) return false;
  const v = value as Fields;
  if (v.name !== undefined && !(typeof v.name === 'string' || v.name === null)) return false;
  if (v.description !== undefined && !(typeof v.description === 'string' || v.description === null)) return false;
  if (!(g.isList(v.parts, isPart))) return false;
  if (v.index !== undefined && !(g.isInt32(v.index) || v.index === null)) return false;
  if (v.append !== undefined && !(typeof v.append === 'boolean' || v.append === null)) return false;
  if (v.lastChunk !== undefined && !(typeof v.lastChunk === 'boolean' || v.lastChunk === null)) return false;
  if (v.metadata !== undefined && !(g.isObject(v.metadata) || v.metadata === null)) return false;
  return true;
}

export function isTask(value: unknown): value is t.Task {
  if (!g.isObject(value)) return false;
  const v = value as Fields;
  if (!((typeof v.id === 'string' && v.id !== ''))) return false;
  if (v.sessionId !== undefined && !(typeof v.sessionId === 'string' || v.sessionId === null)) return false;
  if (!(isTaskStatus(v.status))) return false;
  if (v.artifacts !== undefined && !(g.isList(v.artifacts, isArtifact) || v.artifacts === null)) return false;
  if (v.history !== undefined && !(g.isList(v.history, isMessage) || v.history === null)) return false;
  if (v.metadata !== undefined && !(g.isObject(v.metadata) || v.metadata === null)) return false;
  return true;
}

export function isTaskStatusUpdateEvent(value: unknown): value is t.TaskStatusUpdateEvent {
  if (!g.isObject(value)) return false;
  const v = value as Fields;
  if (!((typeof v.id === 'string' && v.id !== ''))) return false;
  if (!(isTaskStatus(v.status))) return false;
  if (v.final !== undefined && !(typeof v.final === 'boolean' || v.final === null)) return false;
  if (v.metadata !== undefined && !(g.isObject(v.metadata) || v.metadata === null)) return false;
  return true;
}

export function isTaskArtifactUpdateEvent(value: unknown): value is t.TaskArtifactUpdateEvent {
  if (!g.isObject(value)) return false;
  const v = value as Fields;
  if (!((typeof v.id === 'string' && v.id !== ''))) return false;
  if (!(isArtifact(v.artifact))) return false;
  if (v.metadata !== undefined && !(g.isObject(v.metadata) || v.metadata === null)) return false;
  return true;
}

export function isAuthenticationInfo(value: unknown): value is t.AuthenticationInfo {
  if (!g.isObject(value)) return false;
  const v = value as Fields;
  if (!(g.isList(v.schemes, g.isString))) return false;
  if (v.credentials !== undefined && !(typeof v.credentials === 'string' || v.credentials === null)) return false;
  return true;
}

export function isPushNotificationConfig(value: unknown): value is t.PushNotificationConfig {
  if (!g.isObject(value)) return false;
  const v = value as Fields;
  if (!((typeof v.url === 'string' && v.url !== ''))) return false;
  if (v.token !== undefined && !(typeof v.token === 'string' || v.token === null)) return false;
  if (v.authentication !== undefined && !(isAuthenticationInfo(v.authentication) || v.authentication === null)) return false;
  return true;
}

export function isTaskPushNotificationConfig(value: unknown): value is t.TaskPushNotificationConfig {
  if (!g.isObject(value)) return false;
  const v = value as Fields;
  if (!(typeof v.id === 'string')) return false;
  if (!(isPushNotificationConfig(v.pushNotificationConfig))) return false;
  return true;
}

export function isTaskIdParams(value: unknown): value is t.TaskIdParams {
  if (!g.isObject(value)) return false;
  const v = value as Fields;
  if (!((typeof v.id === 'string' && v.id !== ''))) return false;
  if (v.metadata !== undefined && !(g.isObject(v.metadata) || v.metadata === null)) return false;
  return true;
}

export function isTaskQueryParams(value: unknown): value is t.TaskQueryParams {
  if (!g.isObject(value)) return false;
  const v = value as Fields;
  if (!((typeof v.id === 'string' && v.id !== ''))) return false;
  if (v.historyLength !== undefined && !(g.isInt32(v.historyLength) || v.historyLength === null)) return false;
  if (v.metadata !== undefined && !(g.isObject(v.metadata) || v.metadata === null)) return false;
  return true;
}

export function isTaskSendParams(value: unknown): value is t.TaskSendParams {
  if (!g.isObject(value)) return false;
  const v = value as Fields;
  if (!((typeof v.id === 'string' && v.id !== ''))) return false;
  if (v.sessionId !== undefined && !(typeof v.sessionId === 'string' || v.sessionId === null)) return false;
  if (!(isMessage(v.message))) return false;
  if (v.acceptedOutputModes !== undefined && !(g.isList(v.acceptedOutputModes, g.isString) || v.acceptedOutputModes === null)) return false;
  if (v.pushNotification !== undefined && !(isPushNotificationConfig(v.pushNotification) || v.pushNotification === null)) return false;
  if (v.historyLength !== undefined && !(g.isInt32(v.historyLength) || v.historyLength === null)) return false;
  if (v.metadata !== undefined && !(g.isObject(v.metadata) || v.metadata === null)) return false;
  return true;
}

export function isAgentProvider(value: unknown): value is t.AgentProvider {
  if (!g.isObject(value)) return false;
  const v = value as Fields;
  if (!(typeof v.organization === 'string')) return false;
  if (v.url !== undefined && !(typeof v.url === 'string' || v.url === null)) return false;
  return true;
}

export function isAgentCapabilities(value: unknown): value is t.AgentCapabilities {
  if (!g.isObject(value)) return false;
  const v = value as Fields;
  if (v.streaming !== undefined && !(typeof v.streaming === 'boolean' || v.streaming === null)) return false;
  if (v.pushNotifications !== undefined && !(typeof v.pushNotifications === 'boolean' || v.pushNotifications === null)) return false;
  if (v.stateTransitionHistory !== undefined && !(typeof v.stateTransitionHistory === 'boolean' || v.stateTransitionHistory === null)) return false;
  if (v.knowledgeGraph !== undefined && !(typeof v.knowledgeGraph === 'boolean' || v.knowledgeGraph === null)) return false;
  if (v.knowledgeGraphQueryLanguages !== undefined && !(g.isList(v.knowledgeGraphQueryLanguages, g.isString) || v.knowledgeGraphQueryLanguages === null)) return false;
  return true;
}

export function isAgentAuthentication(value: unknown): value is t.AgentAuthentication {
  if (!g.isObject(value)) return false;
  const v = value as Fields;
  if (!(g.isList(v.schemes, g.isString))) return false;
  if (v.credentials !== undefined && !(typeof v.credentials === 'string' || v.credentials === null)) return false;
  return true;
}

export function isAgentSkill(value: unknown): value is t.AgentSkill {
  if (!g.isObject(value)) return false;
  const v = value as Fields;
  if (!(typeof v.id === 'string')) return false;
  if (!(typeof v.name === 'string')) return false;
  if (v.description !== undefined && !(typeof v.description === 'string' || v.description === null)) return false;
  if (v.tags !== undefined && !(g.isList(v.tags, g.isString) || v.tags === null)) return false;
  if (v.examples !== undefined && !(g.isList(v.examples, g.isString) || v.examples === null)) return false;
  if (v.inputModes !== undefined && !(g.isList(v.inputModes, g.isString) || v.inputModes === null)) return false;
  if (v.outputModes !== undefined && !(g.isList(v.outputModes, g.isString) || v.outputModes === null)) return false;
  return true;
}

export function isAgentCard(value: unknown): value is t.AgentCard {
  if (!g.isObject(value)) return false;
  const v = value as Fields;
  if (!(typeof v.name === 'string')) return false;
  if (v.description !== undefined && !(typeof v.description === 'string' || v.description === null)) return false;
  if (!((typeof v.url === 'string' && v.url !== ''))) return false;
  if (v.provider !== undefined && !(isAgentProvider(v.provider) || v.provider === null)) return false;
  if (!(typeof v.version === 'string')) return false;
  if (v.documentationUrl !== undefined && !(typeof v.documentationUrl === 'string' || v.documentationUrl === null)) return false;
  if (!(isAgentCapabilities(v.capabilities))) return false;
  if (v.authentication !== undefined && !(isAgentAuthentication(v.authentication) || v.authentication === null)) return false;
  if (v.defaultInputModes !== undefined && !(g.isList(v.defaultInputModes, g.isString) || v.defaultInputModes === null)) return false;
  if (v.defaultOutputModes !== undefined && !(g.isList(v.defaultOutputModes, g.isString) || v.defaultOutputModes === null)) return false;
  if (!(g.isList(v.skills, isAgentSkill))) return false;
  return true;
}
