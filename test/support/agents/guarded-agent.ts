import { artifact, defineAgent } from '../../../src/agents/define.ts';

/** Says in its card all that cards can say, above all about security, where the generations differ most. */
export default defineAgent({
  name: 'Guarded agent',
  description: 'Tells how callers prove who they are.',
  skills: [
    {
      id: 'guarded',
      name: 'Guarded',
      description: 'Wants a token of its own.',
      tags: ['security'],
      examples: ['hello'],
      inputModes: ['text/plain'],
      outputModes: ['text/plain'],
      securityRequirements: [{ schemes: { oauth: { list: ['skill'] } } }],
    },
  ],
  card: {
    provider: { organization: 'Example', url: 'https://example.com' },
    documentationUrl: 'https://example.com/docs',
    iconUrl: 'https://example.com/icon.png',
    capabilities: { extensions: [{ uri: 'urn:example:optional', description: 'Optional.', params: { depth: 2 } }] },
    securitySchemes: {
      key: { apiKeySecurityScheme: { location: 'header', name: 'X-API-Key', description: 'A key.' } },
      bearer: { httpAuthSecurityScheme: { scheme: 'Bearer', bearerFormat: 'JWT' } },
      oauth: {
        oauth2SecurityScheme: {
          flows: {
            clientCredentials: { tokenUrl: 'https://example.com/token', scopes: { tasks: 'Tasks', skill: 'It' } },
          },
        },
      },
      oidc: {
        openIdConnectSecurityScheme: { openIdConnectUrl: 'https://example.com/.well-known/openid-configuration' },
      },
      mtls: { mtlsSecurityScheme: { description: 'A certificate.' } },
    },
    securityRequirements: [{ schemes: { key: { list: [] } } }, { schemes: { oauth: { list: ['tasks'] } } }],
  },
  async *execute({ text }) {
    yield artifact({ content: text });
  },
});
