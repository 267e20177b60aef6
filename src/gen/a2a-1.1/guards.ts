// Generated from proto/a2a-1.1/lf/a2a/v1/a2a.proto and codegen/schemas/a2a-1.1.json by `npm run generate`. Do not edit.

import type { Guard } from '../api.ts';
import * as g from '../checks.ts';

type Fields = Readonly<Record<string, unknown>>;

const namesTaskState = new Set<unknown>(['TASK_STATE_UNSPECIFIED', 'TASK_STATE_SUBMITTED', 'TASK_STATE_WORKING', 'TASK_STATE_COMPLETED', 'TASK_STATE_FAILED', 'TASK_STATE_CANCELED', 'TASK_STATE_INPUT_REQUIRED', 'TASK_STATE_REJECTED', 'TASK_STATE_AUTH_REQUIRED']);
export const isTaskState = (value: unknown): boolean => namesTaskState.has(value);
const namesRole = new Set<unknown>(['ROLE_UNSPECIFIED', 'ROLE_USER', 'ROLE_AGENT']);
export const isRole = (value: unknown): boolean => namesRole.has(value);

export function isAPIKeySecurityScheme(value: unknown): boolean {
  if (!g.isObject(value)) return false;
  const v = value as Fields;
  if (v.description !== undefined && !(typeof v.description === 'string')) return false;
  if (!(typeof v.location === 'string' && v.location !== '')) return false;
  if (!(typeof v.name === 'string' && v.name !== '')) return false;
  return true;
}

export function isAgentCapabilities(value: unknown): boolean {
  if (!g.isObject(value)) return false;
  const v = value as Fields;
  if (v.extendedAgentCard !== undefined && !(typeof v.extendedAgentCard === 'boolean')) return false;
  if (v.extensions !== undefined && !(g.isList(v.extensions, isAgentExtension))) return false;
  if (v.pushNotifications !== undefined && !(typeof v.pushNotifications === 'boolean')) return false;
  if (v.streaming !== undefined && !(typeof v.streaming === 'boolean')) return false;
  return true;
}

export function isAgentCard(value: unknown): boolean {
  if (!g.isObject(value)) return false;
  const v = value as Fields;
  if (!(isAgentCapabilities(v.capabilities))) return false;
  if (!(g.isList(v.defaultInputModes, g.isString))) return false;
  if (!(g.isList(v.defaultOutputModes, g.isString))) return false;
  if (!(typeof v.description === 'string')) return false;
  if (v.documentationUrl !== undefined && !(typeof v.documentationUrl === 'string')) return false;
  if (v.iconUrl !== undefined && !(typeof v.iconUrl === 'string')) return false;
  if (!(typeof v.name === 'string' && v.name !== '')) return false;
  if (v.provider !== undefined && !(isAgentProvider(v.provider))) return false;
  if (v.securityRequirements !== undefined && !(g.isList(v.securityRequirements, isSecurityRequirement))) return false;
  if (v.securitySchemes !== undefined && !(g.isMap(v.securitySchemes, isSecurityScheme))) return false;
  if (v.signatures !== undefined && !(g.isList(v.signatures, isAgentCardSignature))) return false;
  if (!(g.isList(v.skills, isAgentSkill))) return false;
  if (!(g.isList(v.supportedInterfaces, isAgentInterface))) return false;
  if (!(typeof v.version === 'string')) return false;
  return true;
}

export function isAgentCardSignature(value: unknown): boolean {
  if (!g.isObject(value)) return false;
  const v = value as Fields;
  if (v.header !== undefined && !(g.isObject(v.header))) return false;
  if (!(typeof v.protected === 'string' && v.protected !== '')) return false;
  if (!(typeof v.signature === 'string' && v.signature !== '')) return false;
  return true;
}

export function isAgentExtension(value: unknown): boolean {
  if (!g.isObject(value)) return false;
  const v = value as Fields;
  if (v.description !== undefined && !(typeof v.description === 'string')) return false;
  if (v.params !== undefined && !(g.isObject(v.params))) return false;
  if (v.required !== undefined && !(typeof v.required === 'boolean')) return false;
  if (v.uri !== undefined && !(typeof v.uri === 'string')) return false;
  return true;
}

