import { describe, expect, test } from 'vitest';
import { a2a03 } from '../../../src/dialects/a2a-0.3/index.ts';
import { context, invalid, type Json } from '../../support/legacy-dialect.ts';

describe('cards of A2A 0.3', () => {
  const v1 = {
    name: 'Weather',
    description: 'Knows the weather',
    version: '1.2.3',
    supportedInterfaces: [
      { url: 'https://example.com', protocolBinding: 'JSONRPC', protocolVersion: '1.0' },
      { url: 'example.com:443', protocolBinding: 'GRPC', protocolVersion: '0.3' },
      { url: 'https://example.com', protocolBinding: 'HTTP+JSON', protocolVersion: '0.3.0' },
      { url: 'https://example.com', protocolBinding: 'JSONRPC', protocolVersion: '0.3' },
    ],
    capabilities: { streaming: true, extendedAgentCard: true },
    defaultInputModes: ['text/plain'],
    defaultOutputModes: ['text/plain'],
    skills: [],
  };

  test('cards of A2A 0.3 have the interfaces of their version, those for JSON-RPC first', () => {
    expect(a2a03.card.encode(v1, context())).toEqual({
      protocolVersion: '0.3.0',
      name: 'Weather',
      description: 'Knows the weather',
      url: 'https://example.com',
      preferredTransport: 'JSONRPC',
      additionalInterfaces: [
        { url: 'https://example.com', transport: 'JSONRPC' },
        { url: 'example.com:443', transport: 'GRPC' },
        { url: 'https://example.com', transport: 'HTTP+JSON' },
      ],
      version: '1.2.3',
      capabilities: { streaming: true },
      defaultInputModes: ['text/plain'],
      defaultOutputModes: ['text/plain'],
      skills: [],
      supportsAuthenticatedExtendedCard: true,
    });
    const [first] = v1.supportedInterfaces;
    expect(a2a03.card.encode({ ...v1, supportedInterfaces: first ? [first] : [] }, context())).toMatchObject({
      url: 'https://example.com',
      preferredTransport: 'JSONRPC',
    });
  });

  const wire = () => a2a03.card.encode(v1, context()) as Json;
  const encode = (card: unknown) => a2a03.card.encode(card as never, context()) as Json;
  const read = (card: unknown) => a2a03.card.decode(card, context());

  test('gRPC is host:port, in v1 too; a URL is read as well, and comes back', () => {
    expect(read(wire()).supportedInterfaces).toEqual([
      { url: 'https://example.com', protocolBinding: 'JSONRPC', protocolVersion: '0.3' },
      { url: 'example.com:443', protocolBinding: 'GRPC', protocolVersion: '0.3' },
      { url: 'https://example.com', protocolBinding: 'HTTP+JSON', protocolVersion: '0.3' },
    ]);
    expect(read({ ...wire(), url: 'http://a.example/', preferredTransport: 'GRPC' }).supportedInterfaces[0]).toEqual({
      url: 'a.example:80',
      protocolBinding: 'GRPC',
      protocolVersion: '0.3',
    });
    const withUrl = { ...wire(), additionalInterfaces: [{ url: 'https://example.com:443', transport: 'GRPC' }] };
    expect(read(withUrl).supportedInterfaces[1]).toMatchObject({ url: 'example.com:443' });
    expect(encode(read(withUrl))).toEqual(withUrl);
  });

  test('what was kept of interfaces counts only as long as they are the same', () => {
    const odd = { ...wire(), additionalInterfaces: [{ url: 'https://b.example', transport: 'HTTP+JSON' }] };
    const card = read(odd);
    expect(encode(card)).toEqual(odd);
    const moved = { url: 'https://gateway.example', protocolBinding: 'JSONRPC', protocolVersion: '0.3' };
    expect(encode({ ...card, supportedInterfaces: [moved] })).toMatchObject({ url: 'https://gateway.example' });
    expect(encode({ ...card, supportedInterfaces: [moved] })).not.toHaveProperty('additionalInterfaces');
  });

  test('signatures come back with the very document that they sign, and with no other', () => {
    const signed = { ...wire(), signatures: [{ protected: 'p', signature: 's', header: { kid: 'k' } }] };
    const card = read(signed);
    expect(card).not.toHaveProperty('signatures');
    expect(encode(card)).toEqual(signed);
    expect(encode({ ...card, name: 'Other' })).not.toHaveProperty('signatures');
    const cx = context();
    a2a03.card.encode({ ...v1, signatures: [{ protected: 'p', signature: 's' }] }, cx);
    expect([...cx.losses]).toContain('signatures');
  });

  test('all flows of a scheme come back, though v1 holds one', () => {
    const flows = {
      clientCredentials: { tokenUrl: 'https://x.example/t', scopes: { a: 'A' } },
      password: { tokenUrl: 'https://x.example/t', scopes: {} },
    };
    const card = read({ ...wire(), securitySchemes: { o: { type: 'oauth2', flows }, toString: { type: 'magic' } } });
    expect(card.securitySchemes).toEqual({
      o: { oauth2SecurityScheme: { flows: { clientCredentials: flows.clientCredentials } } },
    });
    expect(encode(card).securitySchemes).toEqual({ o: { type: 'oauth2', flows }, toString: { type: 'magic' } });
  });

  test('a scheme that strict readers do not know is left out, and listed', () => {
    const cx = context();
    const securitySchemes = {
      device: {
        oauth2SecurityScheme: { flows: { deviceCode: { deviceAuthorizationUrl: 'x:d', tokenUrl: 'x:t', scopes: {} } } },
      },
      pkce: {
        oauth2SecurityScheme: {
          flows: { authorizationCode: { authorizationUrl: 'x:a', tokenUrl: 'x:t', scopes: {}, pkceRequired: true } },
        },
      },
      body: { apiKeySecurityScheme: { location: 'body', name: 'key' } },
    };
    const { securitySchemes: written } = a2a03.card.encode({ ...v1, securitySchemes }, cx) as { securitySchemes: Json };
    expect(Object.keys(written)).toEqual(['pkce']);
    expect([...cx.losses]).toContain('securitySchemes');
  });

  test('cards of another generation are not read', () => {
    expect(() => read({ ...wire(), protocolVersion: '0.2.6' })).toThrow(invalid('protocolVersion'));
    const { protocolVersion: _, ...older } = wire();
    expect(() => read(older)).toThrow(invalid('protocolVersion'));
  });
});
