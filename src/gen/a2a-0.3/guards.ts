// Generated from codegen/schemas/a2a-0.3.json by `npm run generate`. Do not edit.

import * as g from '../checks.ts';
import type * as t from './types.ts';

type Fields = Readonly<Record<string, unknown>>;

const pattern0 = new RegExp('^0\\.3(?:\\.|$)', 'u');

export function isTextPart(value: unknown): value is t.TextPart {
  if (!g.isObject(value)) return false;
  const v = value as Fields;
  if (v.kind !== undefined && !(v.kind === 'text')) return false;
  if (!(typeof v.text === 'string')) return false;
  if (v.metadata !== undefined && !(g.isObject(v.metadata) || v.metadata === null)) return false;
  return true;
}

export function isFileWithBytes(value: unknown): value is t.FileWithBytes {
  if (!g.isObject(value)) return false;
  const v = value as Fields;
  if (!(typeof v.bytes === 'string')) return false;
  if (v.mimeType !== undefined && !(typeof v.mimeType === 'string' || v.mimeType === null)) return false;
  if (v.name !== undefined && !(typeof v.name === 'string' || v.name === null)) return false;
  return true;
}

export function isFileWithUri(value: unknown): value is t.FileWithUri {
  if (!g.isObject(value)) return false;
  const v = value as Fields;
  if (!(typeof v.uri === 'string')) return false;
  if (v.mimeType !== undefined && !(typeof v.mimeType === 'string' || v.mimeType === null)) return false;
  if (v.name !== undefined && !(typeof v.name === 'string' || v.name === null)) return false;
  return true;
}

export function isFileWithUrl(value: unknown): value is t.FileWithUrl {
  if (!g.isObject(value)) return false;
  const v = value as Fields;
  if (!(typeof v.url === 'string')) return false;
  if (v.mimeType !== undefined && !(typeof v.mimeType === 'string' || v.mimeType === null)) return false;
  if (v.name !== undefined && !(typeof v.name === 'string' || v.name === null)) return false;
  return true;
}

export function isFilePart(value: unknown): value is t.FilePart {
  if (!g.isObject(value)) return false;
  const v = value as Fields;
  if (v.kind !== undefined && !(v.kind === 'file')) return false;
  if (!(isFileWithBytes(v.file) || isFileWithUri(v.file) || isFileWithUrl(v.file))) return false;
  if (v.metadata !== undefined && !(g.isObject(v.metadata) || v.metadata === null)) return false;
  return true;
}

export function isDataPart(value: unknown): value is t.DataPart {
  if (!g.isObject(value)) return false;
  const v = value as Fields;
  if (v.kind !== undefined && !(v.kind === 'data')) return false;
  if (!(g.isObject(v.data) || g.isList(v.data, (item) => true))) return false;
  if (v.metadata !== undefined && !(g.isObject(v.metadata) || v.metadata === null)) return false;
  return true;
}

export const isPart = (value: unknown): value is t.Part => isTextPart(value) || isFilePart(value) || isDataPart(value);

export const isRole = (value: unknown): value is t.Role => value === 'user' || value === 'agent';

export function isMessage(value: unknown): value is t.Message {
  if (!g.isObject(value)) return false;
  const v = value as Fields;
  if (v.kind !== undefined && !(v.kind === 'message')) return false;
  if (v.messageId !== undefined && !(typeof v.messageId === 'string' || v.messageId === null)) return false;
  if (!(isRole(v.role))) return false;
  if (!(g.isList(v.parts, isPart))) return false;
  if (v.contextId !== undefined && !(typeof v.contextId === 'string' || v.contextId === null)) return false;
  if (v.taskId !== undefined && !(typeof v.taskId === 'string' || v.taskId === null)) return false;
  if (v.referenceTaskIds !== undefined && !(g.isList(v.referenceTaskIds, g.isString) || v.referenceTaskIds === null)) return false;
  if (v.extensions !== undefined && !(g.isList(v.extensions, g.isString) || v.extensions === null)) return false;
  if (v.metadata !== undefined && !(g.isObject(v.metadata) || v.metadata === null)) return false;
  return true;
}

export const isTaskState = (value: unknown): value is t.TaskState => (typeof value === 'string' && value !== '');

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
  if (!((typeof v.artifactId === 'string' && v.artifactId !== ''))) return false;
  if (!(g.isList(v.parts, isPart))) return false;
  if (v.name !== undefined && !(typeof v.name === 'string' || v.name === null)) return false;
  if (v.description !== undefined && !(typeof v.description === 'string' || v.description === null)) return false;
  if (v.extensions !== undefined && !(g.isList(v.extensions, g.isString) || v.extensions === null)) return false;
  if (v.metadata !== undefined && !(g.isObject(v.metadata) || v.metadata === null)) return false;
  return true;
}