export function isAgentInterface(value: unknown): boolean {
  if (!g.isObject(value)) return false;
  const v = value as Fields;
  if (!(typeof v.protocolBinding === 'string' && v.protocolBinding !== '')) return false;
  if (!(typeof v.protocolVersion === 'string')) return false;
  if (v.tenant !== undefined && !(typeof v.tenant === 'string')) return false;
  if (!(typeof v.url === 'string' && v.url !== '')) return false;
  return true;
}

export function isAgentProvider(value: unknown): boolean {
  if (!g.isObject(value)) return false;
  const v = value as Fields;
  if (!(typeof v.organization === 'string')) return false;
  if (!(typeof v.url === 'string')) return false;
  return true;
}

export function isAgentSkill(value: unknown): boolean {
  if (!g.isObject(value)) return false;
  const v = value as Fields;
  if (!(typeof v.description === 'string')) return false;
  if (v.examples !== undefined && !(g.isList(v.examples, g.isString))) return false;
  if (!(typeof v.id === 'string' && v.id !== '')) return false;
  if (v.inputModes !== undefined && !(g.isList(v.inputModes, g.isString))) return false;
  if (!(typeof v.name === 'string')) return false;
  if (v.outputModes !== undefined && !(g.isList(v.outputModes, g.isString))) return false;
  if (v.securityRequirements !== undefined && !(g.isList(v.securityRequirements, isSecurityRequirement))) return false;
  if (!(g.isList(v.tags, g.isString))) return false;
  return true;
}

export function isArtifact(value: unknown): boolean {
  if (!g.isObject(value)) return false;
  const v = value as Fields;
  if (!(typeof v.artifactId === 'string' && v.artifactId !== '')) return false;
  if (v.description !== undefined && !(typeof v.description === 'string')) return false;
  if (v.extensions !== undefined && !(g.isList(v.extensions, g.isString))) return false;
  if (v.metadata !== undefined && !(g.isObject(v.metadata))) return false;
  if (v.name !== undefined && !(typeof v.name === 'string')) return false;
  if (!(g.isList(v.parts, isPart))) return false;
  return true;
}

export function isAuthenticationInfo(value: unknown): boolean {
  if (!g.isObject(value)) return false;
  const v = value as Fields;
  if (v.credentials !== undefined && !(typeof v.credentials === 'string')) return false;
  if (!(typeof v.scheme === 'string' && v.scheme !== '')) return false;
  return true;
}

export function isAuthorizationCodeOAuthFlow(value: unknown): boolean {
  if (!g.isObject(value)) return false;
  const v = value as Fields;
  if (!(typeof v.authorizationUrl === 'string' && v.authorizationUrl !== '')) return false;
  if (v.pkceRequired !== undefined && !(typeof v.pkceRequired === 'boolean')) return false;
  if (v.refreshUrl !== undefined && !(typeof v.refreshUrl === 'string')) return false;
  if (!(g.isMap(v.scopes, g.isString))) return false;
  if (!(typeof v.tokenUrl === 'string' && v.tokenUrl !== '')) return false;
  return true;
}

export function isCancelTaskRequest(value: unknown): boolean {
  if (!g.isObject(value)) return false;
  const v = value as Fields;
  if (!(typeof v.id === 'string' && v.id !== '')) return false;
  if (v.metadata !== undefined && !(g.isObject(v.metadata))) return false;
  if (v.tenant !== undefined && !(typeof v.tenant === 'string')) return false;
  return true;
}

export function isClientCredentialsOAuthFlow(value: unknown): boolean {
  if (!g.isObject(value)) return false;
  const v = value as Fields;
  if (v.refreshUrl !== undefined && !(typeof v.refreshUrl === 'string')) return false;
  if (!(g.isMap(v.scopes, g.isString))) return false;
  if (!(typeof v.tokenUrl === 'string' && v.tokenUrl !== '')) return false;
  return true;
}

