// Generated from codegen/schemas/a2a-php-0.3.json by `npm run generate`. Do not edit.

import * as g from '../checks.ts';
import type * as t from './types.ts';

type Fields = Readonly<Record<string, unknown>>;

export function isFile(value: unknown): value is t.File {
  if (!g.isObject(value)) return false;
  const v = value as Fields;
  if (v.bytes !== undefined && !(typeof v.bytes === 'string' || v.bytes === null)) return false;
  if (v.uri !== undefined && !(typeof v.uri === 'string' || v.uri === null)) return false;
  if (v.url !== undefined && !(typeof v.url === 'string' || v.url === null)) return false;
  if (v.href !== undefined && !(typeof v.href === 'string' || v.href === null)) return false;
  if (v.mimeType !== undefined && !(typeof v.mimeType === 'string' || v.mimeType === null)) return false;
  if (v.name !== undefined && !(typeof v.name === 'string' || v.name === null)) return false;
  return true;
}

export function isPart(value: unknown): value is t.Part {
  if (!g.isObject(value)) return false;
  const v = value as Fields;
  if (v.kind !== undefined && !(typeof v.kind === 'string' || v.kind === null)) return false;
  if (v.type !== undefined && !(typeof v.type === 'string' || v.type === null)) return false;
  if (v.text !== undefined && !(typeof v.text === 'string' || g.isNumber(v.text) || typeof v.text === 'boolean' || v.text === null)) return false;
  if (v.file !== undefined && !(isFile(v.file) || v.file === null)) return false;
  if (v.data !== undefined && !(g.isObject(v.data) || g.isList(v.data, (item) => true) || v.data === null)) return false;
  if (v.metadata !== undefined && !(g.isObject(v.metadata) || g.isList(v.metadata, (item) => true) || v.metadata === null)) return false;
  return true;
}

export function isMessage(value: unknown): value is t.Message {
  if (!g.isObject(value)) return false;
  const v = value as Fields;
  if (v.kind !== undefined && !(typeof v.kind === 'string' || v.kind === null)) return false;
  if (v.messageId !== undefined && !(typeof v.messageId === 'string' || v.messageId === null)) return false;
  if (!((typeof v.role === 'string' && v.role !== ''))) return false;
  if (v.parts !== undefined && !(g.isList(v.parts, isPart) || v.parts === null)) return false;
  if (v.contextId !== undefined && !(typeof v.contextId === 'string' || v.contextId === null)) return false;
  if (v.taskId !== undefined && !(typeof v.taskId === 'string' || v.taskId === null)) return false;
  if (v.referenceTaskIds !== undefined && !(g.isList(v.referenceTaskIds, g.isString) || v.referenceTaskIds === null)) return false;
  if (v.extensions !== undefined && !(g.isList(v.extensions, g.isString) || v.extensions === null)) return false;
  if (v.metadata !== undefined && !(g.isObject(v.metadata) || g.isList(v.metadata, (item) => true) || v.metadata === null)) return false;
  return true;
}

export function isTaskStatus(value: unknown): value is t.TaskStatus {
  if (!g.isObject(value)) return false;
  const v = value as Fields;
  if (!((typeof v.state === 'string' && v.state !== ''))) return false;
  if (v.message !== undefined && !(isMessage(v.message) || v.message === null)) return false;
  if (v.timestamp !== undefined && !(typeof v.timestamp === 'string' || v.timestamp === null)) return false;
  return true;
}

export function isArtifact(value: unknown): value is t.Artifact {
  if (!g.isObject(value)) return false;
  const v = value as Fields;
  if (!((typeof v.artifactId === 'string' && v.artifactId !== ''))) return false;
  if (v.parts !== undefined && !(g.isList(v.parts, isPart) || v.parts === null)) return false;
  if (v.name !== undefined && !(typeof v.name === 'string' || v.name === null)) return false;
  if (v.description !== undefined && !(typeof v.description === 'string' || v.description === null)) return false;
  if (v.extensions !== undefined && !(g.isList(v.extensions, g.isString) || v.extensions === null)) return false;
  if (v.metadata !== undefined && !(g.isObject(v.metadata) || g.isList(v.metadata, (item) => true) || v.metadata === null)) return false;
  return true;
}

export function isTask(value: unknown): value is t.Task {
  if (!g.isObject(value)) return false;
  const v = value as Fields;
  if (v.kind !== undefined && !(typeof v.kind === 'string' || v.kind === null)) return false;
  if (!((typeof v.id === 'string' && v.id !== ''))) return false;
  if (v.contextId !== undefined && !(typeof v.contextId === 'string' || v.contextId === null)) return false;
  if (!(isTaskStatus(v.status))) return false;
  if (v.artifacts !== undefined && !(g.isList(v.artifacts, isArtifact) || v.artifacts === null)) return false;
  if (v.history !== undefined && !(g.isList(v.history, isMessage) || v.history === null)) return false;
  if (v.metadata !== undefined && !(g.isObject(v.metadata) || g.isList(v.metadata, (item) => true) || v.metadata === null)) return false;
  return true;
}

