import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Message } from '../../src/core/model/a2a.ts';
import { A2AError, type ErrorKind, errorTable, type RuledField, ruledFields } from '../../src/core/model/errors.ts';
import type { CodecContext } from '../../src/dialects/kernel/codec.ts';
import type { Dialect } from '../../src/dialects/kernel/dialect.ts';
import { inWireNames } from '../../src/dialects/kernel/errors.ts';
import type { Method } from '../../src/dialects/kernel/wire.ts';
import type { Api } from '../../src/gen/api.ts';
import type { OperationName } from '../../src/gen/services.ts';
import { violationsOf } from '../../src/wire/validate.ts';
import { canonicalJson } from '../support/arbitrary-json.ts';
import { without, withoutEmpty } from '../support/same.ts';

const throughText = (value: unknown): unknown => JSON.parse(JSON.stringify(value)) as unknown;
/** Returns a context that notes all losses: every one is compared with the list, whether callers receive it or not. */
function context(): CodecContext {
  const losses = new Set<string>();
  return { losses, unreported: losses };
}

/** Values of v1 as they are on the wire: web URLs among the rest, times where a dialect would have to make them up. */
function realistic(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(realistic);
  if (typeof value !== 'object' || value === null) return value;
  const object = Object.fromEntries(Object.entries(value).map(([key, item]) => [key, realistic(item)]));
  for (const key of ['url', 'iconUrl', 'tokenUrl']) {
    const url = object[key];
    if (typeof url === 'string' && url.length % 2 === 1) object[key] = `https://example.com/${url.length}`;
  }
  if (Array.isArray(object.supportedInterfaces)) {
    const [first] = object.supportedInterfaces as object[];
    const served = { ...first, url: 'https://example.com/agent', protocolBinding: 'JSONRPC', protocolVersion: '1.0' };
    object.supportedInterfaces = [served, ...object.supportedInterfaces.slice(1)];
  }
  // Callers of some dialects choose the ids of their tasks, and may not choose any.
  if (typeof object.messageId === 'string' && object.taskId) object.taskId = `task-${String(object.taskId).length}`;
  if (typeof object.state === 'string') object.timestamp ??= '2026-01-02T03:04:05.678Z';
  // Legal for the validator, and yet the specification wants at least one.
  if (Array.isArray(object.parts) && object.parts.length === 0) object.parts = [{ text: 'a part' }];
  return object;
}

const v1Types = { message: 'Message', task: 'Task', event: 'StreamResponse', card: 'AgentCard' } as const;

/**
 * Contract of every dialect. A dialect joins by being in the registry.
 *
 * @param api the generated A2A 1.0
 */
