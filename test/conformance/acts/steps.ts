import { setTimeout as delay } from 'node:timers/promises';
import { type Mismatch, mismatches, namedMismatches } from './assertions.ts';
import { errorForm } from './errors.ts';
import { operationOf, publicCard } from './operations.ts';
import type { Test } from './read.ts';
import { streamMismatches } from './stream.ts';
import { answerOf, eventsOf } from './transports/http.ts';
import { isOfKind, Refused, type Reply, type Transport, type WireError } from './transports/transport.ts';
import { isMap, meets, membersOf, NotUnderstood, resolved, type Value, type Variables, valuesAt } from './values.ts';

/** The server under test, as a test sees it. */
export interface Sut {
  readonly origin: string;
  /** Headers with the runner's credentials, which steps of raw requests get as well, but for tests of authentication. */
  readonly credentials: Readonly<Record<string, string>>;
  readonly transport: Transport;
  /** Gives a payload to a client, and returns what it reads. */
  parse(operation: Value, payload: Value): Promise<Value>;
}

/** The result of a step. */
export interface StepRecord {
  readonly id: string;
  readonly reply: Reply;
  /** The events, where the step opens a stream. */
  readonly events?: readonly Value[];
}

/** A step whose answer is not as expected. */
export class StepFailed extends Error {
  readonly step: string;

  constructor(step: string, message: string) {
    super(message);
    this.step = step;
  }
}

const common = ['id', 'description', 'expect', 'expect_error', 'capture', 'assertions'];
const serverKeys = [...common, 'operation', 'params', 'expect_stream', 'repeat', 'delay_ms'];
const rawKeys = [...common, 'raw', 'expect_stream', 'delay_ms'];
const clientKeys = ['id', 'description', 'client_response', 'expect_parsed', 'assertions'];
const assertionKeys = ['id', 'description', 'assertion'];

/**
 * Runs the steps of a test in order, and what is asserted after them.
 *
 * @throws StepFailed where an answer is not as expected; NotUnderstood where the runner does not know what is meant
 */
export async function runSteps(test: Test, sut: Sut, variables: Variables): Promise<readonly StepRecord[]> {
  const records: StepRecord[] = [];
  for (const step of test.steps) {
    const id = String(step.id);
    const record = await runStep(test, step, sut, variables);
    if (record === undefined) continue;
    records.push({ ...record, id });
    variables.set(`${id}.response`, record.events ?? record.reply.body);
    for (const [name, path] of Object.entries(isMap(step.capture) ? step.capture : {})) {
      const [value] = valuesAt(record.reply.body, String(path));
      if (value === undefined) throw new StepFailed(id, `there is nothing to capture at ${path}`);
      variables.set(`${id}.${name}`, value);
    }
    assertNamed(id, step.assertions, variables);
  }
  assertNamed('the test', test.assertions, variables);
  return records;
}

type Outcome = Omit<StepRecord, 'id'>;

async function runStep(
  test: Test,
  step: Record<string, Value>,
  sut: Sut,
  variables: Variables,
): Promise<Outcome | undefined> {
  const id = String(step.id);
  if (typeof step.delay_ms === 'number') await delay(step.delay_ms);
  if ('raw' in step) {
    membersOf(step, rawKeys, 'a raw step');
    const { reply, events } = await sendRaw(test, resolved(step.raw, variables), sut);
    expectReply(id, reply, step, sut.transport, variables);
    if (step.expect_stream !== undefined)
      require(id, streamMismatches(events, resolved(step.expect_stream, variables)));
    return { reply };
  }
  if ('client_response' in step) {
    const { client_response, expect_parsed } = membersOf(step, clientKeys, 'a step of a client');
    const { operation, wire_payload } = membersOf(client_response, ['operation', 'wire_payload'], 'client_response');
    const body = await sut.parse(operation, wire_payload);
    require(id, mismatches(body, resolved(expect_parsed, variables)));
    return { reply: { status: 200, headers: {}, body } };
  }
  if ('assertion' in step) {
    membersOf(step, assertionKeys, 'a step of assertions');
    assertNamed(id, [step.assertion], variables);
    return undefined;
  }
  membersOf(step, serverKeys, 'a step');
  return repeated(id, step, sut, variables);
}

