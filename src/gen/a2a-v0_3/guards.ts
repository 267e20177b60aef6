// Generated from proto/a2a/v1/a2a.proto by `npm run generate`. Do not edit.

import type { Guard } from '../api.ts';
import * as g from '../checks.ts';

type Fields = Readonly<Record<string, unknown>>;

const namesTaskState = new Set<unknown>(['TASK_STATE_UNSPECIFIED', 'TASK_STATE_SUBMITTED', 'TASK_STATE_WORKING', 'TASK_STATE_COMPLETED', 'TASK_STATE_FAILED', 'TASK_STATE_CANCELLED', 'TASK_STATE_INPUT_REQUIRED', 'TASK_STATE_REJECTED', 'TASK_STATE_AUTH_REQUIRED']);
export const isTaskState = (value: unknown): boolean => namesTaskState.has(value);
const namesRole = new Set<unknown>(['ROLE_UNSPECIFIED', 'ROLE_USER', 'ROLE_AGENT']);
export const isRole = (value: unknown): boolean => namesRole.has(value);

export function isSendMessageConfiguration(value: unknown): boolean {
  if (!g.isObject(value)) return false;
  const v = value as Fields;
  if (v.acceptedOutputModes !== undefined && !(g.isList(v.acceptedOutputModes, g.isString))) return false;
  if (v.pushNotification !== undefined && !(isPushNotificationConfig(v.pushNotification))) return false;
  if (v.historyLength !== undefined && !(g.isInt32(v.historyLength))) return false;
  if (v.blocking !== undefined && !(typeof v.blocking === 'boolean')) return false;
  return true;
}

export function isTask(value: unknown): boolean {
  if (!g.isObject(value)) return false;
  const v = value as Fields;
  if (v.id !== undefined && !(typeof v.id === 'string')) return false;
  if (v.contextId !== undefined && !(typeof v.contextId === 'string')) return false;
  if (v.status !== undefined && !(isTaskStatus(v.status))) return false;
  if (v.artifacts !== undefined && !(g.isList(v.artifacts, isArtifact))) return false;
  if (v.history !== undefined && !(g.isList(v.history, isMessage))) return false;
  if (v.metadata !== undefined && !(g.isObject(v.metadata))) return false;
  return true;
}

export function isTaskStatus(value: unknown): boolean {
  if (!g.isObject(value)) return false;
  const v = value as Fields;
  if (v.state !== undefined && !(namesTaskState.has(v.state))) return false;
  if (v.message !== undefined && !(isMessage(v.message))) return false;
  if (v.timestamp !== undefined && !(g.isTimestamp(v.timestamp))) return false;
  return true;
}

export function isPart(value: unknown): boolean {
  if (!g.isObject(value)) return false;
  const v = value as Fields;
  if (v.text !== undefined && !(typeof v.text === 'string')) return false;
  if (v.file !== undefined && !(isFilePart(v.file))) return false;
  if (v.data !== undefined && !(isDataPart(v.data))) return false;
  if (v.metadata !== undefined && !(g.isObject(v.metadata))) return false;
  if (Number(v.text !== undefined) + Number(v.file !== undefined) + Number(v.data !== undefined) !== 1) return false;
  return true;
}

export function isFilePart(value: unknown): boolean {
  if (!g.isObject(value)) return false;
  const v = value as Fields;
  if (v.fileWithUri !== undefined && !(typeof v.fileWithUri === 'string')) return false;
  if (v.fileWithBytes !== undefined && !(g.isBase64(v.fileWithBytes))) return false;
  if (v.mimeType !== undefined && !(typeof v.mimeType === 'string')) return false;
  if (v.name !== undefined && !(typeof v.name === 'string')) return false;
  if (Number(v.fileWithUri !== undefined) + Number(v.fileWithBytes !== undefined) !== 1) return false;
  return true;
}

export function isDataPart(value: unknown): boolean {
  if (!g.isObject(value)) return false;
  const v = value as Fields;
  if (v.data !== undefined && !(g.isObject(v.data))) return false;
  return true;
}