export function isTask(value: unknown): value is t.Task {
  if (!g.isObject(value)) return false;
  const v = value as Fields;
  if (v.kind !== undefined && !(v.kind === 'task')) return false;
  if (!((typeof v.id === 'string' && v.id !== ''))) return false;
  if (v.contextId !== undefined && !(typeof v.contextId === 'string' || v.contextId === null)) return false;
  if (!(isTaskStatus(v.status))) return false;
  if (v.artifacts !== undefined && !(g.isList(v.artifacts, isArtifact) || v.artifacts === null)) return false;
  if (v.history !== undefined && !(g.isList(v.history, isMessage) || v.history === null)) return false;
  if (v.metadata !== undefined && !(g.isObject(v.metadata) || v.metadata === null)) return false;
  return true;
}

export function isTaskStatusUpdateEvent(value: unknown): value is t.TaskStatusUpdateEvent {
  if (!g.isObject(value)) return false;
  const v = value as Fields;
  if (v.kind !== undefined && !(v.kind === 'status-update')) return false;
  if (!((typeof v.taskId === 'string' && v.taskId !== ''))) return false;
  if (v.contextId !== undefined && !(typeof v.contextId === 'string' || v.contextId === null)) return false;
  if (!(isTaskStatus(v.status))) return false;
  if (v.final !== undefined && !(typeof v.final === 'boolean' || v.final === null)) return false;
  if (v.metadata !== undefined && !(g.isObject(v.metadata) || v.metadata === null)) return false;
  return true;
}

export function isTaskArtifactUpdateEvent(value: unknown): value is t.TaskArtifactUpdateEvent {
  if (!g.isObject(value)) return false;
  const v = value as Fields;
  if (v.kind !== undefined && !(v.kind === 'artifact-update')) return false;
  if (!((typeof v.taskId === 'string' && v.taskId !== ''))) return false;
  if (v.contextId !== undefined && !(typeof v.contextId === 'string' || v.contextId === null)) return false;
  if (!(isArtifact(v.artifact))) return false;
  if (v.append !== undefined && !(typeof v.append === 'boolean' || v.append === null)) return false;
  if (v.lastChunk !== undefined && !(typeof v.lastChunk === 'boolean' || v.lastChunk === null)) return false;
  if (v.metadata !== undefined && !(g.isObject(v.metadata) || v.metadata === null)) return false;
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
  if (!(typeof v.url === 'string')) return false;
  if (v.id !== undefined && !(typeof v.id === 'string' || v.id === null)) return false;
  if (v.token !== undefined && !(typeof v.token === 'string' || v.token === null)) return false;
  if (v.authentication !== undefined && !(isPushNotificationAuthenticationInfo(v.authentication) || v.authentication === null)) return false;
  return true;
}

export function isTaskPushNotificationConfig(value: unknown): value is t.TaskPushNotificationConfig {
  if (!g.isObject(value)) return false;
  const v = value as Fields;
  if (!(typeof v.taskId === 'string')) return false;
  if (!(isPushNotificationConfig(v.pushNotificationConfig))) return false;
  return true;
}

export const isTaskPushNotificationConfigs = (value: unknown): value is t.TaskPushNotificationConfigs => g.isList(value, isTaskPushNotificationConfig);

export function isMessageSendConfiguration(value: unknown): value is t.MessageSendConfiguration {
  if (!g.isObject(value)) return false;
  const v = value as Fields;
  if (v.acceptedOutputModes !== undefined && !(g.isList(v.acceptedOutputModes, g.isString) || v.acceptedOutputModes === null)) return false;
  if (v.blocking !== undefined && !(typeof v.blocking === 'boolean' || v.blocking === null)) return false;
  if (v.historyLength !== undefined && !(g.isInt32(v.historyLength) || v.historyLength === null)) return false;
  if (v.pushNotificationConfig !== undefined && !(isPushNotificationConfig(v.pushNotificationConfig) || v.pushNotificationConfig === null)) return false;
  return true;
}

export function isMessageSendParams(value: unknown): value is t.MessageSendParams {
  if (!g.isObject(value)) return false;
  const v = value as Fields;
  if (!(isMessage(v.message))) return false;
  if (v.configuration !== undefined && !(isMessageSendConfiguration(v.configuration) || v.configuration === null)) return false;
  if (v.metadata !== undefined && !(g.isObject(v.metadata) || v.metadata === null)) return false;
  return true;
}

export function isTaskQueryParams(value: unknown): value is t.TaskQueryParams {
  if (!g.isObject(value)) return false;
  const v = value as Fields;
  if (!(typeof v.id === 'string')) return false;
  if (v.historyLength !== undefined && !(g.isInt32(v.historyLength) || v.historyLength === null)) return false;
  if (v.metadata !== undefined && !(g.isObject(v.metadata) || v.metadata === null)) return false;
  return true;
}