export function describeDialect(dialect: Dialect, api: Api): void {
  const { jsonrpc } = dialect;

  test.each(Object.entries(v1Types))(
    `${dialect.name}: a %s of v1 loses what the list says and nothing else`,
    (name, type) => {
      const codec = dialect.types[name];
      if (!codec) throw new Error(`no type ${name}`);
      const typeName = `${api.package}.${type}`;
      const listed = dialect.losses[name] ?? [];
      const property = fc.property(canonicalJson(api, typeName).map(realistic), (v1) => {
        const cx = context();
        const before = structuredClone(v1);
        const wire = throughText(codec.encode(v1, cx));
        expect(v1).toEqual(before);
        // A direct Message is no event of a dialect that knows only tasks.
        if (name === 'event' && cx.losses.has('message')) return;
        const back = codec.decode(wire, context());
        expect(violationsOf(api, typeName, back)).toEqual([]);
        const losses = [...cx.losses];
        expect(listed).toEqual(expect.arrayContaining(losses));
        // Paths are removed before and after `normal`, which may move the value that a path names.
        const kept = (value: unknown) =>
          withoutEmpty(losses.reduce(without, normal(losses.reduce(without, withoutRepeated(value)))));
        // An event that becomes several is compared where streams are.
        if (name === 'event' && cx.losses.has('task')) return;
        expect(kept(back)).toEqual(kept(v1));
      });
      fc.assert(property, { numRuns: 40 });
    },
  );

  describe(`${dialect.name}: fields that the core finds faulty go by the names of the wire`, () => {
    const methods = methodsOf(dialect).flatMap((method) => {
      const typeName = api.operations.find(({ name }) => name === method.operation)?.request as string;
      const fields = ruledFields.filter((field) => hasField(api, typeName, field.split('.')));
      return fields.map((field) => [method.name, field, method] as const);
    });
    test.each(methods)(`${dialect.name}: %s names a faulty field by the names of the wire: %s`, (_, field, method) => {
      const cx = context();
      const wire = throughText(method.request.encode({ request: faulty(method.operation, field) as never }, cx));
      const places = placesOf(wire, '').map((place) => (field === 'message.parts' ? place.replace(/\[.*/, '') : place));
      // A field that the wire lacks cannot be invalid there.
      if (places.length === 0) return;
      const found = A2AError.invalidParams(undefined, [{ field, description: 'is bad' }]);
      const { message, violations } = inWireNames(found, method);
      const told = violations[0]?.field;
      expect(places).toContain(told);
      expect(message).toBe(`Invalid parameters: ${told}: is bad`);
    });
  });

  if (!jsonrpc) return;

  describe(`${dialect.name}: requests`, () => {
    const operations = api.operations.filter(({ name }) => jsonrpc.calls.has(name as OperationName));
    test.each(operations.map((operation) => [operation.name, operation] as const))(
      `${dialect.name}: a request for %s comes back`,
      (name, operation) => {
        const plan = jsonrpc.calls.get(name as OperationName);
        if (!plan) throw new Error('no plan');
        // The first of two calls belongs to another operation; its request is the same.
        const { method } = plan;
        const listed = dialect.losses.request ?? [];
        const property = fc.property(canonicalJson(api, operation.request).map(realistic), (request) => {
          const cx = context();
          const wire = throughText(method.request.encode({ request: request as never }, cx) ?? null);
          const back = method.request.decode(wire, context()).request;
          const losses = [...cx.losses];
          expect(listed).toEqual(expect.arrayContaining(losses));
          const kept = (value: unknown) => withoutEmpty(losses.reduce(without, normal(value)));
          expect(kept(back)).toEqual(kept(request));
        });
        fc.assert(property, { numRuns: 25 });
      },
    );

    test(`${dialect.name}: whole requests keep their id in its JSON type`, () => {
      const codec = dialect.types.request;
      for (const id of [1, 'one', null]) {
        const v1 = { operation: 'GetTask', request: { id: 't' }, id };
        const wire = throughText(codec?.encode(v1, context()));
        expect(wire).toMatchObject({ jsonrpc: '2.0', id });
        expect(codec?.decode(wire, context())).toMatchObject(v1);
      }
    });

    test.each(api.operations.map(({ name }) => name as OperationName))(
      `${dialect.name}: a whole %s stays one, or says so`,
      (operation) => {
        const codec = dialect.types.request;
        const cx = context();
        const push = { id: 'p', taskId: 't', url: 'https://example.com/hook' };
        const message = { messageId: 'm', role: 'ROLE_USER', parts: [{ text: 'hi' }] };
        const v1 = { operation, request: { ...push, message }, id: 1 };
        let wire: unknown;
        try {
          wire = throughText(codec?.encode(v1, cx));
        } catch (thrown) {
          expect(thrown).toMatchObject({ kind: 'unsupportedOperation' });
          return;
        }
        const [{ operation: back }, told] = [
          jsonrpc.methods.get((wire as { method: string }).method) as Method,
          cx.losses,
        ];
        if (back !== operation) expect([...told]).toContain('method');
      },
    );

    test(`${dialect.name}: parameters that do not fit are named`, () => {
      const method = jsonrpc.calls.get('SendMessage')?.method;
      for (const params of [undefined, null, 7, [], {}, { message: { parts: 7 } }]) {
        const decode = () => method?.request.decode(params, context());
        expect(decode).toThrow(expect.objectContaining({ kind: 'invalidParams' }));
      }
    });
  });

  test.each(Object.keys(errorTable) as ErrorKind[])(`${dialect.name}: the error %s keeps its meaning`, (kind) => {
    const violations = kind === 'invalidParams' ? [{ field: 'a.b', description: 'is bad' }] : [];
    const error = new A2AError(kind, 'Said so', { violations, metadata: { taskId: 't' } });
    const back = jsonrpc.error.decode(throughText(jsonrpc.error.encode(error, context())), context());
    expect(back).toMatchObject({ kind, message: 'Said so', violations, metadata: { taskId: 't' } });
  });

  test(`${dialect.name}: an error without a code keeps its text, and anything else is quoted`, () => {
    const read = (wire: unknown) => jsonrpc.error.decode(wire, context());
    expect(read('out of memory')).toMatchObject({ kind: 'agentError', message: 'out of memory' });
    expect(read({ message: 'out of memory' })).toMatchObject({ kind: 'agentError', message: 'out of memory' });
    for (const wire of [null, {}, { code: 'x' }]) {
      const { kind, message } = read(wire);
      expect(kind).toBe('invalidAgentResponse');
      expect(message).toContain(JSON.stringify(wire));
    }
  });
}

/** Every method of every face. */
const methodsOf = ({ jsonrpc, rest, grpc }: Dialect): readonly Method[] => [
  ...(jsonrpc?.methods.values() ?? []),
  ...(rest?.routes.map(({ method }) => method) ?? []),
  ...(grpc?.methods.values() ?? []),
];

function hasField(api: Api, typeName: string, [name, ...below]: readonly string[]): boolean {
  const field = api.fields.messages[typeName]?.fields.find(({ jsonName }) => jsonName === name);
  return field !== undefined && (below.length === 0 || hasField(api, field.type, below));
}

const sign = 'https://example.com/sign';
const numericSign = 77;

/** A request in which one field bears the sign, and nothing else does. */
function faulty(operation: OperationName, field: RuledField): object {
  const sends = operation === 'SendMessage' || operation === 'SendStreamingMessage';
  const request = sends
    ? { message: { messageId: 'm', role: 'ROLE_USER', parts: [{ text: 'a part' }] } }
    : { taskId: 't', id: 'c', ...(operation.startsWith('Create') && { url: 'https://example.com' }) };
  const path = field.split('.');
  const name = path.pop() as string;
  let object: Record<string, unknown> = request;
  for (const step of path) {
    object[step] ??= {};
    object = object[step] as Record<string, unknown>;
  }
  const signs: Record<string, unknown> = { parts: [{ text: sign }], historyLength: numericSign, pageSize: numericSign };
  object[name] = signs[name] ?? sign;
  return request;
}

/** Returns the places of the sign on the wire, also as a part of a name. */
function placesOf(wire: unknown, at: string): string[] {
  if (Array.isArray(wire)) return wire.flatMap((item, i) => placesOf(item, `${at}[${i}]`));
  if (typeof wire === 'object' && wire !== null) {
    return Object.entries(wire).flatMap(([name, item]) => placesOf(item, at === '' ? name : `${at}.${name}`));
  }
  return wire === numericSign || (typeof wire === 'string' && wire.includes(sign)) ? [at] : [];
}

/** A task without its current message where the history has that too. Losses may remove the ids that show it. */
function withoutRepeated(value: unknown): unknown {
  const { history = [], status } = value as { history?: Message[]; status?: { message?: Message } };
  const { message, ...rest } = status ?? {};
  const isRepeated = message && history.some(({ messageId }) => messageId === message.messageId);
  return isRepeated ? { ...(value as object), status: rest } : value;
}

/** A value without forms that v1 and a dialect may write differently and that mean the same. */
function normal(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(normal);
  if (typeof value !== 'object' || value === null) return value;
  const object = Object.fromEntries(Object.entries(value).map(([key, item]) => [key, normal(item)]));
  const status = object.status as { message?: { messageId: string } } | undefined;
  if (status?.message && typeof object.id === 'string') {
    // The current message of a task may also be the last one of its history.
    const { message, ...rest } = status;
    const history = (object.history ?? []) as { messageId: string }[];
    const known = history.some(({ messageId }) => messageId === message.messageId);
    return { ...object, status: rest, history: known ? history : [...history, message] };
  }
  // Nothing is required, whether no requirement or an empty one says so.
  const requirements = object.securityRequirements as { schemes?: object }[] | undefined;
  if (requirements?.every(({ schemes = {} }) => Object.keys(schemes).length === 0)) delete object.securityRequirements;
  if ('data' in object && object.mediaType === 'application/json') delete object.mediaType;
  return object;
}
