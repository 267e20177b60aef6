import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type StreamResponse, api as v1Api } from '../../../src/core/model/a2a.ts';
import { A2AError, type ErrorKind, errorTable } from '../../../src/core/model/errors.ts';
import { grpc, rest } from '../../../src/dialects/a2a-0.3/protobuf/bindings.ts';
import type { CodecContext } from '../../../src/dialects/kernel/codec.ts';
import { unpackError } from '../../../src/dialects/kernel/rpc-status.ts';
import type { Method } from '../../../src/dialects/kernel/wire.ts';
import { api } from '../../../src/gen/a2a-v0_3/index.ts';
import type { Operation } from '../../../src/gen/operations.ts';
import { decode, encode } from '../../../src/wire/protobuf.ts';
import { parseAs, violationsOf } from '../../../src/wire/validate.ts';
import { canonicalJson } from '../../support/arbitrary-json.ts';
import { context, type Json, throughText } from '../../support/legacy-dialect.ts';
import { without, withoutEmpty } from '../../support/same.ts';

const throughBytes = (type: string, value: unknown): unknown => decode(api, type, encode(api, type, value as object));
const methodOf = (rpc: string): Method => grpc.methods.get(rpc) as Method;
const rows = api.operations.map((operation): [string, Operation] => [operation.rpc, operation]);

/** Makes what a type requires that the proto does not, and names that are names. */
const fixes: Readonly<Record<string, (message: Json) => Json>> = {
  'a2a.v1.Message': (message) => ({ messageId: 'm', role: 'ROLE_USER', content: [{ text: 'hi' }], ...message }),
  'a2a.v1.DataPart': (part) => ({ data: {}, ...part }),
  'a2a.v1.Task': (task) => ({ id: 't', status: {}, ...task }),
  'a2a.v1.Artifact': (artifact) => ({ artifactId: 'a', ...artifact }),
  'a2a.v1.TaskStatusUpdateEvent': (event) => ({ taskId: 't', status: {}, ...event }),
  'a2a.v1.TaskArtifactUpdateEvent': (event) => ({ taskId: 't', artifact: { artifactId: 'a' }, ...event }),
  'a2a.v1.PushNotificationConfig': (config) => ({ url: 'https://example.com/hook', ...config }),
  'a2a.v1.TaskPushNotificationConfig': ({ pushNotificationConfig: push }) => {
    const { authentication, ...config }: Json = { id: 'c', url: 'https://example.com/hook', ...(push as Json) };
    const { credentials, schemes = ['Bearer'] } = (authentication ?? {}) as {
      credentials?: string;
      schemes?: string[];
    };
    // Of an answer v1 holds one scheme, and none is no authentication.
    const [scheme] = schemes.filter((name) => name !== '');
    const one = scheme !== undefined && { schemes: [scheme], ...(credentials && { credentials }) };
    return {
      name: `tasks/t/pushNotificationConfigs/${config.id}`,
      pushNotificationConfig: { ...config, ...(one && { authentication: one }) },
    };
  },
  'a2a.v1.CreateTaskPushNotificationConfigRequest': ({ config }) => {
    const { name, pushNotificationConfig } = config as { name: string; pushNotificationConfig: { id: string } };
    return { parent: 'tasks/t', configId: pushNotificationConfig.id, config: { name, pushNotificationConfig } };
  },
  'a2a.v1.SendMessageRequest': (request) => ({ configuration: { blocking: true }, ...request }),
  'a2a.v1.GetTaskRequest': (request) => ({ ...request, name: 'tasks/t' }),
  'a2a.v1.CancelTaskRequest': () => ({ name: 'tasks/t' }),
  'a2a.v1.TaskSubscriptionRequest': () => ({ name: 'tasks/t' }),
  'a2a.v1.GetTaskPushNotificationConfigRequest': () => ({ name: 'tasks/t/pushNotificationConfigs/c' }),
  'a2a.v1.DeleteTaskPushNotificationConfigRequest': () => ({ name: 'tasks/t/pushNotificationConfigs/c' }),
  'a2a.v1.ListTaskPushNotificationConfigRequest': (request) => ({ ...request, parent: 'tasks/t' }),
  'a2a.v1.AgentCard': (card) => ({
    name: 'n',
    description: '',
    version: '',
    url: 'https://example.com/',
    capabilities: {},
    skills: [],
    ...card,
  }),
  'a2a.v1.AgentProvider': (provider) => ({ url: '', organization: '', ...provider }),
  'a2a.v1.AgentSkill': (skill) => ({ id: 's', name: '', description: '', tags: [], ...skill }),
  'a2a.v1.APIKeySecurityScheme': (scheme) => ({ location: 'header', name: 'X-Key', ...scheme }),
  'a2a.v1.HTTPAuthSecurityScheme': (scheme) => ({ scheme: 'Bearer', ...scheme }),
  'a2a.v1.OAuth2SecurityScheme': (scheme) => ({ flows: {}, ...scheme }),
  'a2a.v1.OpenIdConnectSecurityScheme': (scheme) => ({ openIdConnectUrl: 'https://example.com/oidc', ...scheme }),
  'a2a.v1.AuthorizationCodeOAuthFlow': (flow) => ({ authorizationUrl: 'a', tokenUrl: 't', ...flow }),
  'a2a.v1.ClientCredentialsOAuthFlow': (flow) => ({ tokenUrl: 't', ...flow }),
};