export function isDeleteTaskPushNotificationConfigRequest(value: unknown): boolean {
  if (!g.isObject(value)) return false;
  const v = value as Fields;
  if (!(typeof v.id === 'string' && v.id !== '')) return false;
  if (!(typeof v.taskId === 'string' && v.taskId !== '')) return false;
  if (v.tenant !== undefined && !(typeof v.tenant === 'string')) return false;
  return true;
}

export function isDeviceCodeOAuthFlow(value: unknown): boolean {
  if (!g.isObject(value)) return false;
  const v = value as Fields;
  if (!(typeof v.deviceAuthorizationUrl === 'string' && v.deviceAuthorizationUrl !== '')) return false;
  if (v.refreshUrl !== undefined && !(typeof v.refreshUrl === 'string')) return false;
  if (!(g.isMap(v.scopes, g.isString))) return false;
  if (!(typeof v.tokenUrl === 'string' && v.tokenUrl !== '')) return false;
  return true;
}

export function isGetExtendedAgentCardRequest(value: unknown): boolean {
  if (!g.isObject(value)) return false;
  const v = value as Fields;
  if (v.tenant !== undefined && !(typeof v.tenant === 'string')) return false;
  return true;
}

export function isGetTaskPushNotificationConfigRequest(value: unknown): boolean {
  if (!g.isObject(value)) return false;
  const v = value as Fields;
  if (!(typeof v.id === 'string' && v.id !== '')) return false;
  if (!(typeof v.taskId === 'string' && v.taskId !== '')) return false;
  if (v.tenant !== undefined && !(typeof v.tenant === 'string')) return false;
  return true;
}

export function isGetTaskRequest(value: unknown): boolean {
  if (!g.isObject(value)) return false;
  const v = value as Fields;
  if (v.currentGeneration !== undefined && !(g.isInt64(v.currentGeneration))) return false;
  if (v.historyLength !== undefined && !(g.isInt32(v.historyLength))) return false;
  if (!(typeof v.id === 'string' && v.id !== '')) return false;
  if (v.tenant !== undefined && !(typeof v.tenant === 'string')) return false;
  return true;
}

export function isHTTPAuthSecurityScheme(value: unknown): boolean {
  if (!g.isObject(value)) return false;
  const v = value as Fields;
  if (v.bearerFormat !== undefined && !(typeof v.bearerFormat === 'string')) return false;
  if (v.description !== undefined && !(typeof v.description === 'string')) return false;
  if (!(typeof v.scheme === 'string' && v.scheme !== '')) return false;
  return true;
}

export function isImplicitOAuthFlow(value: unknown): boolean {
  if (!g.isObject(value)) return false;
  const v = value as Fields;
  if (v.authorizationUrl !== undefined && !(typeof v.authorizationUrl === 'string')) return false;
  if (v.refreshUrl !== undefined && !(typeof v.refreshUrl === 'string')) return false;
  if (v.scopes !== undefined && !(g.isMap(v.scopes, g.isString))) return false;
  return true;
}

export function isListTaskPushNotificationConfigsRequest(value: unknown): boolean {
  if (!g.isObject(value)) return false;
  const v = value as Fields;
  if (v.pageSize !== undefined && !(g.isInt32(v.pageSize))) return false;
  if (v.pageToken !== undefined && !(typeof v.pageToken === 'string')) return false;
  if (!(typeof v.taskId === 'string' && v.taskId !== '')) return false;
  if (v.tenant !== undefined && !(typeof v.tenant === 'string')) return false;
  return true;
}

export function isListTaskPushNotificationConfigsResponse(value: unknown): boolean {
  if (!g.isObject(value)) return false;
  const v = value as Fields;
  if (v.configs !== undefined && !(g.isList(v.configs, isTaskPushNotificationConfig))) return false;
  if (v.nextPageToken !== undefined && !(typeof v.nextPageToken === 'string')) return false;
  return true;
}