export function isMessage(value: unknown): boolean {
  if (!g.isObject(value)) return false;
  const v = value as Fields;
  if (v.messageId !== undefined && !(typeof v.messageId === 'string')) return false;
  if (v.contextId !== undefined && !(typeof v.contextId === 'string')) return false;
  if (v.taskId !== undefined && !(typeof v.taskId === 'string')) return false;
  if (v.role !== undefined && !(namesRole.has(v.role))) return false;
  if (v.content !== undefined && !(g.isList(v.content, isPart))) return false;
  if (v.metadata !== undefined && !(g.isObject(v.metadata))) return false;
  if (v.extensions !== undefined && !(g.isList(v.extensions, g.isString))) return false;
  return true;
}

export function isArtifact(value: unknown): boolean {
  if (!g.isObject(value)) return false;
  const v = value as Fields;
  if (v.artifactId !== undefined && !(typeof v.artifactId === 'string')) return false;
  if (v.name !== undefined && !(typeof v.name === 'string')) return false;
  if (v.description !== undefined && !(typeof v.description === 'string')) return false;
  if (v.parts !== undefined && !(g.isList(v.parts, isPart))) return false;
  if (v.metadata !== undefined && !(g.isObject(v.metadata))) return false;
  if (v.extensions !== undefined && !(g.isList(v.extensions, g.isString))) return false;
  return true;
}

export function isTaskStatusUpdateEvent(value: unknown): boolean {
  if (!g.isObject(value)) return false;
  const v = value as Fields;
  if (v.taskId !== undefined && !(typeof v.taskId === 'string')) return false;
  if (v.contextId !== undefined && !(typeof v.contextId === 'string')) return false;
  if (v.status !== undefined && !(isTaskStatus(v.status))) return false;
  if (v.final !== undefined && !(typeof v.final === 'boolean')) return false;
  if (v.metadata !== undefined && !(g.isObject(v.metadata))) return false;
  return true;
}

export function isTaskArtifactUpdateEvent(value: unknown): boolean {
  if (!g.isObject(value)) return false;
  const v = value as Fields;
  if (v.taskId !== undefined && !(typeof v.taskId === 'string')) return false;
  if (v.contextId !== undefined && !(typeof v.contextId === 'string')) return false;
  if (v.artifact !== undefined && !(isArtifact(v.artifact))) return false;
  if (v.append !== undefined && !(typeof v.append === 'boolean')) return false;
  if (v.lastChunk !== undefined && !(typeof v.lastChunk === 'boolean')) return false;
  if (v.metadata !== undefined && !(g.isObject(v.metadata))) return false;
  return true;
}

export function isPushNotificationConfig(value: unknown): boolean {
  if (!g.isObject(value)) return false;
  const v = value as Fields;
  if (v.id !== undefined && !(typeof v.id === 'string')) return false;
  if (v.url !== undefined && !(typeof v.url === 'string')) return false;
  if (v.token !== undefined && !(typeof v.token === 'string')) return false;
  if (v.authentication !== undefined && !(isAuthenticationInfo(v.authentication))) return false;
  return true;
}

export function isAuthenticationInfo(value: unknown): boolean {
  if (!g.isObject(value)) return false;
  const v = value as Fields;
  if (v.schemes !== undefined && !(g.isList(v.schemes, g.isString))) return false;
  if (v.credentials !== undefined && !(typeof v.credentials === 'string')) return false;
  return true;
}

export function isAgentInterface(value: unknown): boolean {
  if (!g.isObject(value)) return false;
  const v = value as Fields;
  if (v.url !== undefined && !(typeof v.url === 'string')) return false;
  if (v.transport !== undefined && !(typeof v.transport === 'string')) return false;
  return true;
}