/** A value of the proto as peers mean it. */
function meant(type: string, value: unknown): unknown {
  const fields = api.fields.messages[type]?.fields;
  if (!fields || typeof value !== 'object' || value === null) return value;
  const object: Json = { ...value };
  for (const field of fields) {
    const before = object[field.jsonName];
    if (before === undefined || (field.valueKind ?? field.kind) !== 'message') continue;
    if (Array.isArray(before)) object[field.jsonName] = before.map((item) => meant(field.type, item));
    else if (field.kind !== 'map') object[field.jsonName] = meant(field.type, before);
    else {
      const entries = Object.entries(before as Json).map(([key, item]) => [key, meant(field.type, item)]);
      object[field.jsonName] = Object.fromEntries(entries);
    }
  }
  return fixes[type]?.(object) ?? object;
}

const wireValues = (type: string) => canonicalJson(api, type).map((value) => meant(type, value));

describe('0.3 ProtoJSON → v1 → 0.3 ProtoJSON is the identity', () => {
  /** Through text, bytes and the validator, so that what is written is held against the type, too. */
  const again = (type: string, wire: unknown): unknown =>
    withoutEmpty(parseAs(api, type, throughBytes(type, throughText(wire))));

  test.each(rows)('a request of %s in 0.3 ProtoJSON comes back from v1 as it was', (rpc, { request: type }) => {
    const { request } = methodOf(rpc);
    const property = fc.property(wireValues(type), (wire) => {
      const before = structuredClone(wire);
      // The context converts a document, which gets back the members that v1 does not hold.
      const cx: CodecContext = { ...context(), keepsOwn: true };
      const back = request.encode(request.decode(wire, cx), cx);
      expect(wire).toEqual(before);
      expect(again(type, back)).toEqual(withoutEmpty(wire));
      expect([...cx.losses]).toEqual([]);
    });
    fc.assert(property, { numRuns: 30 });
  });

  test.each(rows.filter(([, { streaming }]) => !streaming))(
    'an answer of %s in 0.3 ProtoJSON comes back from v1 as it was',
    (rpc, { response: type }) => {
      const { result } = methodOf(rpc);
      if (!api.fields.messages[type]) return;
      const property = fc.property(wireValues(type), (wire) => {
        const cx = context();
        const back = result?.encode(result.decode(wire, cx), cx);
        expect(again(type, back)).toEqual(withoutEmpty(wire));
        expect([...cx.losses]).toEqual([]);
      });
      fc.assert(property, { numRuns: 30 });
    },
  );

  test.each(rows.filter(([, { streaming }]) => streaming))(
    'events of %s in 0.3 ProtoJSON come back from v1 as they were',
    (rpc, { response: type }) => {
      const event = methodOf(rpc).stream?.event;
      const property = fc.property(wireValues(type), (wire) => {
        const cx = context();
        const v1 = event?.decode(wire, cx) as StreamResponse;
        expect(violationsOf(v1Api, 'lf.a2a.v1.StreamResponse', v1)).toEqual([]);
        expect(again(type, event?.encode({ event: v1, generation: 0 }, cx))).toEqual(withoutEmpty(wire));
      });
      fc.assert(property, { numRuns: 30 });
    },
  );
});

/** v1 as it is on the wire, with ids in which names of the proto can be distinguished from the text around them. */
function realistic(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(realistic);
  if (typeof value !== 'object' || value === null) return value;
  const object: Json = Object.fromEntries(Object.entries(value).map(([key, item]) => [key, realistic(item)]));
  if (Array.isArray(object.parts) && object.parts.length === 0) object.parts = [{ text: 'a part' }];
  // The proto cannot tell these from what is absent.
  for (const name of ['extendedAgentCard', 'streaming', 'pushNotifications']) {
    if (object[name] === false) delete object[name];
  }
  if (Array.isArray(object.supportedInterfaces)) {
    const served = { url: 'https://example.com/agent', protocolBinding: 'JSONRPC', protocolVersion: '0.3' };
    object.supportedInterfaces = [served, ...object.supportedInterfaces.slice(1)];
  }
  return object;
}

