// Generated from codegen/schemas/a2a-0.2.json by `npm run generate`. Do not edit.

import type { Shape } from '../api.ts';

/** Shapes by definition. */
export const shapes = {
  OAuth2SecurityScheme: { type: 'object', required: ['type', 'flows'], properties: {
    type: { const: 'oauth2' },
    description: { type: ['string', 'null'] },
    flows: { $ref: 'OAuthFlows' },
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
