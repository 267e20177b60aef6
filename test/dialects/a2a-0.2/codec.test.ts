import { expect, test } from 'vitest';
import { A2AError, type ErrorKind } from '../../../src/core/model/errors.ts';
import { a2a02 } from '../../../src/dialects/a2a-0.2/index.ts';
import { a2a03 } from '../../../src/dialects/a2a-0.3/index.ts';
import { interfacesOf } from '../../../src/dialects/kernel/cards.ts';
import type { Dialect } from '../../../src/dialects/kernel/dialect.ts';
import type { RestBinding } from '../../../src/dialects/kernel/wire.ts';
import { shapes as differences } from '../../../src/gen/a2a-0.2/shapes.ts';
import { shapes } from '../../../src/gen/a2a-0.3/shapes.ts';
import { readWith } from '../../../src/wire/validate.ts';
import { canonical, wireCards, wireValues } from '../../support/a2a-0.3-values.ts';
import { context } from '../../support/legacy-dialect.ts';
import { describeIdentity } from '../../support/legacy-identity.ts';

const face = a2a02.jsonrpc as NonNullable<Dialect['jsonrpc']>;
const rest = a2a02.rest as RestBinding;

describeIdentity(a2a02, {
  canonical,
  numRuns: 40,
  types: { message: wireValues('Message'), task: wireValues('Task'), card: wireCards('a2a-0.2') },
  params: { 'message/send': wireValues('MessageSendParams'), 'tasks/get': wireValues('TaskQueryParams') },
});

test('the methods are those of 0.3 but the extended card, which is fetched by GET', () => {
  expect([...face.methods.keys()]).toEqual([
    'message/send',
    'message/stream',
    'tasks/get',
    'tasks/cancel',
    'tasks/resubscribe',
    'tasks/pushNotificationConfig/set',
    'tasks/pushNotificationConfig/get',
    'tasks/pushNotificationConfig/list',
    'tasks/pushNotificationConfig/delete',
  ]);
  expect(face.calls.has('ListTasks')).toBe(false);
  expect(rest.routes.map(({ rule }) => rule)).toEqual([{ verb: 'GET', path: '/agent/authenticatedExtendedCard' }]);
  expect(rest.mediaType).toBe('application/json');
});

test('the one route is no interface', () => {
  const served = { origin: 'https://example.com', base: '/as/a2a-0.2', tenant: '', grpc: true };
  expect(interfacesOf([a2a02], served)).toEqual([
    { url: 'https://example.com/as/a2a-0.2', protocolBinding: 'JSONRPC', protocolVersion: '0.2' },
  ]);
});

const v1 = {
  name: 'Weather',
  description: 'Knows the weather',
  version: '1.2.3',
  supportedInterfaces: [{ url: 'https://example.com/as/a2a-0.2', protocolBinding: 'JSONRPC', protocolVersion: '0.2' }],
  capabilities: { streaming: true, extendedAgentCard: true },
  securitySchemes: {
    cert: { mtlsSecurityScheme: {} },
    key: { apiKeySecurityScheme: { location: 'header', name: 'K' } },
  },
  defaultInputModes: ['text/plain'],
  defaultOutputModes: ['text/plain'],
  skills: [{ id: 's', name: 'S', description: '', tags: [], securityRequirements: [{ schemes: { key: {} } }] }],
};

test('cards leave out what strict readers of 0.2 refuse', () => {
  const cx = context();
  const card = a2a02.card.encode(v1, cx);
  expect(card).toEqual({
    protocolVersion: '0.2.6',
    name: 'Weather',
    description: 'Knows the weather',
    url: 'https://example.com/as/a2a-0.2',
    preferredTransport: 'JSONRPC',
    version: '1.2.3',
    capabilities: { streaming: true },
    securitySchemes: { key: { type: 'apiKey', in: 'header', name: 'K' } },
    defaultInputModes: ['text/plain'],
    defaultOutputModes: ['text/plain'],
    skills: [{ id: 's', name: 'S', description: '', tags: [] }],
    supportsAuthenticatedExtendedCard: true,
  });
  expect(readWith({ ...shapes, ...differences }, 'AgentCard', card).issues).toEqual([]);
  expect([...cx.losses].sort()).toEqual(['securitySchemes', 'skills.securityRequirements']);
  expect(() => a2a02.card.decode({ ...(card as object), protocolVersion: '0.3.0' }, context())).toThrow(
    /protocolVersion/,
  );
});

test('what a card of 0.2 says of itself stays with 0.2', () => {
  const { protocolVersion: _, ...older } = a2a02.card.encode(v1, context()) as Record<string, unknown>;
  const read = a2a02.card.decode(older, context());
  expect(a2a02.card.encode(read, context())).toEqual(older);
  expect(a2a03.card.encode(read, context())).toMatchObject({ protocolVersion: '0.3.0' });
  const newer = a2a03.card.decode({ ...older, protocolVersion: '0.3.7' }, context());
  expect(a2a02.card.encode(newer, context())).toMatchObject({ protocolVersion: '0.2.6' });
});

test('the extended card is that of 0.2', () => {
  const method = rest.routes[0]?.method;
  expect(method?.request.decode({}, context())).toEqual({ request: {} });
  const card = method?.result?.encode({ value: v1 as never }, context());
  expect(card).toEqual(a2a02.card.encode(v1, context()));
  expect(method?.result?.decode(card, context()).value).toMatchObject({ name: 'Weather' });
});

test.each<[ErrorKind, number]>([
  ['taskNotFound', -32001],
  ['invalidAgentResponse', -32006],
  ['extendedAgentCardNotConfigured', -32603],
  ['versionNotSupported', -32603],
])('%s has the code %d, on every face', (kind, code) => {
  const error = new A2AError(kind, 'Said so');
  const wire = face.error.encode(error, context());
  expect(wire).toMatchObject({ code, message: 'Said so' });
  expect(face.error.decode(wire, context())).toMatchObject({ kind });
  const answer = rest.error.encode(error, context());
  expect(answer).toEqual({ status: error.row.http, body: wire });
  expect(rest.error.decode(answer, context())).toMatchObject({ kind });
  expect(rest.error.decode({ status: 500, body: { error: wire } }, context())).toMatchObject({ kind });
});