const v1Values = (type: string) => canonicalJson(v1Api, type).map((value) => realistic(value) as Json);
const kept = (value: unknown, losses: readonly string[]): unknown => withoutEmpty(losses.reduce(without, value));

describe('v1 → 0.3 ProtoJSON → v1 loses what the list says and nothing else', () => {
  const v1Operations = new Map(v1Api.operations.map((operation) => [operation.name, operation]));

  test.each(rows)(
    'a request of %s in v1 loses what the list for 0.3 ProtoJSON says and nothing else',
    (rpc, { request: type }) => {
      const { operation, request } = methodOf(rpc);
      const property = fc.property(v1Values(v1Operations.get(operation)?.request as string), (value) => {
        const v1 = { ...value };
        if (rpc === 'CreateTaskPushNotificationConfig') {
          v1.taskId ||= 't';
          // A configuration without an id gets the id of its task.
          v1.id ||= v1.taskId;
        }
        const cx = context();
        const wire = throughBytes(type, throughText(request.encode({ request: v1 as never }, cx)));
        const back = request.decode(wire, context()).request;
        const losses = [...cx.losses];
        expect(grpc.losses?.request).toEqual(expect.arrayContaining(losses));
        expect(kept(back, losses)).toEqual(kept(v1, losses));
      });
      fc.assert(property, { numRuns: 30 });
    },
  );

  const standing = [
    ['message', 'Message', 'SendMessage', 'message'],
    ['task', 'Task', 'GetTask', undefined],
    ['card', 'AgentCard', 'GetAgentCard', undefined],
  ] as const;
  test.each(standing)(
    'a %s in v1 loses what the list for 0.3 ProtoJSON says and nothing else',
    (name, type, rpc, member) => {
      const { result } = methodOf(rpc);
      const listed = (grpc.losses?.[name] ?? []).map((path) => (member ? `${member}.${path}` : path));
      const property = fc.property(v1Values(`lf.a2a.v1.${type}`), (standingAlone) => {
        const v1 = member ? { [member]: standingAlone } : standingAlone;
        const cx = context();
        const wire = throughText(result?.encode({ value: v1 as never }, cx));
        const back = result?.decode(wire, context()).value;
        const losses = [...cx.losses];
        expect(listed).toEqual(expect.arrayContaining(losses));
        expect(kept(own(back), losses)).toEqual(kept(v1, losses));
      });
      fc.assert(property, { numRuns: 40 });
    },
  );

  test.each(['SendStreamingMessage', 'TaskSubscription'])(
    'events of %s in v1 lose what the list for 0.3 ProtoJSON says and nothing else',
    (rpc) => {
      const event = methodOf(rpc).stream?.event;
      const property = fc.property(v1Values('lf.a2a.v1.StreamResponse'), (v1) => {
        const cx = context();
        const wire = throughBytes(
          'a2a.v1.StreamResponse',
          throughText(event?.encode({ event: v1 as never, generation: 0 }, cx)),
        );
        const back = event?.decode(wire, context());
        const losses = [...cx.losses];
        expect(grpc.losses?.event).toEqual(expect.arrayContaining(losses));
        expect(kept(back, losses)).toEqual(kept(v1, losses));
      });
      fc.assert(property, { numRuns: 40 });
    },
  );

  /** Without the extension in which the gateway keeps what a card of 0.3 says. */
  function own(value: unknown): unknown {
    const { capabilities } = value as { capabilities?: { extensions?: { uri?: string }[] } };
    if (!capabilities?.extensions) return value;
    const extensions = capabilities.extensions.filter(({ uri = '' }) => !uri.startsWith('urn:a2a-gateway:'));
    return { ...(value as Json), capabilities: { ...capabilities, extensions } };
  }
});

