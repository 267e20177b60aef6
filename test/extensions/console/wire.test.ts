import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { StreamResponse } from '../../../src/core/model/a2a.ts';
import { newId } from '../../../src/core/model/ids.ts';
import { createDialects } from '../../../src/dialects/registry.ts';
import {
  bindingsOf,
  type Callable,
  callablesOf,
  servedProtocols,
} from '../../../src/extensions/console/wire/callables.ts';
import {
  after,
  type Conversation,
  newRequest,
  nextIds,
  withIds,
} from '../../../src/extensions/console/wire/conversation.ts';
import { type Answer, exchange } from '../../../src/extensions/console/wire/exchange.ts';
import { contextOf, formatHttp, parseHttp, writeRequest } from '../../../src/extensions/console/wire/request.ts';
import { adminHeaders, type Opened, openGateway } from '../../support/gateway.ts';
import { paced } from '../../support/pace.ts';

const dialects = createDialects();
const protocols = servedProtocols(dialects);

let gateway: Opened;
beforeAll(async () => {
  gateway = await openGateway('agents: { demo: { kind: reference, knowledge: true } }');
});
afterAll(() => gateway.close());

/** Calls a method as the page does: what is sent is the text that the user would see. */
async function call(
  callable: Callable,
  request: Record<string, unknown>,
  options: { after?: string; stopping?: AbortController } = {},
): Promise<{ answer: Answer; events: StreamResponse[] }> {
  const written = writeRequest(callable, request, 'demo');
  const after = options.after === undefined ? [] : [['Last-Event-ID', options.after] as const];
  const text = formatHttp({ ...written, headers: [...written.headers, ...after] });
  const events: StreamResponse[] = [];
  const answer = await exchange({
    request: parseHttp(text),
    callable,
    cx: contextOf(request),
    url: (path) => gateway.url + path,
    headers: callable.method.operation === 'ListAgents' ? adminHeaders(gateway.url) : {},
    signal: options.stopping?.signal ?? AbortSignal.timeout(paced(10_000)),
    onChange: () => undefined,
    onValue: (value) => {
      if (events.push(value as StreamResponse) === 5) options.stopping?.abort();
    },
  });
  return { answer, events };
}

const combinations = protocols.flatMap((protocol) =>
  bindingsOf(protocol).map((binding) => ({ name: `${protocol.name} over ${binding.title}`, protocol, binding })),
);

describe('a conversation', () => {
  // A2A 0.2 has its extended card alone over HTTP+JSON.
  const ofDialects = combinations.filter(({ protocol, binding }) =>
    callablesOf(protocol, binding.id).some((one) => 'card' in protocol && one.method.operation === 'SendMessage'),
  );

  test.each(ofDialects)('a whole conversation is held over $name', async ({ protocol, binding }) => {
    const all = callablesOf(protocol, binding.id);
    const of = (operation: string): Callable | undefined => all.find((one) => one.method.operation === operation);
    const chosen = (protocol as { callersName?: true }).callersName === true;
    let conversation: Conversation = {};
    const run = async (operation: string, more: Record<string, unknown> = {}): Promise<Answer | undefined> => {
      const callable = of(operation);
      if (!callable) return undefined;
      const request = { ...newRequest(callable, conversation), ...more };
      const { answer, events } = await call(callable, request);
      expect(answer.problem, operation).toBeUndefined();
      expect(answer.error, operation).toBeUndefined();
      for (const said of events) conversation = after(conversation, said);
      return answer;
    };
    const content = (text: string) => {
      const message = { role: 'ROLE_USER', parts: [{ text }] };
      return withIds({ message }, nextIds(conversation, { messageId: newId(), taskId: newId() }, chosen));
    };
    const say = (text: string) => run('SendMessage', content(text));

    await say('ask');
    await run('GetTask');
    expect(conversation.state).toBe('TASK_STATE_INPUT_REQUIRED');
    const { taskId } = conversation;
    await say('Ada');
    await run('GetTask');
    expect(conversation).toMatchObject({ taskId, state: 'TASK_STATE_COMPLETED' });
    await run('ListTasks');
    await say('slow 100');
    expect(conversation.taskId).not.toBe(taskId);
    if (of('SendStreamingMessage')) {
      conversation = {};
      const answer = await run('SendStreamingMessage', content('stream 3'));
      expect(answer?.frames.length).toBeGreaterThan(3);
      expect(conversation.state).toBe('TASK_STATE_COMPLETED');
    }
  });

  test.each(ofDialects)('errors are read over $name', async ({ protocol, binding }) => {
    const get = callablesOf(protocol, binding.id).find((one) => one.method.operation === 'GetTask') as Callable;
    const { answer } = await call(get, { id: 'none' });
    expect(answer.error?.kind).toBe('taskNotFound');
  });
});

describe('services of all dialects', () => {
  const extensions = combinations.filter(({ protocol }) => !('card' in protocol));

  test.each(extensions)('the service $name can be called', async ({ protocol, binding }) => {
    const [first] = callablesOf(protocol, binding.id);
    const request = first?.operation.name === 'Query' ? { query: '{ entities { totalCount } }' } : {};
    const { answer } = await call(first as Callable, request);
    expect(answer.problem).toBeUndefined();
    expect(answer.error).toBeUndefined();
    expect(answer.frames[0]?.values[0]).toBeTypeOf('object');
  });
});

test('a stream that is stopped can be resumed after the last event', async () => {
  const protocol = dialects.byName.get('a2a-1.0');
  const all = callablesOf(protocol as NonNullable<typeof protocol>, 'jsonrpc');
  const [stream, subscribe] = ['SendStreamingMessage', 'SubscribeToTask'].map(
    (operation) => all.find((one) => one.method.operation === operation) as Callable,
  ) as [Callable, Callable];
  const message = { messageId: 'm', role: 'ROLE_USER', parts: [{ text: 'stream 30 20' }] };
  const { answer, events } = await call(stream, { message }, { stopping: new AbortController() });
  expect(answer.phase).toBe('stopped');
  const { taskId } = events.reduce(after, {} as Conversation);
  const last = answer.frames.findLast(({ id }) => id !== undefined)?.id ?? '';
  const resumed = await call(subscribe, { id: taskId }, { after: last });
  expect(resumed.answer).toMatchObject({ phase: 'done' });
  const chunks = [...events, ...resumed.events].flatMap(
    ({ artifactUpdate }) => artifactUpdate?.artifact.parts[0]?.text ?? [],
  );
  expect(chunks).toEqual(Array.from({ length: 30 }, (_, at) => `chunk ${at + 1}`));
});

test('losses of a request are listed', () => {
  const protocol = dialects.byName.get('a2a-0.1');
  const [send] = callablesOf(protocol as NonNullable<typeof protocol>, 'jsonrpc');
  const message = { messageId: 'm', taskId: 't', role: 'ROLE_USER', parts: [{ text: 'x' }], extensions: ['urn:x'] };
  expect(writeRequest(send as Callable, { message }, 'demo').losses).toContain('message.extensions');
});

test('what is no HTTP request is refused, and so are requests to other servers', () => {
  expect(() => parseHttp('{"jsonrpc":"2.0"}')).toThrow(/first line/);
  expect(() => parseHttp('POST https://example.com/')).toThrow(/slash/);
  expect(() => parseHttp('POST /demo\nno header')).toThrow(/not a header/);
  expect(parseHttp('post /demo\r\nA: b \r\n\r\n{"x":\n\n1}')).toEqual({
    verb: 'POST',
    path: '/demo',
    headers: [['A', 'b']],
    body: '{"x":\n\n1}',
  });
});
