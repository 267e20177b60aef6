import { describe, expect, test } from 'vitest';
import type { AgentCard } from '../../../src/core/model/a2a.ts';
import { A2AError, type ErrorKind, errorTable } from '../../../src/core/model/errors.ts';
import { type DetectInput, detect } from '../../../src/dialects/kernel/detect.ts';
import { context, dialects, legacyDialect } from '../../support/legacy-dialect.ts';

/** Detection of A2A 0.1: by its requests, its cards and its codes. */

const { dialect } = legacyDialect('a2a-0.1');

const message = (...parts: object[]) => ({ role: 'user', parts });
const text = { type: 'text', text: 'hi' };

describe('requests', () => {
  const claim = (method: string, params: unknown) => dialect.claim?.(method, params, 1);

  test.each<[string, unknown]>([
    ['tasks/sendSubscribe', { id: 't', message: message(text) }],
    ['tasks/sendSubscribe', { message: 7 }],
    ['tasks/send', { id: 't', message: message(text) }],
    ['tasks/send', { id: 't', message: message({ type: 'file', file: {} }, { type: 'data', data: {} }) }],
    ['tasks/send', { id: 't', sessionId: 's', message: message({ text: 'hi' }) }],
    ['tasks/send', { sessionId: 's', message: message(text) }],
    ['tasks/send', { id: 't', pushNotification: null, message: message() }],
    ['tasks/send', { id: 't', historyLength: 3, message: { role: 'agent', parts: [{ data: {} }] } }],
    ['tasks/send', { id: 't', acceptedOutputModes: ['text'], message: message({ file: {} }) }],
    ['tasks/pushNotification/set', undefined],
    ['tasks/pushNotification/other', {}],
  ])('the request %s %j surely belongs to A2A 0.1', (method, params) => {
    expect(claim(method, params)).toBe(2);
  });

  test.each<[string, unknown]>([
    ['tasks/send', { id: 't', message: message({ text: 'hi' }) }],
    ['tasks/send', { message: message(text) }],
    ['tasks/send', { id: 7, message: message(text) }],
  ])('the request %s %j may belong to A2A 0.1', (method, params) => {
    expect(claim(method, params)).toBe(1);
  });

  test.each<[string, unknown]>([
    ['tasks/sendSubscribe', { id: 't' }],
    ['tasks/send', { id: 't', sessionId: 's', message: { ...message(text), messageId: 'm' } }],
    ['tasks/send', { id: 't', sessionId: 's', message: { ...message(text), kind: 'message' } }],
    ['tasks/send', { id: 't', message: message({ kind: 'text', text: 'hi' }) }],
    ['tasks/send', { id: 't', sessionId: 's', message: message(text, { type: 'text', content: 'hi' }) }],
    ['tasks/send', { id: 't', message: message({ type: 'file', url: 'https://a' }) }],
    ['tasks/send', { id: 't', webhookUrl: 'https://a', message: message(text) }],
    ['tasks/send', { id: 't', message: { ...message(text), role: 'assistant' } }],
    ['tasks/send', { id: 't', message: message({ type: 'text' }) }],
    ['tasks/get', { id: 't', historyLength: 3 }],
    ['tasks/cancel', { id: 't' }],
    ['tasks/resubscribe', { id: 't' }],
    ['message/send', { message: message(text) }],
    ...[undefined, null, 7, [], 'x', {}, { message: 7 }, { message: { role: 'user', parts: 7 } }].map(
      (params): [string, unknown] => ['tasks/send', params],
    ),
  ])('the request %s %j does not belong to A2A 0.1', (method, params) => {
    expect(claim(method, params)).toBe(0);
  });

  test.each<[string, unknown, string]>([
    ['tasks/send', { id: 't', message: message(text) }, 'a2a-0.1'],
    ['tasks/send', { id: 't', message: message({ type: 'text', content: 'hi' }) }, 'agentvault-0.2'],
    ['tasks/sendSubscribe', { id: 't', message: message(text) }, 'a2a-0.1'],
    ['tasks/sendSubscribe', { id: 't' }, 'agentvault-0.2'],
    ['tasks/pushNotification/get', { id: 't' }, 'a2a-0.1'],
    ['tasks/get', { id: 't' }, 'a2a-0.3'],
    ['tasks/resubscribe', { id: 't' }, 'a2a-0.3'],
  ])('the request %s %j is answered by %s%s', async (method, params, name) => {
    expect((await detect(dialects, { method, params, id: 1 })).dialect.name).toBe(name);
  });

  test('a request that several dialects may know belongs to A2A 0.1 if its caller used the task with it', async () => {
    const asked: DetectInput = { method: 'tasks/get', params: { id: 't' }, id: 1, recall: async () => 'a2a-0.1' };
    expect((await detect(dialects, asked)).dialect.name).toBe('a2a-0.1');
    const pinned: DetectInput = { method: 'tasks/cancel', params: { id: 't' }, id: 1, pinned: dialect };
    expect((await detect(dialects, pinned)).dialect.name).toBe('a2a-0.1');
  });
});

