import { readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { isTerminal } from '../../../src/core/model/lifecycle.ts';
import { connect } from '../../../src/index.ts';
import { servePayload } from './client.ts';
import type { StepRecord, Sut } from './steps.ts';
import { collect } from './steps.ts';
import type { Server } from './targets.ts';
import type { EventStream, WireError } from './transports/transport.ts';
import { isMap, type Value, valuesAt } from './values.ts';
import type { Webhook } from './webhooks.ts';

/**
 * The tests that ask more of a runner than their steps say (`runner-special`): by their descriptions, what the runner
 * checks when the steps have passed.
 */

export interface Special {
  readonly sut: Sut;
  readonly server: Server;
  readonly records: readonly StepRecord[];
  readonly webhook: Webhook;
}

/** Throws an Error that says what is wrong. */
type Check = (special: Special) => Promise<void> | void;

/** Tests that can only be run where the server knows its callers. */
export const needsAuthentication: ReadonlySet<string> = new Set([
  'CORE-ERR-009',
  'SEC-EXTCARD-001',
  'SEC-EXTCARD-002',
  'SEC-EXTCARD-004',
]);

const nothing: Check = () => {};

const headerOf = ({ records }: Special, name: string): string | undefined => records.at(-1)?.reply.headers[name];

const cacheHeaders: Check = (special) => {
  if (!headerOf(special, 'cache-control') && !headerOf(special, 'etag'))
    throw new Error('no Cache-Control and no ETag');
};

const contentType =
  (pattern: RegExp): Check =>
  (special) => {
    const type = headerOf(special, 'content-type') ?? '';
    if (special.sut.transport.binding !== 'grpc' && !pattern.test(type)) throw new Error(`Content-Type: ${type}`);
  };

const bundle = JSON.parse(readFileSync(new URL('../../../codegen/schemas/a2a-1.0.json', import.meta.url), 'utf8'));

/** A2A's own JSON Schema of a message, from the bundle of the specification. */
const validates =
  (name: string, path?: string): Check =>
  ({ records }) => {
    const body = records.at(-1)?.reply.body;
    const [value] = path === undefined ? [body] : valuesAt(body, path);
    const ajv = new Ajv2020({ strict: false, validateFormats: false });
    for (const [title, schema] of Object.entries<object>(bundle.definitions)) ajv.addSchema(schema, refOf(title));
    const isValid = ajv.validate({ $ref: refOf(name) }, value);
    if (!isValid) throw new Error(`the schema ${name}: ${ajv.errorsText()}`);
  };

/** Messages refer to one another by their full names in the proto. */
const refOf = (title: string): string => {
  const name = title.replaceAll(' ', '');
  const isGoogles = ['Struct', 'Timestamp', 'Value'].includes(name);
  return `${isGoogles ? 'google.protobuf' : 'lf.a2a.v1'}.${name}.jsonschema.json`;
};

const message = (text: string, more: object = {}): Value => ({
  message: { messageId: crypto.randomUUID(), role: 'ROLE_USER', parts: [{ text }] },
  ...more,
});

/** A task that works for a while, and streams of it that were opened while it does. */
async function streamsOfTask({ sut: { transport } }: Special, count: number): Promise<EventStream[]> {
  const reply = await transport.call(
    'SendMessage',
    message('tck-long-running for streams', { configuration: { returnImmediately: true } }),
  );
  const id = taskIdOf(reply.body);
  return Array.from({ length: count }, () => transport.stream('SubscribeToTask', { id }));
}

const taskIdOf = (body: Value): string => String(valuesAt(body, 'task.id')[0]);

async function read(stream: EventStream): Promise<Value[]> {
  const events: Value[] = [];
  for await (const event of stream.events) events.push(event);
  return events;
}

/** Events as JSON, without the task that the stream opens with. */
const told = (events: readonly Value[]): string[] =>
  events.filter((event) => isMap(event) && event.task === undefined).map((event) => JSON.stringify(event));

const isEnd = (event: Value): boolean => {
  const [state] = [...valuesAt(event, 'statusUpdate.status.state'), ...valuesAt(event, 'task.status.state')];
  return isTerminal(state as never);
};

const sameEvents: Check = async (special) => {
  const [one = [], other = []] = await Promise.all((await streamsOfTask(special, 2)).map(read));
  if (!isEnd(one.at(-1)) || told(one).join() !== told(other).join())
    throw new Error(`two streams differ: ${told(one)} and ${told(other)}`);
};

const closedStream: Check = async (special) => {
  const [left, kept] = (await streamsOfTask(special, 2)) as [EventStream, EventStream];
  const reading = read(kept);
  await firstOf(left);
  left.close();
  const events = await reading;
  if (!isEnd(events.at(-1))) throw new Error(`the other stream did not go on: ${told(events)}`);
};

/** Reads until the first event has come. */
async function firstOf(stream: EventStream): Promise<Value> {
  const { value } = await stream.events[Symbol.asyncIterator]().next();
  return value;
}

const resubscribe: Check = async (special) => {
  const { transport } = special.sut;
  const first = transport.stream('SendStreamingMessage', message('tck-long-running to be left'));
  const event = await firstOf(first);
  const [id] = [...valuesAt(event, 'task.id'), ...valuesAt(event, 'statusUpdate.taskId')];
  first.close();
  const { events, error } = await collect(transport, 'SubscribeToTask', { id });
  if (error || !isEnd(events.at(-1))) throw new Error(`the second stream: ${JSON.stringify(error ?? events)}`);
};

/** The error for a task without its id. */
const withoutId = (error: WireError | undefined, id: Value): string =>
  JSON.stringify({ ...error, data: undefined }).replaceAll(String(id), 'ID');

/** The errors for another user's task and for a missing task differ only in the id. */
const hidesTasks: Check = async ({ sut, records, server }) => {
  const [own, missing] = records.length > 1 ? records : [await otherTask(sut, server), records[0]];
  if (own === undefined || missing === undefined) throw new Error('no records');
  const [known, unknown] = [own, missing].map(({ reply }) => withoutId(reply.error, idIn(reply.error)));
  if (own.reply.error === undefined || known !== unknown) throw new Error(`${known} differs from ${unknown}`);
};

const idIn = (error: WireError | undefined): string => /[\w-]{30,}/.exec(error?.message ?? '')?.[0] ?? '\u0000';

async function otherTask(sut: Sut, server: Server): Promise<StepRecord> {
  const id = await taskOfOther(server);
  return { id: 'other', reply: await sut.transport.call('GetTask', { id }) };
}

/** A task of another user than the runner. */
export async function taskOfOther({ origin, credentialsOf }: Server): Promise<string> {
  const headers = { 'Content-Type': 'application/json', 'A2A-Version': '1.0', ...(await credentialsOf('other')) };
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'SendMessage', params: message('tck-complete-task') });
  const answer = await fetch(`${origin}/`, { method: 'POST', headers, body });
  return taskIdOf(((await answer.json()) as { result: Value }).result);
}