export function isAgentCard(value: unknown): boolean {
  if (!g.isObject(value)) return false;
  const v = value as Fields;
  if (v.name !== undefined && !(typeof v.name === 'string')) return false;
  if (v.description !== undefined && !(typeof v.description === 'string')) return false;
  if (v.url !== undefined && !(typeof v.url === 'string')) return false;
  if (v.provider !== undefined && !(isAgentProvider(v.provider))) return false;
  if (v.version !== undefined && !(typeof v.version === 'string')) return false;
  if (v.documentationUrl !== undefined && !(typeof v.documentationUrl === 'string')) return false;
  if (v.capabilities !== undefined && !(isAgentCapabilities(v.capabilities))) return false;
  if (v.securitySchemes !== undefined && !(g.isMap(v.securitySchemes, isSecurityScheme))) return false;
  if (v.security !== undefined && !(g.isList(v.security, isSecurity))) return false;
  if (v.defaultInputModes !== undefined && !(g.isList(v.defaultInputModes, g.isString))) return false;
  if (v.defaultOutputModes !== undefined && !(g.isList(v.defaultOutputModes, g.isString))) return false;
  if (v.skills !== undefined && !(g.isList(v.skills, isAgentSkill))) return false;
  if (v.supportsAuthenticatedExtendedCard !== undefined && !(typeof v.supportsAuthenticatedExtendedCard === 'boolean')) return false;
  if (v.preferredTransport !== undefined && !(typeof v.preferredTransport === 'string')) return false;
  if (v.additionalInterfaces !== undefined && !(g.isList(v.additionalInterfaces, isAgentInterface))) return false;
  if (v.protocolVersion !== undefined && !(typeof v.protocolVersion === 'string')) return false;
  if (v.signatures !== undefined && !(g.isList(v.signatures, isAgentCardSignature))) return false;
  if (v.iconUrl !== undefined && !(typeof v.iconUrl === 'string')) return false;
  return true;
}

export function isAgentProvider(value: unknown): boolean {
  if (!g.isObject(value)) return false;
  const v = value as Fields;
  if (v.url !== undefined && !(typeof v.url === 'string')) return false;
  if (v.organization !== undefined && !(typeof v.organization === 'string')) return false;
  return true;
}

export function isAgentCapabilities(value: unknown): boolean {
  if (!g.isObject(value)) return false;
  const v = value as Fields;
  if (v.streaming !== undefined && !(typeof v.streaming === 'boolean')) return false;
  if (v.pushNotifications !== undefined && !(typeof v.pushNotifications === 'boolean')) return false;
  if (v.extensions !== undefined && !(g.isList(v.extensions, isAgentExtension))) return false;
  return true;
}

export function isAgentExtension(value: unknown): boolean {
  if (!g.isObject(value)) return false;
  const v = value as Fields;
  if (v.uri !== undefined && !(typeof v.uri === 'string')) return false;
  if (v.description !== undefined && !(typeof v.description === 'string')) return false;
  if (v.required !== undefined && !(typeof v.required === 'boolean')) return false;
  if (v.params !== undefined && !(g.isObject(v.params))) return false;
  return true;
}

export function isAgentSkill(value: unknown): boolean {
  if (!g.isObject(value)) return false;
  const v = value as Fields;
  if (v.id !== undefined && !(typeof v.id === 'string')) return false;
  if (v.name !== undefined && !(typeof v.name === 'string')) return false;
  if (v.description !== undefined && !(typeof v.description === 'string')) return false;
  if (v.tags !== undefined && !(g.isList(v.tags, g.isString))) return false;
  if (v.examples !== undefined && !(g.isList(v.examples, g.isString))) return false;
  if (v.inputModes !== undefined && !(g.isList(v.inputModes, g.isString))) return false;
  if (v.outputModes !== undefined && !(g.isList(v.outputModes, g.isString))) return false;
  if (v.security !== undefined && !(g.isList(v.security, isSecurity))) return false;
  return true;
}

export function isAgentCardSignature(value: unknown): boolean {
  if (!g.isObject(value)) return false;
  const v = value as Fields;
  if (!(typeof v.protected === 'string' && v.protected !== '')) return false;
  if (!(typeof v.signature === 'string' && v.signature !== '')) return false;
  if (v.header !== undefined && !(g.isObject(v.header))) return false;
  return true;
}

export function isTaskPushNotificationConfig(value: unknown): boolean {
  if (!g.isObject(value)) return false;
  const v = value as Fields;
  if (v.name !== undefined && !(typeof v.name === 'string')) return false;
  if (v.pushNotificationConfig !== undefined && !(isPushNotificationConfig(v.pushNotificationConfig))) return false;
  return true;
}

export function isStringList(value: unknown): boolean {
  if (!g.isObject(value)) return false;
  const v = value as Fields;
  if (v.list !== undefined && !(g.isList(v.list, g.isString))) return false;
  return true;
}

