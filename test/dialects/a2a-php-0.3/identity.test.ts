import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { wireCards } from '../../support/a2a-0.3-values.ts';
import { states } from '../../support/a2a-php-0.3-states.ts';
import { type Definitions, valuesOf } from '../../support/arbitrary-schema.ts';
import { isObject, type Json, legacyDialect } from '../../support/legacy-dialect.ts';
import { describeIdentity, type WireFrame } from '../../support/legacy-identity.ts';

/** Messages of the PHP SDK are encoded as they were decoded, up to the spelling that the gateway writes. */

const { dialect } = legacyDialect('a2a-php-0.3');
const { definitions } = JSON.parse(
  readFileSync(new URL('../../../codegen/schemas/a2a-php-0.3.json', import.meta.url), 'utf8'),
) as { definitions: Definitions };

const spellings = Object.keys(states);
const sizeOf = (value: unknown): number => JSON.stringify(value ?? null).length;
const opaque: ReadonlySet<string> = new Set(['data', 'from', 'sessionId', 'pushNotification']);

/** The value with constraints that the schema cannot express: members of a part that belong together, ids, base64. */
function arranged(value: unknown, name = ''): unknown {
  if (name === 'metadata') return Array.isArray(value) ? [] : value;
  if (opaque.has(name)) return value;
  if (name === 'parts' && Array.isArray(value)) return value.map(arrangedPart);
  if (Array.isArray(value)) return value.map((item) => arranged(item));
  if (name === 'state') return spellings[sizeOf(value) % spellings.length];
  if (!isObject(value)) return value;
  const { kind: _, ...others } = value;
  const object = Object.fromEntries(Object.entries(others).map(([key, item]) => [key, arranged(item, key)]));
  // Parts alone have a kind that counts. An id that is left out is made up, and a last event that does not say so is one by its state.
  if ('role' in object) object.messageId = object.messageId || 'm';
  if ('status' in object && 'taskId' in object) object.final = object.final === true;
  return object;
}

/** A part that is one thing, by `kind`, by `type` or by its shape. */
function arrangedPart(value: unknown): unknown {
  const { text, content, file, data, metadata } = value as Json;
  const kept = metadata === undefined ? {} : { metadata: arranged(metadata, 'metadata') };
  const say = (kind: string) => [{ kind }, { type: kind }, {}][sizeOf(value) % 3];
  if (isObject(file) && [file.bytes, file.uri, file.url, file.href].some((part) => typeof part === 'string')) {
    const bytes = typeof file.bytes === 'string' ? { bytes: Buffer.from(file.bytes).toString('base64') } : {};
    return { ...say('file'), file: { ...file, ...bytes }, ...kept };
  }
  if (data) return { ...say('data'), data, ...kept };
  const said = content === undefined ? { text: text ?? '' } : { content: String(content) };
  return { ...say('text'), ...said, ...kept };
}

/** The written form, without nulls and empty values. */
function canonical(value: unknown, name = ''): unknown {
  if (name === 'parts' && Array.isArray(value)) return value.map(canonicalPart);
  if (Array.isArray(value)) return value.map((item) => canonical(item));
  if (name === 'state') return states[String(value)];
  if (!isObject(value)) return value;
  const entries = Object.entries(value)
    .filter(([key, item]) => !(key === 'kind' || (key === 'blocking' && item === true)))
    .filter(([key, item]) => !((key === 'append' || key === 'lastChunk' || key === 'required') && item === false))
    .map(([key, item]) => [key, canonical(item, opaque.has(key) || key === 'metadata' ? '' : key)] as const)
    .filter(([, item]) => item !== null && item !== undefined && item !== '')
    .filter(([, item]) => !(Array.isArray(item) && item.length === 0))
    .filter(([, item]) => !(isObject(item) && Object.keys(item).length === 0));
  return Object.fromEntries(entries);
}

function canonicalPart(value: unknown): unknown {
  const { kind: _, type: __, text, content, file, ...rest } = value as Json;
  if (isObject(file)) {
    const { bytes, uri, url, href, mimeType, name } = file;
    const where = typeof bytes === 'string' ? { bytes } : { uri: uri ?? url ?? href };
    return canonical({ ...rest, file: { ...where, mimeType, name } });
  }
  const said = text ?? content;
  return canonical(said === undefined ? rest : { ...rest, text: String(said) });
}

const values = (name: string): fc.Arbitrary<unknown> => valuesOf(definitions, name).map((value) => arranged(value));
const events = fc.oneof(
  values('Task').map((task) => ({ ...(task as Json), kind: 'task' })),
  values('TaskStatusUpdateEvent').map((update) => ({ ...(update as Json), kind: 'status-update' })),
  values('TaskArtifactUpdateEvent').map((update) => ({ ...(update as Json), kind: 'artifact-update' })),
  values('Message').map((message) => ({ ...(message as Json), kind: 'message' })),
);
const names: Readonly<Record<string, string>> = { 'status-update': 'task-status', message: 'message' };
const frame = (data: Json): WireFrame => ({ event: names[String(data.kind)] ?? 'event', data });
const close: WireFrame = { event: 'close', data: '' };

