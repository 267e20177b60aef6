import { AgentCard as AgentCard10, GetTaskRequest, SendMessageRequest, TaskState } from '@a2a-js/sdk';
import {
  ClientFactory as ClientFactory10,
  JsonRpcTransportFactory,
  DefaultAgentCardResolver as Resolver10,
  RestTransportFactory,
} from '@a2a-js/sdk/client';
import { GrpcTransportFactory } from '@a2a-js/sdk/client/grpc';
import { TaskNotFoundError } from '@a2a-js/sdk/errors';
import { createFileRegistry, type DescService, fromBinary, type Message } from '@bufbuild/protobuf';
import { FileDescriptorSetSchema } from '@bufbuild/protobuf/wkt';
import { Code, createClient } from '@connectrpc/connect';
import { createGrpcWebTransport } from '@connectrpc/connect-node';
import type { AgentCard } from 'a2a-sdk-0.3';
import { DefaultAgentCardResolver as Resolver03 } from 'a2a-sdk-0.3/client';
import { beforeAll, describe, expect, it } from 'vitest';
import { image } from '../../support/descriptors.ts';
import { type Running, startGateway } from '../../support/gateway.ts';
import { clientOf, taskOf, userMessage } from '../../support/sdk-0.3.ts';

/**
 * Cards as the resolvers of the official SDKs find and read them. Clients of 0.3 and of 1.0 can both read a card that
 * was requested without a version.
 */

const gateway = await startGateway({ settings: '  guarded: { kind: module, path: ./agents/guarded-agent.ts }\n' });

const cardPath = '/.well-known/agent-card.json';
const olderPath = '/.well-known/agent.json';

/** Members that the schema of 0.3 requires in every card. */
const required = [
  'name',
  'description',
  'url',
  'version',
  'protocolVersion',
  'capabilities',
  'defaultInputModes',
  'defaultOutputModes',
  'skills',
] as const satisfies readonly (keyof AgentCard)[];

describe('the card resolver of the SDK of A2A 0.3', () => {
  const resolve = (path?: string): Promise<AgentCard> => new Resolver03().resolve(gateway.origin, path);

  it.each([
    ['by the base URL alone', undefined, '', 'Reference agent'],
    ['at the path of 0.3', cardPath, '', 'Reference agent'],
    ['at the path of before', olderPath, '', 'Reference agent'],
    ['of an agent', `/hello${cardPath}`, '/hello', 'Hello agent'],
    ['of an agent, at the path of before', `/hello${olderPath}`, '/hello', 'Hello agent'],
    ['pinned', `/as/a2a-0.3${cardPath}`, '/as/a2a-0.3', 'Reference agent'],
    ['pinned, at the path of before', `/as/a2a-0.3${olderPath}`, '/as/a2a-0.3', 'Reference agent'],
    ['of an agent, pinned', `/hello/as/a2a-0.3${cardPath}`, '/hello/as/a2a-0.3', 'Hello agent'],
  ])('the card resolver of the SDK of A2A 0.3 finds the card %s', async (_, path, base, name) => {
    const card = await resolve(path);
    for (const member of required) expect(card[member], member).toBeTruthy();
    expect(card.name).toBe(name);
    expect(card.preferredTransport).toBe('JSONRPC');
    expect(new URL(card.url).href).toBe(new URL(base, gateway.origin).href);
    for (const skill of card.skills) {
      expect(skill).toMatchObject({ id: expect.any(String), name: expect.any(String), tags: expect.any(Array) });
    }
  });

  it('the card resolver of the SDK of A2A 0.3 reads every transport that reaches the agent, and no other', async () => {
    const offered = async (base: string) => {
      const { url, preferredTransport, additionalInterfaces = [] } = await resolve(`${base}${cardPath}`);
      const all = [[preferredTransport, url], ...additionalInterfaces.map((one) => [one.transport, one.url])];
      return [...new Set(all.map(([transport]) => transport))].sort();
    };
    expect(await offered('')).toEqual(['GRPC', 'HTTP+JSON', 'JSONRPC']);
    expect(await offered('/as/a2a-0.3')).toEqual(['GRPC', 'HTTP+JSON', 'JSONRPC']);
    // gRPC of 0.3 has no place for the name of an agent.
    expect(await offered('/hello')).toEqual(['HTTP+JSON', 'JSONRPC']);
    expect(await offered('/hello/as/a2a-0.3')).toEqual(['HTTP+JSON', 'JSONRPC']);
  });

  it('the card resolver of the SDK of A2A 0.3 reads JSON-RPC only from a card of 0.2', async () => {
    const { preferredTransport, additionalInterfaces = [] } = await resolve(`/as/a2a-0.2${cardPath}`);
    expect(preferredTransport).toBe('JSONRPC');
    expect(additionalInterfaces.filter(({ transport }) => transport !== 'JSONRPC')).toEqual([]);
  });

  it.each(['', '/as/a2a-0.3'])(
    'the card resolver of the SDK of A2A 0.3 creates working clients from the card below %j',
    async (base) => {
      for (const protocol of ['JSONRPC', 'HTTP+JSON', 'GRPC']) {
        const client = await clientOf(`${gateway.origin}${base}${cardPath}`, protocol);
        const task = taskOf(await client.sendMessage({ message: userMessage('hello') }));
        expect(task.status.state).toBe('completed');
        expect((await client.getTask({ id: task.id })).id).toBe(task.id);
      }
    },
  );

  it('the card resolver of the SDK of A2A 0.3 reads the security schemes', async () => {
    const card = await resolve(`/guarded${cardPath}`);
    expect(card.securitySchemes).toMatchObject({
      key: { type: 'apiKey', in: 'header', name: 'X-API-Key' },
      bearer: { type: 'http', scheme: 'Bearer', bearerFormat: 'JWT' },
      oauth: {
        type: 'oauth2',
        flows: {
          clientCredentials: { tokenUrl: 'https://example.com/token', scopes: { tasks: 'Tasks', skill: 'It' } },
        },
      },
      oidc: { type: 'openIdConnect', openIdConnectUrl: 'https://example.com/.well-known/openid-configuration' },
      mtls: { type: 'mutualTLS' },
    });
    expect(card.security).toEqual([{ key: [] }, { oauth: ['tasks'] }]);
    expect(card.skills[0]?.security).toEqual([{ oauth: ['skill'] }]);
    expect(card.capabilities.extensions).toEqual([
      { uri: 'urn:example:optional', description: 'Optional.', params: { depth: 2 } },
      { uri: 'urn:a2a-gateway-extension:idempotency-key', description: expect.any(String) },
    ]);
    expect(card).toMatchObject({
      provider: { organization: 'Example', url: 'https://example.com' },
      documentationUrl: 'https://example.com/docs',
      iconUrl: 'https://example.com/icon.png',
    });
  });
});