describe('the end of a stream', () => {
  const update = (state: string) => ({ statusUpdate: { taskId: 't', contextId: 'c', status: { state } } }) as never;
  const final = (rpc: string, state: string): unknown => {
    const wire = methodOf(rpc).stream?.event?.encode({ event: update(state), generation: 0 }, context());
    return (wire as { statusUpdate: { final?: boolean } }).statusUpdate.final;
  };

  test.each([
    ['TASK_STATE_WORKING', undefined, undefined],
    ['TASK_STATE_INPUT_REQUIRED', true, undefined],
    ['TASK_STATE_AUTH_REQUIRED', true, undefined],
    ['TASK_STATE_CANCELED', true, true],
    ['TASK_STATE_COMPLETED', true, true],
  ])('the state %s ends a stream in its own way', (state, sent, subscribed) => {
    expect(final('SendStreamingMessage', state)).toBe(sent);
    expect(final('TaskSubscription', state)).toBe(subscribed);
  });

  test('the end of a stream is passed on where an agent says otherwise', () => {
    const event = methodOf('SendStreamingMessage').stream?.event;
    const wire = {
      statusUpdate: { taskId: 't', contextId: 'c', status: { state: 'TASK_STATE_WORKING' }, final: true },
    };
    expect(event?.encode({ event: event.decode(wire, context()), generation: 0 }, context())).toEqual(wire);
  });
});

describe('requests are read tolerantly', () => {
  const read = (rpc: string, wire: unknown): unknown => methodOf(rpc).request.decode(wire, context()).request;
  const readHttp = (rpc: string, wire: unknown): unknown =>
    rest.routes.find(({ method }) => method.name === rpc)?.method.request.decode(wire, context()).request;
  const message = { messageId: 'm', role: 'ROLE_USER', parts: [{ text: 'hi' }] };

  test.each([
    [undefined, undefined],
    [{ blocking: true }, undefined],
    [{}, { returnImmediately: true }],
    [{ blocking: false }, { returnImmediately: true }],
    [{ historyLength: 0, blocking: true }, undefined],
    [{ history_length: 2 }, { historyLength: 2, returnImmediately: true }],
  ])('the configuration %j of a request is read tolerantly', (configuration, v1) => {
    const wire = { message: { messageId: 'm', role: 'ROLE_USER', content: [{ text: 'hi' }] }, configuration };
    expect(read('SendMessage', wire)).toEqual({ message, ...(v1 && { configuration: v1 }) });
  });

  test.each([
    ['messageId', { role: 'ROLE_USER', content: [{ text: 'hi' }] }],
    ['role', { messageId: 'm', content: [{ text: 'hi' }] }],
    ['content', { messageId: 'm', role: 'ROLE_USER' }],
    ['content', { messageId: 'm', role: 'ROLE_USER', content: [] }],
  ])('a message without %s is refused by that name', (name, wire) => {
    const violations = [{ field: `message.${name}`, description: 'is required' }];
    expect(() => read('SendMessage', { message: wire })).toThrow(
      expect.objectContaining({ kind: 'invalidParams', violations }),
    );
  });

  test('names of tasks that are none are refused', () => {
    for (const name of [undefined, '', 't', 'tasks/', 'task/t']) {
      const names = { name: 'GetTask', wire: { name } };
      expect(() => read(names.name, names.wire)).toThrow(expect.objectContaining({ kind: 'invalidParams' }));
    }
    expect(() => read('GetTaskPushNotificationConfig', { name: 'tasks/t' })).toThrow(
      expect.objectContaining({ violations: [expect.objectContaining({ field: 'name' })] }),
    );
  });

  test.each(['undefined', 'None', ''])('a push configuration called %j is the one with the id of its task', (id) => {
    expect(read('GetTaskPushNotificationConfig', { name: `tasks/t/pushNotificationConfigs/${id}` })).toEqual({
      taskId: 't',
      id: 't',
    });
  });

  const url = 'https://example.com/hook';
  const name = 'tasks/t/pushNotificationConfigs/c';
  test.each([
    ['the whole request', { configId: 'c', config: { name, pushNotificationConfig: { url } } }, 'c'],
    ['the whole request in snake_case', { config_id: 'c', config: { push_notification_config: { url } } }, 'c'],
    ['the configuration with a name', { name, pushNotificationConfig: { url } }, 'c'],
    ['the configuration with an id', { pushNotificationConfig: { id: 'c', url } }, 'c'],
    [
      'the configuration of a client without an id',
      { name: `${name.slice(0, -1)}None`, pushNotificationConfig: { url } },
      't',
    ],
    ['the inner configuration', { id: 'c', url }, 'c'],
  ])('a push configuration over HTTP may be %s', (_, body, id) => {
    const create = 'CreateTaskPushNotificationConfig';
    expect(readHttp(create, { ...body, parent: 'tasks/t' })).toEqual({ taskId: 't', id, url });
  });

  test('a push configuration of two tasks is refused', () => {
    const wire = { parent: 'tasks/other', config: { name, pushNotificationConfig: { url } } };
    expect(() => read('CreateTaskPushNotificationConfig', wire)).toThrow(
      expect.objectContaining({ violations: [expect.objectContaining({ field: 'config.name' })] }),
    );
  });
});