export function isListTasksRequest(value: unknown): boolean {
  if (!g.isObject(value)) return false;
  const v = value as Fields;
  if (v.contextId !== undefined && !(typeof v.contextId === 'string')) return false;
  if (v.historyLength !== undefined && !(g.isInt32(v.historyLength))) return false;
  if (v.includeArtifacts !== undefined && !(typeof v.includeArtifacts === 'boolean')) return false;
  if (v.pageSize !== undefined && !(g.isInt32(v.pageSize))) return false;
  if (v.pageToken !== undefined && !(typeof v.pageToken === 'string')) return false;
  if (v.status !== undefined && !(namesTaskState.has(v.status))) return false;
  if (v.statusTimestampAfter !== undefined && !(g.isTimestamp(v.statusTimestampAfter))) return false;
  if (v.tenant !== undefined && !(typeof v.tenant === 'string')) return false;
  return true;
}

export function isListTasksResponse(value: unknown): boolean {
  if (!g.isObject(value)) return false;
  const v = value as Fields;
  if (!(typeof v.nextPageToken === 'string')) return false;
  if (!(g.isInt32(v.pageSize))) return false;
  if (!(g.isList(v.tasks, isTask))) return false;
  if (!(g.isInt32(v.totalSize))) return false;
  return true;
}

export function isMessage(value: unknown): boolean {
  if (!g.isObject(value)) return false;
  const v = value as Fields;
  if (v.contextId !== undefined && !(typeof v.contextId === 'string')) return false;
  if (v.extensions !== undefined && !(g.isList(v.extensions, g.isString))) return false;
  if (!(typeof v.messageId === 'string' && v.messageId !== '')) return false;
  if (v.metadata !== undefined && !(g.isObject(v.metadata))) return false;
  if (!(g.isSomeOf(v.parts, isPart))) return false;
  if (v.referenceTaskIds !== undefined && !(g.isList(v.referenceTaskIds, g.isString))) return false;
  if (!(namesRole.has(v.role) && v.role !== 'ROLE_UNSPECIFIED')) return false;
  if (v.taskId !== undefined && !(typeof v.taskId === 'string')) return false;
  return true;
}

export function isMutualTlsSecurityScheme(value: unknown): boolean {
  if (!g.isObject(value)) return false;
  const v = value as Fields;
  if (v.description !== undefined && !(typeof v.description === 'string')) return false;
  return true;
}

export function isOAuth2SecurityScheme(value: unknown): boolean {
  if (!g.isObject(value)) return false;
  const v = value as Fields;
  if (v.description !== undefined && !(typeof v.description === 'string')) return false;
  if (!(isOAuthFlows(v.flows))) return false;
  if (v.oauth2MetadataUrl !== undefined && !(typeof v.oauth2MetadataUrl === 'string')) return false;
  return true;
}

export function isOAuthFlows(value: unknown): boolean {
  if (!g.isObject(value)) return false;
  const v = value as Fields;
  if (v.authorizationCode !== undefined && !(isAuthorizationCodeOAuthFlow(v.authorizationCode))) return false;
  if (v.clientCredentials !== undefined && !(isClientCredentialsOAuthFlow(v.clientCredentials))) return false;
  if (v.deviceCode !== undefined && !(isDeviceCodeOAuthFlow(v.deviceCode))) return false;
  if (v.implicit !== undefined && !(isImplicitOAuthFlow(v.implicit))) return false;
  if (v.password !== undefined && !(isPasswordOAuthFlow(v.password))) return false;
  if (Number(v.authorizationCode !== undefined) + Number(v.clientCredentials !== undefined) + Number(v.implicit !== undefined) + Number(v.password !== undefined) + Number(v.deviceCode !== undefined) > 1) return false;
  return true;
}

export function isOpenIdConnectSecurityScheme(value: unknown): boolean {
  if (!g.isObject(value)) return false;
  const v = value as Fields;
  if (v.description !== undefined && !(typeof v.description === 'string')) return false;
  if (!(typeof v.openIdConnectUrl === 'string' && v.openIdConnectUrl !== '')) return false;
  return true;
}