export function isSecurity(value: unknown): boolean {
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
  if (v.oauth2SecurityScheme !== undefined && !(isOAuth2SecurityScheme(v.oauth2SecurityScheme))) return false;
  if (v.openIdConnectSecurityScheme !== undefined && !(isOpenIdConnectSecurityScheme(v.openIdConnectSecurityScheme))) return false;
  if (v.mtlsSecurityScheme !== undefined && !(isMutualTlsSecurityScheme(v.mtlsSecurityScheme))) return false;
  if (Number(v.apiKeySecurityScheme !== undefined) + Number(v.httpAuthSecurityScheme !== undefined) + Number(v.oauth2SecurityScheme !== undefined) + Number(v.openIdConnectSecurityScheme !== undefined) + Number(v.mtlsSecurityScheme !== undefined) > 1) return false;
  return true;
}

export function isAPIKeySecurityScheme(value: unknown): boolean {
  if (!g.isObject(value)) return false;
  const v = value as Fields;
  if (v.description !== undefined && !(typeof v.description === 'string')) return false;
  if (v.location !== undefined && !(typeof v.location === 'string')) return false;
  if (v.name !== undefined && !(typeof v.name === 'string')) return false;
  return true;
}

export function isHTTPAuthSecurityScheme(value: unknown): boolean {
  if (!g.isObject(value)) return false;
  const v = value as Fields;
  if (v.description !== undefined && !(typeof v.description === 'string')) return false;
  if (v.scheme !== undefined && !(typeof v.scheme === 'string')) return false;
  if (v.bearerFormat !== undefined && !(typeof v.bearerFormat === 'string')) return false;
  return true;
}

export function isOAuth2SecurityScheme(value: unknown): boolean {
  if (!g.isObject(value)) return false;
  const v = value as Fields;
  if (v.description !== undefined && !(typeof v.description === 'string')) return false;
  if (v.flows !== undefined && !(isOAuthFlows(v.flows))) return false;
  if (v.oauth2MetadataUrl !== undefined && !(typeof v.oauth2MetadataUrl === 'string')) return false;
  return true;
}

export function isOpenIdConnectSecurityScheme(value: unknown): boolean {
  if (!g.isObject(value)) return false;
  const v = value as Fields;
  if (v.description !== undefined && !(typeof v.description === 'string')) return false;
  if (v.openIdConnectUrl !== undefined && !(typeof v.openIdConnectUrl === 'string')) return false;
  return true;
}

export function isMutualTlsSecurityScheme(value: unknown): boolean {
  if (!g.isObject(value)) return false;
  const v = value as Fields;
  if (v.description !== undefined && !(typeof v.description === 'string')) return false;
  return true;
}

export function isOAuthFlows(value: unknown): boolean {
  if (!g.isObject(value)) return false;
  const v = value as Fields;
  if (v.authorizationCode !== undefined && !(isAuthorizationCodeOAuthFlow(v.authorizationCode))) return false;
  if (v.clientCredentials !== undefined && !(isClientCredentialsOAuthFlow(v.clientCredentials))) return false;
  if (v.implicit !== undefined && !(isImplicitOAuthFlow(v.implicit))) return false;
  if (v.password !== undefined && !(isPasswordOAuthFlow(v.password))) return false;
  if (Number(v.authorizationCode !== undefined) + Number(v.clientCredentials !== undefined) + Number(v.implicit !== undefined) + Number(v.password !== undefined) > 1) return false;
  return true;
}

export function isAuthorizationCodeOAuthFlow(value: unknown): boolean {
  if (!g.isObject(value)) return false;
  const v = value as Fields;
  if (v.authorizationUrl !== undefined && !(typeof v.authorizationUrl === 'string')) return false;
  if (v.tokenUrl !== undefined && !(typeof v.tokenUrl === 'string')) return false;
  if (v.refreshUrl !== undefined && !(typeof v.refreshUrl === 'string')) return false;
  if (v.scopes !== undefined && !(g.isMap(v.scopes, g.isString))) return false;
  return true;
}