const streams = fc.oneof(
  // A user's message alone is no answer.
  values('Message')
    .map((message) => message as Json)
    .map(({ role, ...rest }) => [frame({ ...rest, role: role === 'user' ? 'agent' : role, kind: 'message' }), close]),
  fc
    .tuple(values('Task'), fc.array(events, { maxLength: 4 }), values('TaskStatusUpdateEvent'))
    .map(([task, rest, last]) => [
      frame({ ...(task as Json), kind: 'task' }),
      ...rest.map(frame),
      // A stream that ends with a task at rest gets a status.
      frame({ ...(last as Json), kind: 'status-update' }),
      close,
    ]),
);
const replays = values('Task').map((value): WireFrame[] => {
  const task = value as Json;
  const messages = (task.history ?? []) as Json[];
  return [...messages.map((data) => ({ event: 'message', data })), { event: 'task-status', data: task }, close];
});

/** Parameters with ids that a caller may choose, and one name for the task. */
function params(name: string, own: 'id' | 'taskId' | undefined): fc.Arbitrary<unknown> {
  return values(name).map((value) => {
    const { id, taskId, message, configuration, historyLength, ...rest } = value as Json;
    const alias = own && sizeOf(value) % 2 === 0 ? 'taskId' : own;
    const length = historyLength === undefined || name === 'TaskSendParams' ? {} : { historyLength: sizeOf(rest) % 3 };
    return {
      ...rest,
      ...length,
      ...(own && { [name === 'TaskSendParams' ? 'id' : (alias as string)]: `t-${sizeOf(id ?? taskId)}` }),
      ...(isObject(message) && {
        message: {
          ...message,
          taskId: message.taskId ? 't-1' : null,
          parts: [{ text: 'x' }, ...((message.parts ?? []) as unknown[])],
        },
      }),
      ...(configuration !== undefined && { configuration: isObject(configuration) ? { blocking: false } : [] }),
    };
  });
}

/** Both names of the task are one, and the message of tasks/send need not repeat it. */
function canonicalParams(value: unknown): unknown {
  const plain = canonical(value);
  if (!isObject(plain)) return plain;
  const { id, taskId, ...rest } = plain;
  const named = id ?? taskId;
  // Agents are not sent it: the SDK's server answers with the whole history.
  if (rest.historyLength === 0) delete rest.historyLength;
  if (id !== undefined && isObject(rest.message)) delete rest.message.taskId;
  return named === undefined ? rest : { ...rest, id: named };
}

const oneScheme = (value: unknown): unknown => {
  const config = value as { taskId: string; pushNotificationConfig: Json | null };
  const { authentication, id, ...unnamed } = config.pushNotificationConfig ?? { url: 'https://example.com' };
  // A label that repeats the task's id says nothing.
  const rest = id === undefined || id === config.taskId ? unnamed : { ...unnamed, id };
  const schemes = authentication ? { authentication: { ...(authentication as Json), schemes: ['Bearer'] } } : {};
  return { ...config, pushNotificationConfig: { ...rest, ...schemes } };
};
const configs = values('TaskPushNotificationConfig').map(oneScheme);

describeIdentity(dialect, {
  types: {
    message: values('Message'),
    task: values('Task'),
    event: events,
    card: wireCards('a2a-0.3').map((card) => ({ ...(card as Json), signatures: null })),
  },
  params: {
    'message/send': params('MessageSendParams', undefined),
    'message/stream': params('MessageSendParams', undefined),
    'tasks/send': params('TaskSendParams', 'id'),
    'tasks/get': params('TaskQueryParams', 'id'),
    'tasks/cancel': params('TaskIdParams', 'id'),
    'tasks/resubscribe': params('TaskIdParams', 'id'),
    'tasks/pushNotificationConfig/set': params('SetPushNotificationConfigParams', 'id'),
  },
  results: {
    'message/send': events.filter((event) => 'role' in (event as Json) || 'id' in (event as Json)),
    'tasks/send': values('Task'),
    'tasks/get': values('Task'),
    'tasks/cancel': values('Task'),
    'tasks/pushNotificationConfig/set': configs,
    'tasks/pushNotificationConfig/get': configs,
    'tasks/pushNotificationConfig/list': fc.array(configs, { maxLength: 3 }),
  },
  streams: { 'message/stream': streams, 'tasks/resubscribe': replays },
  canonical: (wire) => (Array.isArray(wire) ? canonical(wire) : canonicalParams(wire)),
  numRuns: 40,
});