export function isPart(value: unknown): boolean {
  if (!g.isObject(value)) return false;
  const v = value as Fields;
  if (v.filename !== undefined && !(typeof v.filename === 'string')) return false;
  if (v.mediaType !== undefined && !(typeof v.mediaType === 'string')) return false;
  if (v.metadata !== undefined && !(g.isObject(v.metadata))) return false;
  if (v.raw !== undefined && !(g.isBase64(v.raw))) return false;
  if (v.text !== undefined && !(typeof v.text === 'string')) return false;
  if (v.url !== undefined && !(typeof v.url === 'string')) return false;
  if (Number(v.text !== undefined) + Number(v.raw !== undefined) + Number(v.url !== undefined) + Number(v.data !== undefined) !== 1) return false;
  return true;
}

export function isPasswordOAuthFlow(value: unknown): boolean {
  if (!g.isObject(value)) return false;
  const v = value as Fields;
  if (v.refreshUrl !== undefined && !(typeof v.refreshUrl === 'string')) return false;
  if (v.scopes !== undefined && !(g.isMap(v.scopes, g.isString))) return false;
  if (v.tokenUrl !== undefined && !(typeof v.tokenUrl === 'string')) return false;
  return true;
}

export function isSecurityRequirement(value: unknown): boolean {
  if (!g.isObject(value)) return false;
  const v = value as Fields;
  if (v.schemes !== undefined && !(g.isMap(v.schemes, isStringList))) return false;
  return true;
}

export function isSecurityScheme(value: unknown): boolean {
  if (!g.isObject(value)) return false;
  const v = value as Fields;
  if (v.apiKeySecurityScheme !== undefined && !(isAPIKeySecurityScheme(v.apiKeySecurityScheme))) return false;
  if (v.httpAuthSecurityScheme !== undefined && !(isHTTPAuthSecurityScheme(v.httpAuthSecurityScheme))) return false;
  if (v.mtlsSecurityScheme !== undefined && !(isMutualTlsSecurityScheme(v.mtlsSecurityScheme))) return false;
  if (v.oauth2SecurityScheme !== undefined && !(isOAuth2SecurityScheme(v.oauth2SecurityScheme))) return false;
  if (v.openIdConnectSecurityScheme !== undefined && !(isOpenIdConnectSecurityScheme(v.openIdConnectSecurityScheme))) return false;
  if (Number(v.apiKeySecurityScheme !== undefined) + Number(v.httpAuthSecurityScheme !== undefined) + Number(v.oauth2SecurityScheme !== undefined) + Number(v.openIdConnectSecurityScheme !== undefined) + Number(v.mtlsSecurityScheme !== undefined) > 1) return false;
  return true;
}

export function isSendMessageConfiguration(value: unknown): boolean {
  if (!g.isObject(value)) return false;
  const v = value as Fields;
  if (v.acceptedOutputModes !== undefined && !(g.isList(v.acceptedOutputModes, g.isString))) return false;
  if (v.historyLength !== undefined && !(g.isInt32(v.historyLength))) return false;
  if (v.ifGenerationMatch !== undefined && !(g.isInt64(v.ifGenerationMatch))) return false;
  if (v.returnImmediately !== undefined && !(typeof v.returnImmediately === 'boolean')) return false;
  if (v.taskPushNotificationConfig !== undefined && !(isTaskPushNotificationConfig(v.taskPushNotificationConfig))) return false;
  return true;
}

export function isSendMessageRequest(value: unknown): boolean {
  if (!g.isObject(value)) return false;
  const v = value as Fields;
  if (v.configuration !== undefined && !(isSendMessageConfiguration(v.configuration))) return false;
  if (!(isMessage(v.message))) return false;
  if (v.metadata !== undefined && !(g.isObject(v.metadata))) return false;
  if (v.tenant !== undefined && !(typeof v.tenant === 'string')) return false;
  return true;
}

export function isSendMessageResponse(value: unknown): boolean {
  if (!g.isObject(value)) return false;
  const v = value as Fields;
  if (v.message !== undefined && !(isMessage(v.message))) return false;
  if (v.task !== undefined && !(isTask(v.task))) return false;
  if (Number(v.task !== undefined) + Number(v.message !== undefined) !== 1) return false;
  return true;
}