/** Asks as a reader who says nothing of versions. */
const unversioned: typeof fetch = (input) => fetch(input);

describe.each([
  ['asking for 1.0', fetch],
  ['asking for no version', unversioned],
])('the resolver of 1.0, %s', (label, fetchImpl) => {
  const resolve = (path: string) => new Resolver10({ fetchImpl }).resolve(gateway.origin, path);

  it.each(['', '/hello', '/guarded'])(`the resolver of 1.0, ${label} reads the card of %s`, async (base) => {
    const card = await resolve(`${base}${cardPath}`);
    const first = card.supportedInterfaces.slice(0, 3);
    expect(first.map(({ protocolBinding, protocolVersion }) => [protocolBinding, protocolVersion])).toEqual([
      ['JSONRPC', '1.0'],
      ['HTTP+JSON', '1.0'],
      ['GRPC', '1.0'],
    ]);
    const client = await new ClientFactory10().createFromAgentCard(card);
    expect(client.protocolVersion).toBe('1.0');
  });

  it(`the resolver of 1.0, ${label} reads the security schemes`, async () => {
    // The resolver takes some cards apart and gives back others as they came; this is how the SDK reads both.
    const headers = { 'A2A-Version': '1.0' };
    const response = await fetchImpl(`${gateway.origin}/guarded${cardPath}`, { headers });
    const card = AgentCard10.toJSON(AgentCard10.fromJSON(await response.json()));
    expect(card).toMatchObject({
      securitySchemes: {
        key: { apiKeySecurityScheme: { location: 'header', name: 'X-API-Key' } },
        bearer: { httpAuthSecurityScheme: { scheme: 'Bearer', bearerFormat: 'JWT' } },
        oauth: { oauth2SecurityScheme: { flows: { clientCredentials: { tokenUrl: 'https://example.com/token' } } } },
        oidc: { openIdConnectSecurityScheme: { openIdConnectUrl: expect.any(String) } },
        mtls: { mtlsSecurityScheme: { description: 'A certificate.' } },
      },
      securityRequirements: [{ schemes: { key: {} } }, { schemes: { oauth: { list: ['tasks'] } } }],
      skills: [{ securityRequirements: [{ schemes: { oauth: { list: ['skill'] } } }] }],
    });
  });
});

