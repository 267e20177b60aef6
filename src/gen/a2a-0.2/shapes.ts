// Generated from codegen/schemas/a2a-0.2.json by `npm run generate`. Do not edit.

import type { Shape } from '../api.ts';

/** Shapes by definition. */
export const shapes = {
  AgentProvider: { type: 'object', required: ['organization'], properties: {
    organization: { type: 'string' },
    url: { type: ['string', 'null'] },
  } },
  AgentExtension: { type: 'object', required: ['uri'], properties: {
    uri: { type: 'string' },
    description: { type: ['string', 'null'] },
    required: { type: ['boolean', 'null'] },
    params: { type: ['object', 'null'] },
  } },
  AgentCapabilities: { type: 'object', required: [], properties: {
    streaming: { type: ['boolean', 'null'] },
    pushNotifications: { type: ['boolean', 'null'] },
    stateTransitionHistory: { type: ['boolean', 'null'] },
    knowledgeGraph: { type: ['boolean', 'null'] },
    knowledgeGraphQueryLanguages: { type: ['array', 'null'], items: { type: 'string' } },
    extensions: { type: ['array', 'null'], items: { $ref: 'AgentExtension' } },
  } },
  AgentInterface: { type: 'object', required: ['url', 'transport'], properties: {
    url: { type: 'string' },
    transport: { type: 'string' },
  } },
  AuthorizationCodeOAuthFlow: { type: 'object', required: ['authorizationUrl', 'tokenUrl', 'scopes'], properties: {
    authorizationUrl: { type: 'string' },
    tokenUrl: { type: 'string' },
    refreshUrl: { type: ['string', 'null'] },
    scopes: { type: 'object' },
  } },
  ClientCredentialsOAuthFlow: { type: 'object', required: ['tokenUrl', 'scopes'], properties: {
    tokenUrl: { type: 'string' },
    refreshUrl: { type: ['string', 'null'] },
    scopes: { type: 'object' },
  } },
  ImplicitOAuthFlow: { type: 'object', required: ['authorizationUrl', 'scopes'], properties: {
    authorizationUrl: { type: 'string' },
    refreshUrl: { type: ['string', 'null'] },
    scopes: { type: 'object' },
  } },
  PasswordOAuthFlow: { type: 'object', required: ['tokenUrl', 'scopes'], properties: {
    tokenUrl: { type: 'string' },
    refreshUrl: { type: ['string', 'null'] },
    scopes: { type: 'object' },
  } },
  OAuthFlows: { type: 'object', required: [], properties: {
    authorizationCode: { anyOf: [{ $ref: 'AuthorizationCodeOAuthFlow' }, { type: 'null' }] },
    clientCredentials: { anyOf: [{ $ref: 'ClientCredentialsOAuthFlow' }, { type: 'null' }] },
    implicit: { anyOf: [{ $ref: 'ImplicitOAuthFlow' }, { type: 'null' }] },
    password: { anyOf: [{ $ref: 'PasswordOAuthFlow' }, { type: 'null' }] },
  } },
  APIKeySecurityScheme: { type: 'object', required: ['type', 'in', 'name'], properties: {
    type: { const: 'apiKey' },
    description: { type: ['string', 'null'] },
    in: { enum: ['cookie', 'header', 'query'] },
    name: { type: 'string' },
  } },
  HTTPAuthSecurityScheme: { type: 'object', required: ['type', 'scheme'], properties: {
    type: { const: 'http' },
    description: { type: ['string', 'null'] },
    scheme: { type: 'string' },
    bearerFormat: { type: ['string', 'null'] },
  } },
  OAuth2SecurityScheme: { type: 'object', required: ['type', 'flows'], properties: {
    type: { const: 'oauth2' },
    description: { type: ['string', 'null'] },
    flows: { $ref: 'OAuthFlows' },
  } },
  OpenIdConnectSecurityScheme: { type: 'object', required: ['type', 'openIdConnectUrl'], properties: {
    type: { const: 'openIdConnect' },
    description: { type: ['string', 'null'] },
    openIdConnectUrl: { type: 'string' },
  } },
  SecurityScheme: { anyOf: [{ $ref: 'APIKeySecurityScheme' }, { $ref: 'HTTPAuthSecurityScheme' }, { $ref: 'OAuth2SecurityScheme' }, { $ref: 'OpenIdConnectSecurityScheme' }] },
  AgentSkill: { type: 'object', required: ['id', 'name'], properties: {
    id: { type: 'string' },
    name: { type: 'string' },
    description: { type: ['string', 'null'] },
    tags: { type: ['array', 'null'], items: { type: 'string' } },
    examples: { type: ['array', 'null'], items: { type: 'string' } },
    inputModes: { type: ['array', 'null'], items: { type: 'string' } },
    outputModes: { type: ['array', 'null'], items: { type: 'string' } },
  } },
  AgentCard: { type: 'object', required: ['name', 'description', 'url', 'version', 'capabilities', 'defaultInputModes', 'defaultOutputModes', 'skills'], properties: {
    protocolVersion: { anyOf: [{ type: 'string', pattern: '^0\\.2(?:\\.|$)' }, { type: 'null' }] },
    name: { type: 'string' },
    description: { type: 'string' },
    url: { type: 'string' },
    preferredTransport: { type: ['string', 'null'] },
    additionalInterfaces: { type: ['array', 'null'], items: { $ref: 'AgentInterface' } },
    iconUrl: { type: ['string', 'null'] },
    provider: { anyOf: [{ $ref: 'AgentProvider' }, { type: 'null' }] },
    version: { type: 'string' },
    documentationUrl: { type: ['string', 'null'] },
    capabilities: { $ref: 'AgentCapabilities' },
    securitySchemes: { type: ['object', 'null'] },
    security: { type: ['array', 'null'], items: { type: 'object' } },
    defaultInputModes: { type: 'array', items: { type: 'string' } },
    defaultOutputModes: { type: 'array', items: { type: 'string' } },
    skills: { type: 'array', items: { $ref: 'AgentSkill' } },
    supportsAuthenticatedExtendedCard: { type: ['boolean', 'null'] },
  } },
} satisfies Readonly<Record<string, Shape>>;
