import { describe, expect, it } from 'vitest';
import type { SseEvent } from '../../../src/wire/sse.ts';
import { startGateway } from '../../support/gateway.ts';
import { decodeSse } from '../../support/sse.ts';

/**
 * The streams of older versions of A2A for the commands of the reference agent, event by event as they are on the wire:
 * the order, which event is final, and whose task and whose request it is. AgentVault's are in `agentvault.test.ts`.
 */

const gateway = await startGateway();

// biome-ignore lint/suspicious/noExplicitAny: what comes over the wire is looked into as it is.
type Json = any;

let taskCount = 0;
const user = (part: object, more: object = {}) => ({ message: { role: 'user', parts: [part], ...more } });
const kind = (text: string) => user({ kind: 'text', text }, { kind: 'message', messageId: 'm' });

const post = (path: string, body: object): Promise<Response> =>
  fetch(gateway.origin + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });

async function eventsOf(answer: Response): Promise<SseEvent[]> {
  expect(answer.headers.get('content-type')).toBe('text/event-stream');
  const events: SseEvent[] = [];
  for await (const event of decodeSse(answer.body as unknown as AsyncIterable<Uint8Array>)) events.push(event);
  return events;
}

const requestId = 'r-1';
const rpc = (name: string, method: string, params: object): Promise<Response> =>
  post(`/as/${name}`, { jsonrpc: '2.0', id: requestId, method, params });

/** A JSON-RPC answer's result, of this request. */
function resultOf({ data }: SseEvent): Json {
  const { jsonrpc, id, result } = JSON.parse(data);
  expect([jsonrpc, id]).toEqual(['2.0', requestId]);
  return result;
}

const stateName = (state: string): string => state.replace('TASK_STATE_', '').replace('_', '-').toLowerCase();
const textOf = ({ parts, content }: Json): string => (parts ?? content)[0].text;

/** One event in short: a state (with `!` where it is said to be the last), a text of an artifact, or a message. */
function ofStatus(status: Json, last?: boolean): string {
  const said = status.message ? `: ${textOf(status.message)}` : '';
  return `${stateName(status.state)}${said}${last ? '!' : ''}`;
}
const ofArtifact = ({ parts }: Json, append?: boolean): string => {
  const [part] = parts;
  const content = part.text ?? (part.file ? 'a file' : JSON.stringify(part.data.data ?? part.data));
  return `${append ? '+' : '='}${content}`;
};

/** An event of A2A 0.2 and 0.3 over JSON-RPC, and of their kin. */
function inShort(event: Json): string {
  if (event.kind === 'task') return ofStatus(event.status);
  if (event.kind === 'message') return `message: ${textOf(event)}`;
  if (event.kind === 'artifact-update') return ofArtifact(event.artifact, event.append);
  expect(event.final).toEqual(expect.any(Boolean));
  return ofStatus(event.status, event.final);
}

type Tell = (command: string) => Promise<string[]>;

async function php(command: string): Promise<string[]> {
  const events = await eventsOf(await rpc('a2a-php-0.3', 'message/stream', kind(command)));
  expect(events.pop()).toMatchObject({ event: 'close', data: '' });
  const names = { task: 'event', 'artifact-update': 'event', 'status-update': 'task-status', message: 'message' };
  return events.map((event) => {
    const result = resultOf(event);
    expect(event.event).toBe(names[result.kind as keyof typeof names]);
    return inShort(result);
  });
}

async function google(command: string): Promise<string[]> {
  const id = `stream-${taskCount++}`;
  const events = await eventsOf(
    await rpc('a2a-0.1', 'tasks/sendSubscribe', { id, ...user({ type: 'text', text: command }) }),
  );
  return events.map((event) => {
    expect([event.event, event.id ?? '']).toEqual(['', '']);
    const result = resultOf(event);
    expect(result.id).toBe(id);
    if (result.artifact) return ofArtifact(result.artifact, result.artifact.append);
    return ofStatus(result.status, result.final);
  });
}

async function rest(command: string): Promise<string[]> {
  const message = { messageId: 'm', role: 'ROLE_USER', content: [{ text: command }] };
  const events = await eventsOf(await post('/v1/message:stream', { message }));
  return events.map(({ event, data }) => {
    expect(event).toBe('');
    const { task, message: said, statusUpdate, artifactUpdate } = JSON.parse(data);
    if (task) return ofStatus(task.status);
    if (said) return `message: ${textOf(said)}`;
    if (artifactUpdate) return ofArtifact(artifactUpdate.artifact, artifactUpdate.append);
    return ofStatus(statusUpdate.status, statusUpdate.final);
  });
}

const jsonRpc =
  (name: string): Tell =>
  async (command) => {
    const events = await eventsOf(await rpc(name, 'message/stream', kind(command)));
    // Every event can be resumed after.
    const ids = events.map(({ id }) => Number(id));
    expect(ids).toEqual(ids.map((_, i) => i + 1));
    return events.map((event) => inShort(resultOf(event)));
  };

/** The events of tasks, which are the same for all that know artifacts in chunks. */
const taskEvents: Readonly<Record<string, readonly string[]>> = {
  hello: ['submitted', 'working', '=hello', 'completed!'],
  'stream 3 0': ['submitted', 'working', '=chunk 1', '+chunk 2', '+chunk 3', 'completed!'],
  'slow 1': ['submitted', 'working', '=Done after 1 ms.', 'completed!'],
  data: ['submitted', 'working', '={"answer":42}', 'completed!'],
  file: ['submitted', 'working', '=a file', 'completed!'],
  fail: ['submitted', 'failed: Failed, as asked.!'],
  reject: ['submitted', 'rejected: Rejected, as asked.!'],
  ask: ['submitted', 'input-required: What is your name?!'],
  auth: ['submitted', 'auth-required: Please authorize.!'],
};

/** What a dialect has fewer words for, and what it tells instead of a direct message. */
const google01 = {
  ...taskEvents,
  reject: ['submitted', 'failed: Rejected, as asked.!'],
  auth: ['submitted', 'input-required: Please authorize.!'],
  'say hi': ['submitted', 'completed: hi!'],
};
const direct = { ...taskEvents, 'say hi': ['message: hi'] };

const bindings: readonly (readonly [string, Tell, Readonly<Record<string, readonly string[]>>])[] = [
  ['a2a-0.3', jsonRpc('a2a-0.3'), direct],
  ['a2a-0.2', jsonRpc('a2a-0.2'), direct],
  ['a2a-0.3 over HTTP+JSON', rest, direct],
  ['a2a-php-0.3', php, direct],
  ['a2a-0.1', google, google01],
];

describe.each(bindings)('a stream of %s', (_name, tell, expected) => {
  it.each(Object.entries(expected))('has the expected events for the command `%s`', async (command, events) => {
    expect(await tell(command)).toEqual(events);
  });
});