/** A call that must not have been done: whatever the status of HTTP, there is an error and no result. */
const isRejected: Check = ({ records }) => {
  const { status, body } = records.at(-1)?.reply ?? {};
  const hasResult = isMap(body) && body.result !== undefined;
  const isOk = status === 200 && !(isMap(body) && body.error !== undefined);
  if (hasResult || isOk) throw new Error(`not rejected: ${status} ${JSON.stringify(body)}`);
};

const hasBearer: Check = async ({ webhook }) => {
  await webhook.delivery(({ headers }) => headers.authorization === 'Bearer test-token');
};

const isDelivered: Check = async ({ webhook }) => {
  await webhook.delivery(() => true);
};

const payloadIsEvent: Check = async ({ webhook }) => {
  const { body } = await webhook.delivery(() => true);
  const payloads = ['task', 'message', 'statusUpdate', 'artifactUpdate'];
  const names = isMap(body) ? Object.keys(body).filter((name) => payloads.includes(name)) : [];
  if (names.length !== 1) throw new Error(`no StreamResponse: ${JSON.stringify(body)}`);
};

/** The runner is the client: its webhook demands the credentials that it registered, and refuses a forged request. */
const refusesForged: Check = async ({ webhook }) => {
  webhook.authorization = 'Bearer expected-token';
  const forged = await fetch(webhook.url, { method: 'POST', headers: { Authorization: 'Bearer another' }, body: '{}' });
  if (forged.status !== 401) throw new Error(`a forged request was answered with ${forged.status}`);
  await webhook.delivery(({ headers }) => headers.authorization === 'Bearer expected-token');
};