describe('errors keep their meaning', () => {
  const kinds = Object.keys(errorTable) as ErrorKind[];

  test.each(kinds)('the error %s keeps its meaning', (kind) => {
    const violations = kind === 'invalidParams' ? [{ field: 'a.b', description: 'is bad' }] : [];
    const error = new A2AError(kind, 'Said so', { violations, metadata: { taskId: 't' } });
    const same = { kind, message: 'Said so', violations, metadata: { taskId: 't' } };
    const answer = throughText(rest.error.encode(error, context()));
    expect(answer).toMatchObject({ body: { code: error.row.jsonrpc, message: 'Said so' } });
    expect(rest.error.decode(answer, context())).toMatchObject(same);
    const told = grpc.encodeError?.(error);
    expect(told?.message).toMatch(/(^|: )Said so$/);
    // Servers of 0.3 pack no details; the name in the message then says what is meant.
    const named =
      told?.message === 'Said so' ? undefined : unpackError({ code: 2, message: told?.message ?? '', details: [] });
    if (named) expect(named).toMatchObject({ kind, message: 'Said so' });
  });

  test.each([
    [404, { message: 'Task not found' }, 'taskNotFound'],
    [409, { message: 'done' }, 'taskNotCancelable'],
    [500, { error: 'io.a2a.spec.TaskNotCancelableError', message: 'done' }, 'taskNotCancelable'],
    [400, { type: 'TaskNotFoundError', message: 'gone' }, 'taskNotFound'],
    [404, { error: 'java.lang.IllegalStateException', message: 'odd' }, 'taskNotFound'],
    [422, { message: 'bad' }, 'invalidParams'],
    [501, { message: 'no' }, 'unsupportedOperation'],
    [500, { message: 'unknown exception' }, 'internal'],
    [404, { code: -32001, message: 'Task not found: x' }, 'taskNotFound'],
    [400, { code: -32003, message: 'no push' }, 'pushNotificationNotSupported'],
    [401, { code: -32000, message: 'who?' }, 'unauthenticated'],
    [500, 'not JSON', 'internal'],
  ])('errors of other servers keep their meaning: %d %j', (status, body, kind) => {
    expect(rest.error.decode({ status, body }, context())).toMatchObject({ kind });
  });

  test.each([
    [9, 'CancelTask', 'taskNotCancelable'],
    [9, 'GetExtendedAgentCard', 'extendedAgentCardNotConfigured'],
    [12, 'CreateTaskPushNotificationConfig', 'pushNotificationNotSupported'],
    [12, 'SubscribeToTask', 'unsupportedOperation'],
    [5, 'GetTask', 'taskNotFound'],
  ] as const)('errors of servers that pack nothing keep their meaning: status %s of %s', (code, operation, kind) => {
    const told = { code, message: 'Said so', details: [] };
    expect(unpackError(told, (status) => grpc.kindOf?.(status, operation))).toMatchObject({ kind, message: 'Said so' });
  });

  test.each([
    ['taskNotFound', 404, 'NOT_FOUND'],
    ['taskNotCancelable', 409, 'FAILED_PRECONDITION'],
    ['pushNotificationNotSupported', 400, 'UNIMPLEMENTED'],
    ['unsupportedOperation', 400, 'UNIMPLEMENTED'],
    ['contentTypeNotSupported', 500, 'INVALID_ARGUMENT'],
    ['invalidAgentResponse', 500, 'INTERNAL'],
    ['extendedAgentCardNotConfigured', 500, 'FAILED_PRECONDITION'],
    ['invalidParams', 400, 'INVALID_ARGUMENT'],
    ['methodNotFound', 404, 'UNIMPLEMENTED'],
    ['unauthenticated', 401, 'UNAUTHENTICATED'],
    ['permissionDenied', 403, 'PERMISSION_DENIED'],
    ['payloadTooLarge', 413, 'RESOURCE_EXHAUSTED'],
    ['tooManyRequests', 429, 'RESOURCE_EXHAUSTED'],
    ['unavailable', 503, 'UNAVAILABLE'],
  ] as const)('the error %s is HTTP %d and %s', (kind, http, status) => {
    const error = new A2AError(kind);
    expect(rest.error.encode(error, context()).status).toBe(http);
    expect(grpc.encodeError?.(error).status).toBe(status);
  });
});
