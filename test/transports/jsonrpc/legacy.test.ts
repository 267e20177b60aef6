import { describe, expect, it } from 'vitest';
import type { Message, Task } from '../../../src/core/model/a2a.ts';
import type { StreamReply } from '../../../src/core/model/call.ts';
import { A2AError, type ErrorKind, errorTable } from '../../../src/core/model/errors.ts';
import type { Dialect, DialectName } from '../../../src/dialects/kernel/dialect.ts';
import type { CallPlan, JsonRpcBinding } from '../../../src/dialects/kernel/wire.ts';
import { createDialects } from '../../../src/dialects/registry.ts';
import { createJsonRpcClient } from '../../../src/transports/jsonrpc/client.ts';
import type { SseEvent } from '../../../src/wire/sse.ts';
import { contextFor } from '../../support/core.ts';
import { decodeSse } from '../../support/sse.ts';
import { logged, post, rpc, Source, serving, start, streaming } from '../http/serving.ts';

/** Errors of every dialect, and the frames of its streams around the events, as its clients read them. */

const dialects = createDialects().list.flatMap((dialect): [DialectName, Dialect & { jsonrpc: JsonRpcBinding }][] =>
  dialect.jsonrpc ? [[dialect.name, dialect as Dialect & { jsonrpc: JsonRpcBinding }]] : [],
);

/** A call of a method that reads a task, or of the one that follows it. */
function requestOf(
  { jsonrpc }: { readonly jsonrpc: JsonRpcBinding },
  operation: 'GetTask' | 'SubscribeToTask',
): object {
  const plan = jsonrpc.calls.get(operation) as CallPlan;
  const { name, request } = plan.next ?? plan.method;
  return rpc(name, request.encode({ request: { id: 't1' } } as never, { losses: new Set() }), 'r1');
}

const task: Task = { id: 't1', contextId: 'c1', status: { state: 'TASK_STATE_WORKING' } };
const leading = logged(1, { task });

async function events(path: string, body: object): Promise<SseEvent[]> {
  const headers = { 'content-type': 'application/json' };
  const answer = await fetch(serving.url + path, { method: 'POST', headers, body: JSON.stringify(body) });
  expect(answer.headers.get('content-type')).toBe('text/event-stream');
  return parsed(answer.body as unknown as AsyncIterable<Uint8Array>);
}

async function parsed(bytes: AsyncIterable<Uint8Array>): Promise<SseEvent[]> {
  const seen: SseEvent[] = [];
  for await (const event of decodeSse(bytes)) seen.push(event);
  return seen;
}

/** Errors of methods of knowledge, which no method of a dialect returns. They have the dialect's code for unknown errors. */
const knowledge = (code: number): Partial<Record<ErrorKind, number>> => ({
  knowledgeQuery: code,
  knowledgeUpdate: code,
  knowledgeSubscription: code,
  alignmentViolation: code,
  queryLanguageNotSupported: code,
  subscriptionLanguageNotSupported: code,
});

/** Codes by kind, where a dialect has others than A2A 1.0: those of its document, or of its real servers. */
const codes: Readonly<Record<DialectName, Readonly<Partial<Record<ErrorKind, number>>>>> = {
  'a2a-1.1': {},
  'a2a-1.0': {},
  'a2a-0.3': {},
  'a2a-0.2': { extendedAgentCardNotConfigured: -32603, extensionSupportRequired: -32603, versionNotSupported: -32603 },
  'a2a-0.1': {
    ...knowledge(-32603),
    invalidAgentResponse: -32603,
    extendedAgentCardNotConfigured: -32603,
    extensionSupportRequired: -32603,
    versionNotSupported: -32603,
    taskGenerationMismatch: -32603,
    answerTooLarge: -32603,
    unauthenticated: -32007,
    permissionDenied: -32008,
    tooManyRequests: -32010,
    unavailable: -32011,
    agentError: -32603,
    canceled: -32603,
    deadlineExceeded: -32603,
    upstreamUnreachable: -32603,
    upstreamTimeout: -32603,
  },
  'agentvault-0.2': {
    ...knowledge(-32000),
    taskNotCancelable: -32004,
    pushNotificationNotSupported: -32000,
    unsupportedOperation: -32000,
    contentTypeNotSupported: -32602,
    invalidAgentResponse: -32603,
    extendedAgentCardNotConfigured: -32000,
    extensionSupportRequired: -32000,
    versionNotSupported: -32000,
    taskGenerationMismatch: -32000,
    unauthenticated: -32002,
    permissionDenied: -32003,
    upstreamUnreachable: -32000,
    upstreamTimeout: -32000,
  },
  'a2a-php-0.3': {
    extensionSupportRequired: -32603,
    versionNotSupported: -32603,
    unauthenticated: -32007,
    permissionDenied: -32007,
  },
};