export function isTaskStatusUpdateEvent(value: unknown): value is t.TaskStatusUpdateEvent {
  if (!g.isObject(value)) return false;
  const v = value as Fields;
  if (v.kind !== undefined && !(typeof v.kind === 'string' || v.kind === null)) return false;
  if (!((typeof v.taskId === 'string' && v.taskId !== ''))) return false;
  if (v.contextId !== undefined && !(typeof v.contextId === 'string' || v.contextId === null)) return false;
  if (!(isTaskStatus(v.status))) return false;
  if (v.final !== undefined && !(typeof v.final === 'boolean' || v.final === null)) return false;
  if (v.metadata !== undefined && !(g.isObject(v.metadata) || g.isList(v.metadata, (item) => true) || v.metadata === null)) return false;
  return true;
}

export function isTaskArtifactUpdateEvent(value: unknown): value is t.TaskArtifactUpdateEvent {
  if (!g.isObject(value)) return false;
  const v = value as Fields;
  if (v.kind !== undefined && !(typeof v.kind === 'string' || v.kind === null)) return false;
  if (!((typeof v.taskId === 'string' && v.taskId !== ''))) return false;
  if (v.contextId !== undefined && !(typeof v.contextId === 'string' || v.contextId === null)) return false;
  if (!(isArtifact(v.artifact))) return false;
  if (v.append !== undefined && !(typeof v.append === 'boolean' || v.append === null)) return false;
  if (v.lastChunk !== undefined && !(typeof v.lastChunk === 'boolean' || v.lastChunk === null)) return false;
  if (v.metadata !== undefined && !(g.isObject(v.metadata) || g.isList(v.metadata, (item) => true) || v.metadata === null)) return false;
  return true;
}

export function isPushNotificationAuthenticationInfo(value: unknown): value is t.PushNotificationAuthenticationInfo {
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
  if (v.id !== undefined && !(typeof v.id === 'string' || v.id === null)) return false;
  if (v.token !== undefined && !(typeof v.token === 'string' || v.token === null)) return false;
  if (v.authentication !== undefined && !(isPushNotificationAuthenticationInfo(v.authentication) || v.authentication === null)) return false;
  return true;
}

export function isTaskPushNotificationConfig(value: unknown): value is t.TaskPushNotificationConfig {
  if (!g.isObject(value)) return false;
  const v = value as Fields;
  if (!(typeof v.taskId === 'string')) return false;
  if (v.pushNotificationConfig !== undefined && !(isPushNotificationConfig(v.pushNotificationConfig) || v.pushNotificationConfig === null)) return false;
  return true;
}

export const isTaskPushNotificationConfigs = (value: unknown): value is t.TaskPushNotificationConfigs => g.isList(value, isTaskPushNotificationConfig);

export function isMessageSendParams(value: unknown): value is t.MessageSendParams {
  if (!g.isObject(value)) return false;
  const v = value as Fields;
  if (!(isMessage(v.message))) return false;
  if (v.configuration !== undefined && !(g.isObject(v.configuration) || g.isList(v.configuration, (item) => true) || v.configuration === null)) return false;
  if (v.metadata !== undefined && !(g.isObject(v.metadata) || g.isList(v.metadata, (item) => true) || v.metadata === null)) return false;
  return true;
}

export function isTaskSendParams(value: unknown): value is t.TaskSendParams {
  if (!g.isObject(value)) return false;
  const v = value as Fields;
  if (!((typeof v.id === 'string' && v.id !== ''))) return false;
  if (!(isMessage(v.message))) return false;
  if (v.metadata !== undefined && !(g.isObject(v.metadata) || g.isList(v.metadata, (item) => true) || v.metadata === null)) return false;
  return true;
}

export function isTaskQueryParams(value: unknown): value is t.TaskQueryParams {
  if (!g.isObject(value)) return false;
  const v = value as Fields;
  if (v.id !== undefined && !(typeof v.id === 'string' || v.id === null)) return false;
  if (v.taskId !== undefined && !(typeof v.taskId === 'string' || v.taskId === null)) return false;
  if (v.historyLength !== undefined && !(g.isInt32(v.historyLength) || typeof v.historyLength === 'string' || v.historyLength === null)) return false;
  if (v.metadata !== undefined && !(g.isObject(v.metadata) || g.isList(v.metadata, (item) => true) || v.metadata === null)) return false;
  return true;
}

export function isTaskIdParams(value: unknown): value is t.TaskIdParams {
  if (!g.isObject(value)) return false;
  const v = value as Fields;
  if (v.id !== undefined && !(typeof v.id === 'string' || v.id === null)) return false;
  if (v.taskId !== undefined && !(typeof v.taskId === 'string' || v.taskId === null)) return false;
  if (v.metadata !== undefined && !(g.isObject(v.metadata) || g.isList(v.metadata, (item) => true) || v.metadata === null)) return false;
  return true;
}

export function isSetPushNotificationConfigParams(value: unknown): value is t.SetPushNotificationConfigParams {
  if (!g.isObject(value)) return false;
  const v = value as Fields;
  if (v.taskId !== undefined && !(typeof v.taskId === 'string' || v.taskId === null)) return false;
  if (v.id !== undefined && !(typeof v.id === 'string' || v.id === null)) return false;
  if (!(isPushNotificationConfig(v.pushNotificationConfig))) return false;
  return true;
}