/** Calls the operation of a step, and again while `repeat` says so. */
async function repeated(id: string, step: Record<string, Value>, sut: Sut, variables: Variables): Promise<Outcome> {
  if (step.repeat === undefined) return callOperation(id, step, sut, variables);
  const keys = ['until', 'max_attempts', 'delay_ms', 'backoff'];
  const { until, max_attempts = 10, delay_ms = 1000, backoff = 'none' } = membersOf(step.repeat, keys, 'repeat');
  const factor = { none: () => 1, linear: (n: number) => n, exponential: (n: number) => 2 ** (n - 1) }[String(backoff)];
  if (factor === undefined || typeof until !== 'string') throw new NotUnderstood(`repeat of ${id}`);
  for (let attempt = 1; attempt <= Number(max_attempts); attempt += 1) {
    const outcome = await callOperation(id, step, sut, variables);
    if (meets(until, outcome.reply.body)) return outcome;
    await delay(Number(delay_ms) * factor(attempt));
  }
  throw new StepFailed(id, `after ${max_attempts} attempts not: ${until}`);
}

async function callOperation(
  id: string,
  step: Record<string, Value>,
  sut: Sut,
  variables: Variables,
): Promise<Outcome> {
  const { rpc, params, isStream } = operationOf(step.operation, resolved(step.params ?? {}, variables));
  if (!isStream) {
    const reply = rpc === publicCard ? await fetchCard(sut) : await sut.transport.call(rpc, params);
    expectReply(id, reply, step, sut.transport, variables);
    return { reply };
  }
  const late = isMap(step.expect_stream) ? step.expect_stream.timeout_ms : undefined;
  const { events, error } = await collect(sut.transport, rpc, params, Number(late ?? streamTimeout));
  const reply: Reply = { status: 200, headers: {}, body: error ? { error } : {}, ...(error && { error }) };
  if (step.expect_stream === undefined) expectReply(id, reply, step, sut.transport, variables);
  else {
    if (error) throw new StepFailed(id, `the stream ended with an error: ${show(error)}`);
    require(id, streamMismatches(events, resolved(step.expect_stream, variables)));
  }
  return { reply, events };
}

/** Milliseconds for a stream that names no time. */
const streamTimeout = 30_000;

/** The events of a stream until it ends. One that does not end in time fails. */
export async function collect(transport: Transport, rpc: string, params: Value, late = streamTimeout) {
  const stream = transport.stream(rpc, params);
  const events: Value[] = [];
  let isLate = false;
  const timer = setTimeout(() => {
    isLate = true;
    stream.close();
  }, late);
  try {
    for await (const event of stream.events) events.push(event);
    return { events, error: undefined };
  } catch (thrown) {
    if (isLate) throw new Error(`the stream has not ended after ${late} ms: ${show(events)}`);
    if (thrown instanceof Refused) return { events, error: thrown.error };
    throw thrown;
  } finally {
    clearTimeout(timer);
  }
}

/** Section 12.4: all requests have it, but for those that steps write themselves. */
const version = { 'A2A-Version': '1.0' };

async function fetchCard({ origin, credentials }: Sut): Promise<Reply> {
  const response = await answerOf(`${origin}/.well-known/agent-card.json`, {
    method: 'GET',
    headers: { ...credentials, ...version },
  });
  return (await rawAnswer(response)).reply;
}