/** HTTP statuses that errors travel with; its clients do not look for others. */
const statuses = (name: DialectName): readonly number[] =>
  name === 'a2a-php-0.3' || name === 'agentvault-0.2' ? [413, 429, 503] : [401, 403, 413, 429, 503];

describe.each(dialects)('%s', (name, dialect) => {
  const pinned = `/as/${name}`;
  const { stream } = dialect.jsonrpc;

  it(`${name} reports errors of each kind with a code of their own`, async () => {
    let kind: ErrorKind = 'internal';
    await start({
      invoke: async () => {
        throw new A2AError(kind);
      },
    });
    for (kind of Object.keys(errorTable) as ErrorKind[]) {
      const { http, jsonrpc } = errorTable[kind];
      const { status, headers, json } = await post(serving.url + pinned, requestOf(dialect, 'GetTask'));
      expect([kind, status]).toEqual([kind, statuses(name).includes(http) ? http : 200]);
      const code = codes[name][kind] ?? jsonrpc;
      expect([kind, json]).toMatchObject([kind, { jsonrpc: '2.0', id: 'r1', error: { code } }]);
      expect(json.error.message).toEqual(expect.any(String));
      expect(headers.has('www-authenticate')).toBe(kind === 'unauthenticated');
    }
  });

  it(`${name} does not disclose internal errors, before a stream or within it`, async () => {
    await start({
      invoke: async () => {
        throw new Error('the password is secret');
      },
    });
    const { text } = await post(serving.url + pinned, requestOf(dialect, 'SubscribeToTask'));
    expect(text).toContain('Internal error');
    expect(text).not.toContain('secret');
    await serving.close();
    await start({
      invoke: streaming(async function* () {
        yield leading;
        throw new Error('the password is secret');
      }),
    });
    const streamed = JSON.stringify(await events(pinned, requestOf(dialect, 'SubscribeToTask')));
    expect(streamed).toContain('Internal error');
    expect(streamed).not.toContain('secret');
  });

  it(`${name} sends an error within a stream in the form that clients read, and ends`, async () => {
    const broken = streaming(async function* () {
      yield leading;
      throw new A2AError('unavailable', 'The store is away');
    });
    await start({
      // Clients of some dialects read the task before they subscribe to it.
      invoke: async (call) =>
        call.operation === 'GetTask'
          ? { value: task, facts: { createdAt: 0, updatedAt: 0, generation: 0 } }
          : broken(call),
    });
    const seen = await events(pinned, requestOf(dialect, 'SubscribeToTask'));
    const closed = stream.closing !== undefined && seen.at(-1)?.event === stream.closing;
    expect(closed).toBe(stream.closing !== undefined);
    const last = seen.at(closed ? -2 : -1) as SseEvent;
    // Clients of A2A itself read no event that has a name, or lose what it tells.
    expect(last.event).toBe(/^a2a-0/.test(name) ? '' : 'error');
    expect(last.id !== undefined && last.id !== '').toBe(!stream.withoutIds);
    const data = JSON.parse(last.data) as object;
    if (stream.enveloped) {
      const code = codes[name].unavailable ?? errorTable.unavailable.jsonrpc;
      expect(data).toMatchObject({ jsonrpc: '2.0', id: 'r1', error: { code, message: 'The store is away' } });
    } else expect(data).toEqual({ error: 'unavailable', message: 'The store is away' });
    const client = createJsonRpcClient({ url: serving.url + pinned, dialect, timeout: 5000 });
    const reply = await client.invoke({
      operation: 'SubscribeToTask',
      request: { id: 't1' },
      context: contextFor('demo'),
    });
    const read = (async () => {
      for await (const _ of (reply as StreamReply).events);
    })();
    await expect(read).rejects.toMatchObject({ kind: 'unavailable', message: 'The store is away' });
    await client.close();
  });

  it(`${name} is kept alive by comments, which are no events`, async () => {
    const source = new Source();
    await start({ invoke: streaming(() => source), limits: { keepAlive: 5 } });
    const headers = { 'content-type': 'application/json' };
    const body = JSON.stringify(requestOf(dialect, 'SubscribeToTask'));
    source.push(leading);
    const answer = await fetch(serving.url + pinned, { method: 'POST', headers, body });
    let text = '';
    for await (const piece of (answer.body as ReadableStream<Uint8Array>).pipeThrough(new TextDecoderStream())) {
      text += piece;
      if (text.split('\n:').length > 2) source.end();
    }
    expect(text).toMatch(/\n\n:\n/);
    async function* whole(): AsyncGenerator<Uint8Array> {
      yield new TextEncoder().encode(text);
    }
    const withComments = await parsed(whole());
    await serving.close();
    await start({
      invoke: streaming(async function* () {
        yield leading;
      }),
    });
    expect(withComments).toEqual(await events(pinned, requestOf(dialect, 'SubscribeToTask')));
  });

  if (stream.withoutIds) {
    it(`${name} has events in blocks of their own, which a client reads that cuts at blank lines`, async () => {
      const source = new Source();
      await start({ invoke: streaming(() => source), limits: { keepAlive: 5 } });
      const headers = { 'content-type': 'application/json' };
      const body = JSON.stringify(requestOf(dialect, 'SubscribeToTask'));
      source.push(leading);
      const answer = await fetch(serving.url + pinned, { method: 'POST', headers, body });
      let text = '';
      for await (const piece of (answer.body as ReadableStream<Uint8Array>).pipeThrough(new TextDecoderStream())) {
        text += piece;
        if (text.endsWith('\n\n:\n:\n')) source.push(leading);
        if (/:\n\ndata/.test(text)) source.end();
      }
      const blocks = text.split('\n\n').filter((block) => block.startsWith('data: '));
      expect(blocks).toHaveLength(2);
      expect(text.split('data: ')).toHaveLength(3);
    });
  }

  it(`${name} lists in a header what an answer lost: schema paths, no keys of the caller, at most 1 KiB`, async () => {
    const part = { text: 'x', mediaType: 'text/x-secret', filename: 'secret', metadata: { secretKey: 1 } };
    const message: Message = {
      messageId: 'm',
      role: 'ROLE_AGENT',
      parts: [part],
      extensions: ['urn:secret'],
      referenceTaskIds: ['secret'],
    };
    const artifact = { artifactId: 'a', parts: [part, part], extensions: ['urn:secret'], metadata: { secretKey: 1 } };
    const value: Task = {
      ...task,
      status: { state: 'TASK_STATE_COMPLETED', message },
      history: Array.from({ length: 50 }, () => message),
      artifacts: Array.from({ length: 50 }, (_, i) => ({ ...artifact, artifactId: `a${i}` })),
    };
    await start({ invoke: async () => ({ value, facts: { createdAt: 0, updatedAt: 0, generation: 0 } }) });
    const { headers } = await post(serving.url + pinned, requestOf(dialect, 'GetTask'));
    const loss = headers.get('a2a-gateway-loss');
    if (name.startsWith('a2a-1.')) return expect(loss).toBeNull();
    const paths = (loss as string).split(', ');
    expect(new Set(paths).size).toBe(paths.length);
    expect(dialect.losses.task).toEqual(expect.arrayContaining(paths));
    expect(loss).not.toMatch(/secret/i);
    expect((loss as string).length).toBeLessThanOrEqual(1024);
  });
});