export function isTaskIdParams(value: unknown): value is t.TaskIdParams {
  if (!g.isObject(value)) return false;
  const v = value as Fields;
  if (!(typeof v.id === 'string')) return false;
  if (v.metadata !== undefined && !(g.isObject(v.metadata) || v.metadata === null)) return false;
  return true;
}

export function isTaskPushNotificationConfigParams(value: unknown): value is t.TaskPushNotificationConfigParams {
  if (!g.isObject(value)) return false;
  const v = value as Fields;
  if (!(typeof v.id === 'string')) return false;
  if (v.pushNotificationConfigId !== undefined && !(typeof v.pushNotificationConfigId === 'string' || v.pushNotificationConfigId === null)) return false;
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

export function isAgentExtension(value: unknown): value is t.AgentExtension {
  if (!g.isObject(value)) return false;
  const v = value as Fields;
  if (!(typeof v.uri === 'string')) return false;
  if (v.description !== undefined && !(typeof v.description === 'string' || v.description === null)) return false;
  if (v.required !== undefined && !(typeof v.required === 'boolean' || v.required === null)) return false;
  if (v.params !== undefined && !(g.isObject(v.params) || v.params === null)) return false;
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
  if (v.extensions !== undefined && !(g.isList(v.extensions, isAgentExtension) || v.extensions === null)) return false;
  return true;
}

export function isAgentInterface(value: unknown): value is t.AgentInterface {
  if (!g.isObject(value)) return false;
  const v = value as Fields;
  if (!(typeof v.url === 'string')) return false;
  if (!(typeof v.transport === 'string')) return false;
  return true;
}

export function isAuthorizationCodeOAuthFlow(value: unknown): value is t.AuthorizationCodeOAuthFlow {
  if (!g.isObject(value)) return false;
  const v = value as Fields;
  if (!(typeof v.authorizationUrl === 'string')) return false;
  if (!(typeof v.tokenUrl === 'string')) return false;
  if (v.refreshUrl !== undefined && !(typeof v.refreshUrl === 'string' || v.refreshUrl === null)) return false;
  if (!(g.isObject(v.scopes))) return false;
  return true;
}

export function isClientCredentialsOAuthFlow(value: unknown): value is t.ClientCredentialsOAuthFlow {
  if (!g.isObject(value)) return false;
  const v = value as Fields;
  if (!(typeof v.tokenUrl === 'string')) return false;
  if (v.refreshUrl !== undefined && !(typeof v.refreshUrl === 'string' || v.refreshUrl === null)) return false;
  if (!(g.isObject(v.scopes))) return false;
  return true;
}

export function isImplicitOAuthFlow(value: unknown): value is t.ImplicitOAuthFlow {
  if (!g.isObject(value)) return false;
  const v = value as Fields;
  if (!(typeof v.authorizationUrl === 'string')) return false;
  if (v.refreshUrl !== undefined && !(typeof v.refreshUrl === 'string' || v.refreshUrl === null)) return false;
  if (!(g.isObject(v.scopes))) return false;
  return true;
}

export function isPasswordOAuthFlow(value: unknown): value is t.PasswordOAuthFlow {
  if (!g.isObject(value)) return false;
  const v = value as Fields;
  if (!(typeof v.tokenUrl === 'string')) return false;
  if (v.refreshUrl !== undefined && !(typeof v.refreshUrl === 'string' || v.refreshUrl === null)) return false;
  if (!(g.isObject(v.scopes))) return false;
  return true;
}

export function isOAuthFlows(value: unknown): value is t.OAuthFlows {
  if (!g.isObject(value)) return false;
  const v = value as Fields;
  if (v.authorizationCode !== undefined && !(isAuthorizationCodeOAuthFlow(v.authorizationCode) || v.authorizationCode === null)) return false;
  if (v.clientCredentials !== undefined && !(isClientCredentialsOAuthFlow(v.clientCredentials) || v.clientCredentials === null)) return false;
  if (v.implicit !== undefined && !(isImplicitOAuthFlow(v.implicit) || v.implicit === null)) return false;
  if (v.password !== undefined && !(isPasswordOAuthFlow(v.password) || v.password === null)) return false;
  return true;
}

export function isAPIKeySecurityScheme(value: unknown): value is t.APIKeySecurityScheme {
  if (!g.isObject(value)) return false;
  const v = value as Fields;
  if (!(v.type === 'apiKey')) return false;
  if (v.description !== undefined && !(typeof v.description === 'string' || v.description === null)) return false;
  if (!(v.in === 'cookie' || v.in === 'header' || v.in === 'query')) return false;
  if (!(typeof v.name === 'string')) return false;
  return true;
}

export function isHTTPAuthSecurityScheme(value: unknown): value is t.HTTPAuthSecurityScheme {
  if (!g.isObject(value)) return false;
  const v = value as Fields;
  if (!(v.type === 'http')) return false;
  if (v.description !== undefined && !(typeof v.description === 'string' || v.description === null)) return false;
  if (!(typeof v.scheme === 'string')) return false;
  if (v.bearerFormat !== undefined && !(typeof v.bearerFormat === 'string' || v.bearerFormat === null)) return false;
  return true;
}

export function isOAuth2SecurityScheme(value: unknown): value is t.OAuth2SecurityScheme {
  if (!g.isObject(value)) return false;
  const v = value as Fields;
  if (!(v.type === 'oauth2')) return false;
  if (v.description !== undefined && !(typeof v.description === 'string' || v.description === null)) return false;
  if (!(isOAuthFlows(v.flows))) return false;
  if (v.oauth2MetadataUrl !== undefined && !(typeof v.oauth2MetadataUrl === 'string' || v.oauth2MetadataUrl === null)) return false;
  return true;
}

export function isOpenIdConnectSecurityScheme(value: unknown): value is t.OpenIdConnectSecurityScheme {
  if (!g.isObject(value)) return false;
  const v = value as Fields;
  if (!(v.type === 'openIdConnect')) return false;
  if (v.description !== undefined && !(typeof v.description === 'string' || v.description === null)) return false;
  if (!(typeof v.openIdConnectUrl === 'string')) return false;
  return true;
}

export function isMutualTLSSecurityScheme(value: unknown): value is t.MutualTLSSecurityScheme {
  if (!g.isObject(value)) return false;
  const v = value as Fields;
  if (!(v.type === 'mutualTLS')) return false;
  if (v.description !== undefined && !(typeof v.description === 'string' || v.description === null)) return false;
  return true;
}

export const isSecurityScheme = (value: unknown): value is t.SecurityScheme => isAPIKeySecurityScheme(value) || isHTTPAuthSecurityScheme(value) || isOAuth2SecurityScheme(value) || isOpenIdConnectSecurityScheme(value) || isMutualTLSSecurityScheme(value);

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
  if (v.security !== undefined && !(g.isList(v.security, g.isObject) || v.security === null)) return false;
  return true;
}