describe('errors', () => {
  const code = (kind: ErrorKind) => dialect.jsonrpc?.error.encode(new A2AError(kind), context()).code;

  test.each<[number, ErrorKind[]]>([
    [-32700, ['parse']],
    [-32600, ['invalidRequest', 'payloadTooLarge', 'requestTimeout', 'verbNotAllowed']],
    [-32601, ['methodNotFound', 'agentNotFound']],
    [-32602, ['invalidParams', 'idempotencyConflict']],
    [-32001, ['taskNotFound']],
    [-32002, ['taskNotCancelable']],
    [-32003, ['pushNotificationNotSupported']],
    [-32004, ['unsupportedOperation']],
    [-32005, ['contentTypeNotSupported']],
    [-32007, ['unauthenticated']],
    [-32008, ['permissionDenied']],
    [-32010, ['tooManyRequests']],
    [-32011, ['unavailable']],
    [-32603, ['internal', 'invalidAgentResponse', 'extendedAgentCardNotConfigured', 'extensionSupportRequired']],
    [-32603, ['versionNotSupported', 'canceled', 'deadlineExceeded', 'upstreamUnreachable', 'upstreamTimeout']],
  ])('the code %d is the error %j in A2A 0.1', (number, kinds) => {
    for (const kind of kinds) expect([kind, code(kind)]).toEqual([kind, number]);
  });

  test('no code of A2A 0.1 is one of A2A 1.0 alone', () => {
    const codes = (Object.keys(errorTable) as ErrorKind[]).map(code);
    for (const foreign of [-32000, -32006, -32009]) expect(codes).not.toContain(foreign);
  });
});

describe('cards', () => {
  const v1: AgentCard = {
    name: 'Weather',
    description: 'Knows the weather',
    version: '1.2.3',
    supportedInterfaces: [
      { url: 'localhost:8080', protocolBinding: 'GRPC', protocolVersion: '1.0' },
      { url: 'http://localhost:8080', protocolBinding: 'JSONRPC', protocolVersion: '1.0' },
      { url: 'http://localhost:8080/as/a2a-0.1', protocolBinding: 'JSONRPC', protocolVersion: '0.1' },
    ],
    provider: { organization: 'Example', url: 'https://example.com' },
    capabilities: { streaming: true, pushNotifications: false, extensions: [{ uri: 'https://example.com/ext' }] },
    securitySchemes: {
      token: { httpAuthSecurityScheme: { scheme: 'Bearer' } },
      key: { apiKeySecurityScheme: { location: 'header', name: 'X-Key' } },
      spare: { mtlsSecurityScheme: {} },
    },
    securityRequirements: [{ schemes: { token: {} } }, { schemes: { key: {} } }],
    defaultInputModes: ['text/plain'],
    defaultOutputModes: ['text/plain', 'image/png'],
    skills: [{ id: 's', name: 'S', description: 'Does', tags: ['t'], inputModes: ['text/plain'] }],
  };

  test('cards have what clients demand, and media types as cards of later generations at the same path do', () => {
    const cx = context();
    expect(dialect.card.encode(v1, cx)).toEqual({
      name: 'Weather',
      description: 'Knows the weather',
      url: 'http://localhost:8080/as/a2a-0.1',
      provider: { organization: 'Example', url: 'https://example.com' },
      version: '1.2.3',
      capabilities: { streaming: true, pushNotifications: false },
      authentication: { schemes: ['Bearer', 'apiKey'] },
      defaultInputModes: ['text/plain'],
      defaultOutputModes: ['text/plain', 'image/png'],
      skills: [{ id: 's', name: 'S', description: 'Does', tags: ['t'], inputModes: ['text/plain'] }],
    });
    const lost = ['capabilities.extensions', 'securityRequirements', 'securitySchemes', 'supportedInterfaces'];
    expect([...cx.losses].sort()).toEqual(lost);
    const first = v1.supportedInterfaces.slice(0, 2);
    expect(dialect.card.encode({ ...v1, supportedInterfaces: first }, context())).toMatchObject({
      url: 'http://localhost:8080',
    });
  });

  const least = { name: 'A', url: 'https://a.example.com', version: '1', capabilities: {}, skills: [] };

  test('a card understands text if it names no modes, and has one interface', () => {
    expect(dialect.card.decode(least, context())).toMatchObject({
      supportedInterfaces: [{ url: 'https://a.example.com', protocolBinding: 'JSONRPC', protocolVersion: '0.1' }],
      defaultInputModes: ['text/plain'],
      defaultOutputModes: ['text/plain'],
    });
  });

  test.each([
    [['bearer'], { httpAuthSecurityScheme: { scheme: 'Bearer' } }],
    [['Basic'], { httpAuthSecurityScheme: { scheme: 'Basic' } }],
    [['apiKey'], { apiKeySecurityScheme: { location: 'header', name: 'X-API-Key' } }],
    [['oauth2'], { httpAuthSecurityScheme: { scheme: 'Bearer' } }],
    [['Hawk'], { httpAuthSecurityScheme: { scheme: 'Hawk' } }],
  ])('cards name the authentication %j', ([name = ''], scheme) => {
    const card = dialect.card.decode({ ...least, authentication: { schemes: [name] } }, context());
    expect(card).toMatchObject({
      securitySchemes: { [name]: scheme },
      securityRequirements: [{ schemes: { [name]: {} } }],
    });
    expect(card.capabilities.extensions).toBeUndefined();
  });

  test('a public agent requires no authentication', () => {
    const card = dialect.card.decode({ ...least, authentication: { schemes: ['public'] } }, context());
    expect(card).not.toHaveProperty('securityRequirements');
    expect(dialect.card.encode(card, context())).toMatchObject({ authentication: { schemes: ['public'] } });
  });

  test.each([
    [{ protocolVersion: '0.3.0' }],
    [{ supportedInterfaces: [] }],
    [{ schemaVersion: '1.0', authSchemes: [] }],
    [{ humanReadableId: 'a/b' }],
    [{ url: undefined }],
    [{ skills: undefined }],
  ])('a card with %j is none of A2A 0.1', (more) => {
    expect(() => dialect.card.decode({ ...least, ...more }, context())).toThrow(
      expect.objectContaining({ kind: 'invalidParams' }),
    );
  });
});