async function sendRaw({ tags }: Test, raw: Value, { origin, credentials }: Sut): Promise<RawAnswer> {
  const keys = ['method', 'path', 'headers', 'body', 'body_raw'];
  const { method, path, headers = {}, body, body_raw } = membersOf(raw, keys, 'a raw request');
  const text = typeof body_raw === 'string' ? body_raw : body === undefined ? undefined : JSON.stringify(withId(body));
  const response = await answerOf(`${origin}${path}`, {
    method: String(method),
    headers: { ...(!tags.includes('auth') && credentials), ...(headers as Record<string, string>) },
    ...(text !== undefined && { body: text }),
  });
  return rawAnswer(response);
}

/** Sections 4.3 and 12.4: the runner makes the id of a message that has none, without which A2A has servers refuse it. */
function withId(body: Value): Value {
  if (!isMap(body) || !isMap(body.params) || !isMap(body.params.message)) return body;
  const message = { messageId: crypto.randomUUID(), ...body.params.message };
  return { ...body, params: { ...body.params, message } };
}

/** An answer as it was on the wire. The events of a stream are whole, with what the binding puts around them. */
interface RawAnswer {
  readonly reply: Reply;
  readonly events: readonly Value[];
}

async function rawAnswer(response: Response): Promise<RawAnswer> {
  const events: Value[] = [];
  for await (const event of eventsOf(response)) events.push(event);
  const reply = { status: response.status, headers: Object.fromEntries(response.headers), body: events[0] };
  return { reply, events };
}

/**
 * Compares an answer with `expect` or `expect_error` of its step. Files also write members of the body directly in `expect`,
 * and `error` for the status of any refusal.
 */
function expectReply(
  id: string,
  reply: Reply,
  { expect, expect_error }: Record<string, Value>,
  transport: Transport,
  variables: Variables,
): void {
  if (expect_error !== undefined) {
    expectError(id, reply.error, resolved(expect_error, variables), transport);
    return;
  }
  if (expect === undefined) {
    if (reply.error) throw new StepFailed(id, `refused: ${show(reply.error)}`);
    return;
  }
  if (!isMap(expect)) throw new NotUnderstood('expect is no map');
  const { status, body = {}, ...members } = resolved(expect, variables) as Record<string, Value>;
  if (status === 'error') {
    if (reply.error === undefined) throw new StepFailed(id, 'no error');
    require(id, mismatches(reply.body, members));
    return;
  }
  const isRefused = reply.error !== undefined && !('error' in members);
  if (isRefused && status !== undefined) throw new StepFailed(id, `refused: ${show(reply.error)}`);
  if (status !== undefined) require(id, mismatches(reply.status, status, 'status'));
  require(id, [...mismatches(reply.body, body), ...mismatches(reply.body, members)]);
}

function expectError(id: string, error: WireError | undefined, expected: Value, { binding }: Transport): void {
  const keys = ['error_type', 'code', 'message', 'details', 'data'];
  const { error_type, code = error_type, message, details, data = details } = membersOf(expected, keys, 'expect_error');
  if (error === undefined) throw new StepFailed(id, 'no error');
  if (code !== undefined) {
    const names = isMap(code) ? (membersOf(code, ['one_of'], 'code').one_of as Value[]) : [code];
    const isOne = names.map((name) => isOfKind(error, errorForm(String(name)), binding)).includes(true);
    if (!isOne) throw new StepFailed(id, `expected ${names.join(' or ')}, and got ${show(error)}`);
  }
  if (message !== undefined) require(id, mismatches(error.message, message, 'message'));
  if (data !== undefined) require(id, mismatches(error.data, data, 'data'));
}

function assertNamed(id: string, assertions: Value, variables: Variables): void {
  for (const each of (assertions as Value[] | undefined) ?? []) require(id, namedMismatches(resolved(each, variables)));
}

function require(step: string, [first]: readonly Mismatch[]): void {
  if (first === undefined) return;
  const { path, expected, actual } = first;
  throw new StepFailed(step, `${path || 'the answer'}: expected ${show(expected)}, and got ${show(actual)}`);
}

const show = (value: Value): string => {
  const text = JSON.stringify(value) ?? 'nothing';
  return text.length > 600 ? `${text.slice(0, 600)}…` : text;
};