export function isStreamResponse(value: unknown): boolean {
  if (!g.isObject(value)) return false;
  const v = value as Fields;
  if (v.artifactUpdate !== undefined && !(isTaskArtifactUpdateEvent(v.artifactUpdate))) return false;
  if (v.message !== undefined && !(isMessage(v.message))) return false;
  if (v.statusUpdate !== undefined && !(isTaskStatusUpdateEvent(v.statusUpdate))) return false;
  if (v.task !== undefined && !(isTask(v.task))) return false;
  if (Number(v.task !== undefined) + Number(v.message !== undefined) + Number(v.statusUpdate !== undefined) + Number(v.artifactUpdate !== undefined) !== 1) return false;
  return true;
}

export function isStringList(value: unknown): boolean {
  if (!g.isObject(value)) return false;
  const v = value as Fields;
  if (v.list !== undefined && !(g.isList(v.list, g.isString))) return false;
  return true;
}

export function isSubscribeToTaskRequest(value: unknown): boolean {
  if (!g.isObject(value)) return false;
  const v = value as Fields;
  if (!(typeof v.id === 'string' && v.id !== '')) return false;
  if (v.tenant !== undefined && !(typeof v.tenant === 'string')) return false;
  return true;
}

export function isTask(value: unknown): boolean {
  if (!g.isObject(value)) return false;
  const v = value as Fields;
  if (v.artifacts !== undefined && !(g.isList(v.artifacts, isArtifact))) return false;
  if (v.contextId !== undefined && !(typeof v.contextId === 'string')) return false;
  if (v.generation !== undefined && !(g.isInt64(v.generation))) return false;
  if (v.history !== undefined && !(g.isList(v.history, isMessage))) return false;
  if (!(typeof v.id === 'string' && v.id !== '')) return false;
  if (v.metadata !== undefined && !(g.isObject(v.metadata))) return false;
  if (!(isTaskStatus(v.status))) return false;
  return true;
}

export function isTaskArtifactUpdateEvent(value: unknown): boolean {
  if (!g.isObject(value)) return false;
  const v = value as Fields;
  if (v.append !== undefined && !(typeof v.append === 'boolean')) return false;
  if (!(isArtifact(v.artifact))) return false;
  if (!(typeof v.contextId === 'string')) return false;
  if (v.generation !== undefined && !(g.isInt64(v.generation))) return false;
  if (v.lastChunk !== undefined && !(typeof v.lastChunk === 'boolean')) return false;
  if (v.metadata !== undefined && !(g.isObject(v.metadata))) return false;
  if (!(typeof v.taskId === 'string' && v.taskId !== '')) return false;
  return true;
}

export function isTaskPushNotificationConfig(value: unknown): boolean {
  if (!g.isObject(value)) return false;
  const v = value as Fields;
  if (v.authentication !== undefined && !(isAuthenticationInfo(v.authentication))) return false;
  if (v.id !== undefined && !(typeof v.id === 'string')) return false;
  if (v.taskId !== undefined && !(typeof v.taskId === 'string')) return false;
  if (v.tenant !== undefined && !(typeof v.tenant === 'string')) return false;
  if (v.token !== undefined && !(typeof v.token === 'string')) return false;
  if (!(typeof v.url === 'string' && v.url !== '')) return false;
  return true;
}

export function isTaskStatus(value: unknown): boolean {
  if (!g.isObject(value)) return false;
  const v = value as Fields;
  if (v.message !== undefined && !(isMessage(v.message))) return false;
  if (!(namesTaskState.has(v.state))) return false;
  if (v.timestamp !== undefined && !(g.isTimestamp(v.timestamp))) return false;
  return true;
}

export function isTaskStatusUpdateEvent(value: unknown): boolean {
  if (!g.isObject(value)) return false;
  const v = value as Fields;
  if (!(typeof v.contextId === 'string')) return false;
  if (v.generation !== undefined && !(g.isInt64(v.generation))) return false;
  if (v.metadata !== undefined && !(g.isObject(v.metadata))) return false;
  if (!(isTaskStatus(v.status))) return false;
  if (!(typeof v.taskId === 'string' && v.taskId !== '')) return false;
  return true;
}