const cardWith = (capabilities: object): Record<string, Value> => ({
  name: 'Gated',
  description: 'Has nothing that is optional',
  version: '1.0.0',
  capabilities,
  skills: [],
  defaultInputModes: ['text/plain'],
  defaultOutputModes: ['text/plain'],
  supportedInterfaces: [{ url: 'https://example.com', protocolBinding: 'JSONRPC', protocolVersion: '1.0' }],
});

/** Optional operations that the card rules out are not sent. */
const checksCard: Check = async () => {
  const { origin, calls, close } = await servePayload(
    'get_agent_card',
    cardWith({ streaming: false, pushNotifications: false }),
  );
  const client = await connect(origin);
  const config = { taskId: 't', id: 'c', url: 'https://example.com/hook', tenant: '', token: '' };
  try {
    const errors = [
      await client.createTaskPushNotificationConfig(config).then(() => undefined, String),
      await read({ events: client.subscribeToTask({ id: 't' }), close() {} }).then(() => undefined, String),
    ];
    const sent = calls.filter((method) => /Subscribe|Push|Stream/.test(method));
    if (sent.length > 0 || errors.includes(undefined)) throw new Error(`called in spite of the card: ${sent}`);
  } finally {
    await client.close();
    await close();
  }
};

/** A stream, which the public card rules out, is sent after the extended card was fetched, which offers it. */
const usesExtendedCard: Check = async ({ records }) => {
  const [publicCard, extendedCard] = records.map(({ reply }) => reply.body as Record<string, Value>);
  const { origin, calls, close } = await servePayload(
    'get_agent_card',
    { ...cardWith({}), ...publicCard },
    extendedCard,
  );
  const client = await connect(origin);
  const streamed = (): Promise<Value> =>
    read({ events: client.sendStream('hello'), close() {} }).then(
      () => undefined,
      () => undefined,
    );
  try {
    await streamed();
    if (calls.includes('SendStreamingMessage')) throw new Error('a stream was sent, which the public card rules out');
    await client.getExtendedAgentCard({});
    await streamed();
    if (!calls.includes('SendStreamingMessage')) throw new Error('the extended card does not count');
  } finally {
    await client.close();
    await close();
  }
};

/** By the ids of the tests. One that is tagged `runner-special` and is not here is an error. */
export const specials: ReadonlyMap<string, Check> = new Map([
  ['CARD-CACHE-001', cacheHeaders],
  ['CARD-SCHEMA-001', validates('Agent Card')],
  ['CLIENT-AUTH-001', usesExtendedCard],
  ['CLIENT-CAP-001', checksCard],
  // Its steps ask for the error already.
  ['CORE-CTX-001', nothing],
  ['CORE-ERR-009', hidesTasks],
  ['DM-SERIAL-002', validates('Send Message Response')],
  ['JSONRPC-CT-001', contentType(/^application\/json\b/)],
  ['PUSH-DELIV-001', hasBearer],
  ['PUSH-DELIV-002', isDelivered],
  ['PUSH-DELIV-003', payloadIsEvent],
  ['REST-CT-001', contentType(/^application\/a2a\+json\b/)],
  ['SEC-AUTH-001', isRejected],
  ['SEC-AUTH-002', isRejected],
  ['SEC-AUTH-003', hidesTasks],
  ['SEC-AUTH-004', isRejected],
  // Its step asks for 401 or 403 already.
  ['SEC-AUTH-006', nothing],
  ['SEC-EXTCARD-001', isRejected],
  ['SEC-EXTCARD-002', isRejected],
  ['SEC-EXTCARD-004', isRejected],
  ['SEC-PUSH-001', hasBearer],
  ['SEC-PUSH-002', refusesForged],
  ['STREAM-MULTI-001', sameEvents],
  ['STREAM-MULTI-002', closedStream],
  ['STREAM-RESUB-001', resubscribe],
]);