export function isClientCredentialsOAuthFlow(value: unknown): boolean {
  if (!g.isObject(value)) return false;
  const v = value as Fields;
  if (v.tokenUrl !== undefined && !(typeof v.tokenUrl === 'string')) return false;
  if (v.refreshUrl !== undefined && !(typeof v.refreshUrl === 'string')) return false;
  if (v.scopes !== undefined && !(g.isMap(v.scopes, g.isString))) return false;
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

export function isPasswordOAuthFlow(value: unknown): boolean {
  if (!g.isObject(value)) return false;
  const v = value as Fields;
  if (v.tokenUrl !== undefined && !(typeof v.tokenUrl === 'string')) return false;
  if (v.refreshUrl !== undefined && !(typeof v.refreshUrl === 'string')) return false;
  if (v.scopes !== undefined && !(g.isMap(v.scopes, g.isString))) return false;
  return true;
}

export function isSendMessageRequest(value: unknown): boolean {
  if (!g.isObject(value)) return false;
  const v = value as Fields;
  if (!(isMessage(v.message))) return false;
  if (v.configuration !== undefined && !(isSendMessageConfiguration(v.configuration))) return false;
  if (v.metadata !== undefined && !(g.isObject(v.metadata))) return false;
  return true;
}

export function isGetTaskRequest(value: unknown): boolean {
  if (!g.isObject(value)) return false;
  const v = value as Fields;
  if (!(typeof v.name === 'string' && v.name !== '')) return false;
  if (v.historyLength !== undefined && !(g.isInt32(v.historyLength))) return false;
  return true;
}

export function isCancelTaskRequest(value: unknown): boolean {
  if (!g.isObject(value)) return false;
  const v = value as Fields;
  if (v.name !== undefined && !(typeof v.name === 'string')) return false;
  return true;
}

export function isGetTaskPushNotificationConfigRequest(value: unknown): boolean {
  if (!g.isObject(value)) return false;
  const v = value as Fields;
  if (v.name !== undefined && !(typeof v.name === 'string')) return false;
  return true;
}

export function isDeleteTaskPushNotificationConfigRequest(value: unknown): boolean {
  if (!g.isObject(value)) return false;
  const v = value as Fields;
  if (v.name !== undefined && !(typeof v.name === 'string')) return false;
  return true;
}

export function isCreateTaskPushNotificationConfigRequest(value: unknown): boolean {
  if (!g.isObject(value)) return false;
  const v = value as Fields;
  if (!(typeof v.parent === 'string' && v.parent !== '')) return false;
  if (!(typeof v.configId === 'string')) return false;
  if (!(isTaskPushNotificationConfig(v.config))) return false;
  return true;
}

export function isTaskSubscriptionRequest(value: unknown): boolean {
  if (!g.isObject(value)) return false;
  const v = value as Fields;
  if (v.name !== undefined && !(typeof v.name === 'string')) return false;
  return true;
}

export function isListTaskPushNotificationConfigRequest(value: unknown): boolean {
  if (!g.isObject(value)) return false;
  const v = value as Fields;
  if (v.parent !== undefined && !(typeof v.parent === 'string')) return false;
  if (v.pageSize !== undefined && !(g.isInt32(v.pageSize))) return false;
  if (v.pageToken !== undefined && !(typeof v.pageToken === 'string')) return false;
  return true;
}

export function isGetAgentCardRequest(value: unknown): boolean {
  if (!g.isObject(value)) return false;
  return true;
}

export function isSendMessageResponse(value: unknown): boolean {
  if (!g.isObject(value)) return false;
  const v = value as Fields;
  if (v.task !== undefined && !(isTask(v.task))) return false;
  if (v.message !== undefined && !(isMessage(v.message))) return false;
  if (Number(v.task !== undefined) + Number(v.message !== undefined) !== 1) return false;
  return true;
}

export function isStreamResponse(value: unknown): boolean {
  if (!g.isObject(value)) return false;
  const v = value as Fields;
  if (v.task !== undefined && !(isTask(v.task))) return false;
  if (v.message !== undefined && !(isMessage(v.message))) return false;
  if (v.statusUpdate !== undefined && !(isTaskStatusUpdateEvent(v.statusUpdate))) return false;
  if (v.artifactUpdate !== undefined && !(isTaskArtifactUpdateEvent(v.artifactUpdate))) return false;
  if (Number(v.task !== undefined) + Number(v.message !== undefined) + Number(v.statusUpdate !== undefined) + Number(v.artifactUpdate !== undefined) !== 1) return false;
  return true;
}

export function isListTaskPushNotificationConfigResponse(value: unknown): boolean {
  if (!g.isObject(value)) return false;
  const v = value as Fields;
  if (v.configs !== undefined && !(g.isList(v.configs, isTaskPushNotificationConfig))) return false;
  if (v.nextPageToken !== undefined && !(typeof v.nextPageToken === 'string')) return false;
  return true;
}

/** Guards of `a2a.v1` by full message name. */
export const guards: Readonly<Record<string, Guard>> = {
  'google.protobuf.Empty': g.isObject,
  'a2a.v1.SendMessageConfiguration': isSendMessageConfiguration,
  'a2a.v1.Task': isTask,
  'a2a.v1.TaskStatus': isTaskStatus,
  'a2a.v1.Part': isPart,
  'a2a.v1.FilePart': isFilePart,
  'a2a.v1.DataPart': isDataPart,
  'a2a.v1.Message': isMessage,
  'a2a.v1.Artifact': isArtifact,
  'a2a.v1.TaskStatusUpdateEvent': isTaskStatusUpdateEvent,
  'a2a.v1.TaskArtifactUpdateEvent': isTaskArtifactUpdateEvent,
  'a2a.v1.PushNotificationConfig': isPushNotificationConfig,
  'a2a.v1.AuthenticationInfo': isAuthenticationInfo,
  'a2a.v1.AgentInterface': isAgentInterface,
  'a2a.v1.AgentCard': isAgentCard,
  'a2a.v1.AgentProvider': isAgentProvider,
  'a2a.v1.AgentCapabilities': isAgentCapabilities,
  'a2a.v1.AgentExtension': isAgentExtension,
  'a2a.v1.AgentSkill': isAgentSkill,
  'a2a.v1.AgentCardSignature': isAgentCardSignature,
  'a2a.v1.TaskPushNotificationConfig': isTaskPushNotificationConfig,
  'a2a.v1.StringList': isStringList,
  'a2a.v1.Security': isSecurity,
  'a2a.v1.SecurityScheme': isSecurityScheme,
  'a2a.v1.APIKeySecurityScheme': isAPIKeySecurityScheme,
  'a2a.v1.HTTPAuthSecurityScheme': isHTTPAuthSecurityScheme,
  'a2a.v1.OAuth2SecurityScheme': isOAuth2SecurityScheme,
  'a2a.v1.OpenIdConnectSecurityScheme': isOpenIdConnectSecurityScheme,
  'a2a.v1.MutualTlsSecurityScheme': isMutualTlsSecurityScheme,
  'a2a.v1.OAuthFlows': isOAuthFlows,
  'a2a.v1.AuthorizationCodeOAuthFlow': isAuthorizationCodeOAuthFlow,
  'a2a.v1.ClientCredentialsOAuthFlow': isClientCredentialsOAuthFlow,
  'a2a.v1.ImplicitOAuthFlow': isImplicitOAuthFlow,
  'a2a.v1.PasswordOAuthFlow': isPasswordOAuthFlow,
  'a2a.v1.SendMessageRequest': isSendMessageRequest,
  'a2a.v1.GetTaskRequest': isGetTaskRequest,
  'a2a.v1.CancelTaskRequest': isCancelTaskRequest,
  'a2a.v1.GetTaskPushNotificationConfigRequest': isGetTaskPushNotificationConfigRequest,
  'a2a.v1.DeleteTaskPushNotificationConfigRequest': isDeleteTaskPushNotificationConfigRequest,
  'a2a.v1.CreateTaskPushNotificationConfigRequest': isCreateTaskPushNotificationConfigRequest,
  'a2a.v1.TaskSubscriptionRequest': isTaskSubscriptionRequest,
  'a2a.v1.ListTaskPushNotificationConfigRequest': isListTaskPushNotificationConfigRequest,
  'a2a.v1.GetAgentCardRequest': isGetAgentCardRequest,
  'a2a.v1.SendMessageResponse': isSendMessageResponse,
  'a2a.v1.StreamResponse': isStreamResponse,
  'a2a.v1.ListTaskPushNotificationConfigResponse': isListTaskPushNotificationConfigResponse,
};