/** Guards of `lf.a2a.v1` by full message name. */
export const guards: Readonly<Record<string, Guard>> = {
  'google.protobuf.Empty': g.isObject,
  'lf.a2a.v1.SendMessageConfiguration': isSendMessageConfiguration,
  'lf.a2a.v1.Task': isTask,
  'lf.a2a.v1.TaskStatus': isTaskStatus,
  'lf.a2a.v1.Part': isPart,
  'lf.a2a.v1.Message': isMessage,
  'lf.a2a.v1.Artifact': isArtifact,
  'lf.a2a.v1.TaskStatusUpdateEvent': isTaskStatusUpdateEvent,
  'lf.a2a.v1.TaskArtifactUpdateEvent': isTaskArtifactUpdateEvent,
  'lf.a2a.v1.AuthenticationInfo': isAuthenticationInfo,
  'lf.a2a.v1.AgentInterface': isAgentInterface,
  'lf.a2a.v1.AgentCard': isAgentCard,
  'lf.a2a.v1.AgentProvider': isAgentProvider,
  'lf.a2a.v1.AgentCapabilities': isAgentCapabilities,
  'lf.a2a.v1.AgentExtension': isAgentExtension,
  'lf.a2a.v1.AgentSkill': isAgentSkill,
  'lf.a2a.v1.AgentCardSignature': isAgentCardSignature,
  'lf.a2a.v1.TaskPushNotificationConfig': isTaskPushNotificationConfig,
  'lf.a2a.v1.StringList': isStringList,
  'lf.a2a.v1.SecurityRequirement': isSecurityRequirement,
  'lf.a2a.v1.SecurityScheme': isSecurityScheme,
  'lf.a2a.v1.APIKeySecurityScheme': isAPIKeySecurityScheme,
  'lf.a2a.v1.HTTPAuthSecurityScheme': isHTTPAuthSecurityScheme,
  'lf.a2a.v1.OAuth2SecurityScheme': isOAuth2SecurityScheme,
  'lf.a2a.v1.OpenIdConnectSecurityScheme': isOpenIdConnectSecurityScheme,
  'lf.a2a.v1.MutualTlsSecurityScheme': isMutualTlsSecurityScheme,
  'lf.a2a.v1.OAuthFlows': isOAuthFlows,
  'lf.a2a.v1.AuthorizationCodeOAuthFlow': isAuthorizationCodeOAuthFlow,
  'lf.a2a.v1.ClientCredentialsOAuthFlow': isClientCredentialsOAuthFlow,
  'lf.a2a.v1.ImplicitOAuthFlow': isImplicitOAuthFlow,
  'lf.a2a.v1.PasswordOAuthFlow': isPasswordOAuthFlow,
  'lf.a2a.v1.DeviceCodeOAuthFlow': isDeviceCodeOAuthFlow,
  'lf.a2a.v1.SendMessageRequest': isSendMessageRequest,
  'lf.a2a.v1.GetTaskRequest': isGetTaskRequest,
  'lf.a2a.v1.ListTasksRequest': isListTasksRequest,
  'lf.a2a.v1.ListTasksResponse': isListTasksResponse,
  'lf.a2a.v1.CancelTaskRequest': isCancelTaskRequest,
  'lf.a2a.v1.GetTaskPushNotificationConfigRequest': isGetTaskPushNotificationConfigRequest,
  'lf.a2a.v1.DeleteTaskPushNotificationConfigRequest': isDeleteTaskPushNotificationConfigRequest,
  'lf.a2a.v1.SubscribeToTaskRequest': isSubscribeToTaskRequest,
  'lf.a2a.v1.ListTaskPushNotificationConfigsRequest': isListTaskPushNotificationConfigsRequest,
  'lf.a2a.v1.GetExtendedAgentCardRequest': isGetExtendedAgentCardRequest,
  'lf.a2a.v1.SendMessageResponse': isSendMessageResponse,
  'lf.a2a.v1.StreamResponse': isStreamResponse,
  'lf.a2a.v1.ListTaskPushNotificationConfigsResponse': isListTaskPushNotificationConfigsResponse,
};