describe('a card with configured interfaces', () => {
  let narrow: Running;
  beforeAll(async () => {
    const settings = `  plain: { kind: reference, cards: { interfaces: [JSONRPC, HTTP+JSON] } }
  older:
    kind: reference
    cards: { interfaces: [GRPC], dialects: { a2a-0.3: { interfaces: [JSONRPC] } } }
cards: { interfaces: [GRPC, HTTP+JSON], dialects: { a2a-0.3: { interfaces: [HTTP+JSON] } } }
preview: []
`;
    narrow = await startGateway({ settings });
  });

  const listed = async (path: string): Promise<string[]> => {
    const response = await fetch(narrow.origin + path);
    const card = (await response.json()) as {
      supportedInterfaces?: { protocolBinding: string; protocolVersion: string }[];
      preferredTransport?: string;
      additionalInterfaces?: { transport: string }[];
    };
    return [
      ...(card.supportedInterfaces ?? []).map((one) => `${one.protocolBinding} ${one.protocolVersion}`),
      ...new Set([card.preferredTransport, ...(card.additionalInterfaces ?? []).map(({ transport }) => transport)]),
    ].filter((one) => one !== undefined);
  };

  it('a card with configured interfaces lists no other interface, for clients that would refuse the card', async () => {
    expect(await listed(`/plain${cardPath}`)).toEqual([
      'JSONRPC 1.0',
      'HTTP+JSON 1.0',
      'JSONRPC 0.3',
      'HTTP+JSON 0.3',
      'JSONRPC',
      'HTTP+JSON',
    ]);
    expect(await listed(`/plain/as/a2a-0.3${cardPath}`)).toEqual(['JSONRPC', 'HTTP+JSON']);
  });

  it('a card with configured interfaces can have other interfaces in each dialect', async () => {
    expect(await listed(`/older${cardPath}`)).toEqual(['GRPC 1.0', 'JSONRPC 0.3', 'JSONRPC']);
    // A dialect without the configured bindings lists the bindings that it has.
    expect(await listed(`/older/as/a2a-0.2${olderPath}`)).toEqual(['JSONRPC']);
    expect(await listed(`/hello${cardPath}`)).toEqual(['HTTP+JSON 1.0', 'GRPC 1.0', 'HTTP+JSON 0.3', 'HTTP+JSON']);
  });
});

describe('a card that is configured to list gRPC-Web', () => {
  let web: Running;
  beforeAll(async () => {
    const listed = '{ interfaces: [JSONRPC, HTTP+JSON, GRPC, GRPC-WEB] }';
    web = await startGateway({ settings: `cards: { dialects: { a2a-0.3: ${listed} } }\n` });
  });

  it('a card that is configured to list gRPC-Web lists it after gRPC, and only in the dialect that names it', async () => {
    const { additionalInterfaces, ...card } = (await (await fetch(web.origin + cardPath)).json()) as AgentCard & {
      supportedInterfaces: { protocolBinding: string; protocolVersion: string }[];
    };
    expect(additionalInterfaces?.slice(-2)).toEqual([
      { transport: 'GRPC', url: web.target },
      { transport: 'GRPC-WEB', url: web.origin },
    ]);
    const others = card.supportedInterfaces.filter(({ protocolBinding }) => protocolBinding === 'GRPC-WEB');
    expect(others.map(({ protocolVersion }) => protocolVersion)).toEqual(['0.3']);
  });

  it('a card that is configured to list gRPC-Web is used by clients of gRPC-Web and of every other binding', async () => {
    const { additionalInterfaces = [] } = await new Resolver03().resolve(web.origin);
    const { url } = additionalInterfaces.find(({ transport }) => transport === 'GRPC-WEB') ?? expect.fail('not listed');
    const registry = createFileRegistry(fromBinary(FileDescriptorSetSchema, Buffer.from(image, 'base64')));
    const service = registry.getService('a2a.v1.A2AService') as DescService;
    const client = createClient(service, createGrpcWebTransport({ baseUrl: url, httpVersion: '1.1' }));
    const { getTask } = client as unknown as { getTask(request: object): Promise<Message> };
    await expect(getTask({ name: 'tasks/no-such-task' })).rejects.toMatchObject({ code: Code.NotFound });
    for (const protocol of ['JSONRPC', 'HTTP+JSON', 'GRPC']) {
      const sdk = await clientOf(web.origin + cardPath, protocol);
      expect(taskOf(await sdk.sendMessage({ message: userMessage('hello') })).status.state).toBe('completed');
    }
  });
});

