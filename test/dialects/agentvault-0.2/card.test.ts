import { describe, expect, test } from 'vitest';
import { context, type Json, legacyDialect } from '../../support/legacy-dialect.ts';

const { dialect } = legacyDialect('agentvault-0.2');

describe('cards for AgentVault clients', () => {
  const v1 = {
    name: 'Weather Agent',
    description: 'Knows the weather',
    version: '1.2.3',
    supportedInterfaces: [
      { url: 'localhost:8080', protocolBinding: 'GRPC', protocolVersion: '1.0' },
      { url: 'http://127.0.0.1:8080/as/agentvault-0.2', protocolBinding: 'JSONRPC', protocolVersion: '1.0' },
    ],
    capabilities: { pushNotifications: false },
    defaultInputModes: ['text/plain'],
    defaultOutputModes: ['text/plain'],
    skills: [],
  };

  test('cards for AgentVault clients have what the strict client demands', () => {
    expect(dialect.card.encode(v1, context())).toEqual({
      schemaVersion: '1.0',
      humanReadableId: 'weather-agent/weather-agent',
      agentVersion: '1.2.3',
      name: 'Weather Agent',
      description: 'Knows the weather',
      url: 'http://localhost:8080/as/agentvault-0.2',
      provider: { name: 'Weather Agent' },
      capabilities: {
        a2aVersion: '0.2',
        supportedMessageParts: ['text', 'data', 'file'],
        supportsPushNotifications: false,
      },
      authSchemes: [{ scheme: 'none' }],
    });
  });

  test('cards for AgentVault clients say how to authenticate', () => {
    const securitySchemes = {
      key: { apiKeySecurityScheme: { location: 'header', name: 'X-Api-Key' } },
      token: {
        oauth2SecurityScheme: { flows: { clientCredentials: { tokenUrl: 'https://x.example/token', scopes: {} } } },
      },
      cert: { mtlsSecurityScheme: {} },
    };
    const securityRequirements = [
      { schemes: { key: {} } },
      { schemes: { token: { list: ['tasks'] } } },
      { schemes: { cert: {} } },
    ];
    const cx = context();
    expect(dialect.card.encode({ ...v1, securitySchemes, securityRequirements }, cx)).toMatchObject({
      authSchemes: [{ scheme: 'apiKey' }, { scheme: 'oauth2', tokenUrl: 'https://x.example/token', scopes: ['tasks'] }],
    });
    expect([...cx.losses]).toEqual(expect.arrayContaining(['securitySchemes', 'securityRequirements']));
  });

  test('oauth2 without a token URL is no way in', () => {
    const wire = { ...(dialect.card.encode(v1, context()) as Json), authSchemes: [{ scheme: 'oauth2' }] };
    expect(() => dialect.card.decode(wire, context())).toThrow(/authSchemes\[0\]\.tokenUrl/);
  });
});