export function isAgentCardSignature(value: unknown): value is t.AgentCardSignature {
  if (!g.isObject(value)) return false;
  const v = value as Fields;
  if (!(typeof v.protected === 'string')) return false;
  if (!(typeof v.signature === 'string')) return false;
  if (v.header !== undefined && !(g.isObject(v.header) || v.header === null)) return false;
  return true;
}

export function isAgentCard(value: unknown): value is t.AgentCard {
  if (!g.isObject(value)) return false;
  const v = value as Fields;
  if (!((typeof v.protocolVersion === 'string' && pattern0.test(v.protocolVersion)))) return false;
  if (!(typeof v.name === 'string')) return false;
  if (!(typeof v.description === 'string')) return false;
  if (!(typeof v.url === 'string')) return false;
  if (v.preferredTransport !== undefined && !(typeof v.preferredTransport === 'string' || v.preferredTransport === null)) return false;
  if (v.additionalInterfaces !== undefined && !(g.isList(v.additionalInterfaces, isAgentInterface) || v.additionalInterfaces === null)) return false;
  if (v.iconUrl !== undefined && !(typeof v.iconUrl === 'string' || v.iconUrl === null)) return false;
  if (v.provider !== undefined && !(isAgentProvider(v.provider) || v.provider === null)) return false;
  if (!(typeof v.version === 'string')) return false;
  if (v.documentationUrl !== undefined && !(typeof v.documentationUrl === 'string' || v.documentationUrl === null)) return false;
  if (!(isAgentCapabilities(v.capabilities))) return false;
  if (v.securitySchemes !== undefined && !(g.isObject(v.securitySchemes) || v.securitySchemes === null)) return false;
  if (v.security !== undefined && !(g.isList(v.security, g.isObject) || v.security === null)) return false;
  if (!(g.isList(v.defaultInputModes, g.isString))) return false;
  if (!(g.isList(v.defaultOutputModes, g.isString))) return false;
  if (!(g.isList(v.skills, isAgentSkill))) return false;
  if (v.supportsAuthenticatedExtendedCard !== undefined && !(typeof v.supportsAuthenticatedExtendedCard === 'boolean' || v.supportsAuthenticatedExtendedCard === null)) return false;
  if (v.signatures !== undefined && !(g.isList(v.signatures, isAgentCardSignature) || v.signatures === null)) return false;
  return true;
}