it('a card lists no transport without a name in A2A 0.3, because readers such as the Rust crate a2a-types refuse such a card', async () => {
  const known = new Set(['JSONRPC', 'HTTP+JSON', 'GRPC']);
  const unknown: string[] = [];
  for (const base of ['', '/hello', '/as/a2a-0.3', '/as/a2a-0.2', '/as/a2a-1.0', '/as/http']) {
    const card = JSON.parse(await (await fetch(gateway.origin + base + cardPath)).text(), (name, value) => {
      const named = name === 'transport' || name === 'preferredTransport' || name === 'protocolBinding';
      if (named && !known.has(value)) unknown.push(`${base}: ${value}`);
      return value;
    });
    expect(card).toHaveProperty('name');
  }
  expect(unknown).toEqual([]);
});

it('the card below /as/http lists http and https URLs of its own origin alone', async () => {
  const own = await startGateway();
  for (const base of ['', '/demo']) {
    const response = await fetch(`${own.origin}${base}/as/http/.well-known/agent-card.json`);
    const card = (await response.json()) as AgentCard & { supportedInterfaces: { url: string }[] };
    const listed = [card, ...card.supportedInterfaces, ...(card.additionalInterfaces ?? [])].map(({ url }) => url);
    expect(new Set(listed.map((url) => new URL(url).href))).toEqual(new Set([new URL(own.origin + base).href]));
    const usual = await fetch(`${own.origin}${base}/.well-known/agent-card.json`);
    expect(await usual.text()).toContain('"GRPC"');
  }
  const call = await fetch(`${own.origin}/as/http/message:send`, { method: 'POST' });
  expect([call.status, await call.text()]).toEqual([404, expect.stringContaining('/as/http has a card alone')]);
});

it.each(['', '0.3', '1.0'])('a pinned card has the pinned version when the client asks for %j', async (version) => {
  const read = async (dialect: string): Promise<object> => {
    const headers = { 'A2A-Version': version };
    const response = await fetch(`${gateway.origin}/as/${dialect}${cardPath}`, { headers });
    return (await response.json()) as object;
  };
  expect(await read('a2a-0.3')).toMatchObject({ protocolVersion: '0.3.0', url: `${gateway.origin}/as/a2a-0.3` });
  const card = await read('a2a-1.0');
  expect(card).toMatchObject({ supportedInterfaces: [{ protocolVersion: '1.0' }, {}, {}] });
  expect(card).not.toHaveProperty('url');
});

describe('the SDK of A2A 1.0 in its mode for 0.3', () => {
  const legacyCompat = { enabled: true };

  it.each(['JSONRPC', 'HTTP+JSON', 'GRPC'])(
    'the SDK of A2A 1.0 in its mode for 0.3 works over %s from the card of 0.3',
    async (protocol) => {
      const transports = [
        new JsonRpcTransportFactory({ legacyCompat }),
        new RestTransportFactory({ legacyCompat }),
        new GrpcTransportFactory({ legacyCompat }),
      ];
      const options = { transports, preferredTransports: [protocol], cardResolver: new Resolver10({ legacyCompat }) };
      const client = await new ClientFactory10(options).createFromUrl(`${gateway.origin}/as/a2a-0.3${cardPath}`, '');
      expect(client.protocolVersion).toBe('0.3');
      const message = { messageId: 'compat', role: 'ROLE_USER', parts: [{ text: 'hello' }] };
      const sent = await client.sendMessage(SendMessageRequest.fromJSON({ message }));
      if (!('status' in sent)) throw new TypeError('a message, not a task');
      expect(sent.artifacts[0]?.parts[0]?.content).toEqual({ $case: 'text', value: 'hello' });
      const task = await client.getTask(GetTaskRequest.fromJSON({ id: sent.id }));
      expect(task).toMatchObject({ id: sent.id, status: { state: TaskState.TASK_STATE_COMPLETED } });
      const unknown = client.getTask(GetTaskRequest.fromJSON({ id: 'no-such-task' }));
      await expect(unknown).rejects.toBeInstanceOf(TaskNotFoundError);
    },
  );
});
