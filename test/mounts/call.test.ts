import { expect, it } from 'vitest';
import type { Task } from '../../src/core/model/a2a.ts';
import { A2AError } from '../../src/core/model/errors.ts';
import { makeGateway, message, required, settings, slowCalls, slowChanges, startGateway } from './gateways.ts';

/** Calls of a program at its own gateway. */

const principal = { id: 'ada' };

it('an operation with one answer is called with its request, and all else has a default', async () => {
  const gateway = await startGateway({ auth: {} });
  const answer = await gateway.call('SendMessage', { message: message('say hello') });
  expect(answer.message?.parts).toEqual([{ text: 'hello' }]);
  const named = await gateway.call(
    'SendMessage',
    { message: message('hi') },
    { agent: 'whoami', principal, tenant: 'acme' },
  );
  expect(named.message?.parts).toEqual([{ text: 'ada acme' }]);
});

it('a stream is iterated at once, or awaited first, and its events belong to the program', async () => {
  const gateway = await startGateway();
  const events = [];
  for await (const event of gateway.call('SendStreamingMessage', { message: message('stream 3 0') }, { principal })) {
    events.push(event);
  }
  expect(events).toHaveLength(6);
  const id = events[0]?.task?.id as string;
  (events[0] as { task: { id: string } }).task.id = 'changed';
  const task: Task = await gateway.call('GetTask', { id }, { principal });
  expect(task).toMatchObject({ id, status: { state: 'TASK_STATE_COMPLETED' } });
  (task as { status: unknown }).status = undefined;
  expect((await gateway.call('GetTask', { id }, { principal })).status.state).toBe('TASK_STATE_COMPLETED');
  const awaited = await gateway.call('SendStreamingMessage', { message: message('say hi') }, { principal });
  for await (const event of awaited) expect(event.message?.parts).toEqual([{ text: 'hi' }]);
});

it('tasks belong to their principal', async () => {
  const gateway = await startGateway();
  const { task } = await gateway.call('SendMessage', { message: message('stream 1 0') }, { principal });
  const id = task?.id as string;
  expect((await gateway.call('ListTasks', {}, { principal })).tasks.map((one) => one.id)).toEqual([id]);
  const other = gateway.call('GetTask', { id }, { principal: { id: 'bob' } });
  await expect(other).rejects.toMatchObject({ kind: 'taskNotFound' });
});

it('requests are validated as those from outside, and callers are authorized', async () => {
  const gateway = await startGateway();
  const invalid = gateway.call('SendMessage', { message: { ...message(''), parts: [] } }, { principal });
  await expect(invalid).rejects.toMatchObject({ kind: 'invalidParams', violations: [{ field: 'message.parts' }] });
  await expect(gateway.call('SendMessage', null as never, { principal })).rejects.toMatchObject({
    kind: 'invalidParams',
  });
  const unknown = gateway.call('Nothing' as 'GetTask', { id: 'x' }, { principal });
  await expect(unknown).rejects.toMatchObject({ kind: 'methodNotFound' });
  const nobody = gateway.call('SendMessage', { message: message('hi') }, { principal, agent: 'nobody' });
  await expect(nobody).rejects.toMatchObject({ kind: 'agentNotFound' });
  const limited = { principal: { id: 'ada', scopes: new Set(['tasks:read']) } };
  await expect(gateway.call('SendMessage', { message: message('hi') }, limited)).rejects.toMatchObject({
    kind: 'permissionDenied',
  });
  const anonymous = gateway.call('ListAgents', {});
  await expect(anonymous).rejects.toMatchObject({
    kind: 'unauthenticated',
    message: expect.stringContaining('principal'),
  });
  const late = gateway.call('SubscribeToTask', { id: 'none' }, { principal });
  await expect(late[Symbol.asyncIterator]().next()).rejects.toMatchObject({ kind: 'taskNotFound' });
});

it('operations of the admin service and of the knowledge graph are called in the same way', async () => {
  const gateway = await startGateway();
  const admin = { principal: { id: 'root', scopes: new Set(['admin:read']) } };
  const { agents } = await gateway.call('ListAgents', {}, admin);
  expect(agents?.map((agent) => agent.name)).toContain('whoami');
  const query = gateway.call('Query', { query: '{ person { name } }', queryLanguage: 'graphql' } as never, {
    principal,
  });
  await expect(query).rejects.toBeInstanceOf(A2AError);
});

it('extensions are declared by their URIs', async () => {
  const gateway = await startGateway();
  const options = { principal, agent: 'demanding', extensions: [required] };
  const { message: answer } = await gateway.call('SendMessage', { message: message('hi') }, options);
  expect(answer?.parts?.[0]).toMatchObject({ text: required });
  const undeclared = gateway.call('SendMessage', { message: message('hi') }, { principal, agent: 'demanding' });
  await expect(undeclared).rejects.toMatchObject({ kind: 'extensionSupportRequired' });
});

it('a signal ends the call, and the task goes on', async () => {
  const gateway = await startGateway();
  const abort = new AbortController();
  const options = { principal, signal: abort.signal };
  const events = gateway.call('SendStreamingMessage', { message: message('stream 1000 50') }, options);
  const iterator = events[Symbol.asyncIterator]();
  const first = await iterator.next();
  const rest = iterator
    .next()
    .then(() => iterator.next())
    .then(() => iterator.next());
  abort.abort();
  await expect(rest).rejects.toMatchObject({ kind: expect.any(String) });
  const id = first.value?.task?.id as string;
  expect((await gateway.call('GetTask', { id }, { principal })).status.state).not.toBe('TASK_STATE_CANCELED');
  const { begun } = slowCalls;
  const other = new AbortController();
  const waits = gateway.call(
    'SendMessage',
    { message: message('wait') },
    { principal, agent: 'slow', signal: other.signal },
  );
  await slowChanges.until(() => slowCalls.begun === begun + 1);
  other.abort();
  await expect(waits).rejects.toBeInstanceOf(A2AError);
});

it('an abort ends an accepted stream that is not iterated, and gives its place back', async () => {
  const gateway = await startGateway({ limits: { streams: 1 } });
  const open = (signal?: AbortSignal) =>
    gateway.call(
      'SendStreamingMessage',
      { message: message('stream 1000 50') },
      { principal, ...(signal && { signal }) },
    );
  for (let i = 0; i < 3; i += 1) {
    const abort = new AbortController();
    const events = await open(abort.signal);
    await expect(open()).rejects.toMatchObject({ kind: 'tooManyRequests' });
    abort.abort(new Error('my own reason'));
    await expect(events[Symbol.asyncIterator]().next()).rejects.toMatchObject({ kind: 'canceled' });
  }
  const left = open();
  await left[Symbol.asyncIterator]().return?.();
  const iterator = (await open())[Symbol.asyncIterator]();
  await iterator.return?.();
  await open();
});

it('an abort with any reason cancels the call, and a timeout is named as one', async () => {
  const gateway = await startGateway();
  const { begun } = slowCalls;
  for (const reason of [new Error('mine'), 'text', null, new A2AError('internal'), undefined]) {
    const before = gateway.call('ListTasks', {}, { principal, signal: AbortSignal.abort(reason) });
    await expect(before).rejects.toMatchObject({ kind: 'canceled' });
    const abort = new AbortController();
    const send = { message: message('stream 1000 50') };
    const events = await gateway.call('SendStreamingMessage', send, { principal, signal: abort.signal });
    const iterator = events[Symbol.asyncIterator]();
    await iterator.next();
    abort.abort(reason);
    await expect(iterator.next()).rejects.toMatchObject({ kind: 'canceled' });
  }
  const abort = new AbortController();
  const options = { principal, agent: 'slow', signal: abort.signal };
  const waits = gateway.call('SendMessage', { message: message('wait') }, options);
  await slowChanges.until(() => slowCalls.begun === begun + 1);
  abort.abort(new Error('mine'));
  await expect(waits).rejects.toMatchObject({ kind: 'canceled' });
  const late = AbortSignal.abort(new DOMException('late', 'TimeoutError'));
  await expect(gateway.call('ListTasks', {}, { principal, signal: late })).rejects.toMatchObject({
    kind: 'deadlineExceeded',
  });
});

it('iterating over an operation with one answer fails with the name of the operation', async () => {
  const gateway = await startGateway();
  const one = gateway.call('ListTasks', {}, { principal }) as unknown as AsyncIterable<unknown>;
  const next = one[Symbol.asyncIterator]().next();
  await expect(next).rejects.toThrow(
    new TypeError('ListTasks has one answer and no events: use await in place of for await'),
  );
});

it('a request is copied, so that what the program changes in it afterwards changes no task', async () => {
  const gateway = await startGateway();
  const data = { value: 'before' };
  const sent = { ...message('stream 1 0'), metadata: { data } };
  const sending = gateway.call('SendMessage', { message: sent }, { principal });
  data.value = 'during';
  sent.parts.push({ text: 'injected' });
  const { task } = await sending;
  data.value = 'after';
  const { history } = await gateway.call('GetTask', { id: task?.id as string }, { principal });
  expect(history?.[0]).toMatchObject({ parts: [{ text: 'stream 1 0' }], metadata: { data: { value: 'before' } } });
  const absent = { ...message('say hi'), contextId: undefined, metadata: { some: undefined } };
  await gateway.call('SendMessage', { message: absent as never }, { principal });
});

it('a request with what no JSON can hold is refused with the name of the field', async () => {
  const gateway = await startGateway({ limits: { parts: 100 } });
  const refusalOf = async (metadata: unknown) => {
    const sent = { ...message('say hi'), metadata: { a: [metadata] } };
    const error = await gateway.call('SendMessage', { message: sent as never }, { principal }).catch((one) => one);
    return [error.kind, ...error.violations.map(({ field }: { field: string }) => field)];
  };
  const circular: Record<string, unknown> = {};
  circular.self = circular;
  const odd = [
    1n,
    () => 1,
    Symbol('x'),
    new Date(0),
    new Map(),
    Number.NaN,
    Infinity,
    undefined,
    '\ud800',
    new Uint8Array(1),
  ];
  for (const value of odd) expect(await refusalOf(value)).toEqual(['invalidParams', 'message.metadata.a[0]']);
  expect(await refusalOf(circular)).toEqual(['invalidParams', 'message.metadata.a[0].self']);
  expect(await refusalOf(JSON.parse('{"__proto__": 1}'))).toEqual(['invalidParams', 'message.metadata.a[0]']);
  let deep: object = {};
  for (let i = 0; i < 100_000; i += 1) deep = { deep };
  expect(await refusalOf(deep)).toEqual(['invalidParams', expect.stringContaining('message.metadata.a[0].deep')]);
  const parts = Array.from({ length: 101 }, () => ({ text: 'a' }));
  const many = gateway.call('SendMessage', { message: { ...message(''), parts } }, { principal });
  await expect(many).rejects.toMatchObject({ kind: 'invalidParams', violations: [{ field: 'message.parts' }] });
  const iterable = gateway.call('SendMessage', (async function* () {})() as never, { principal });
  await expect(iterable).rejects.toMatchObject({ kind: 'invalidParams' });
});

it('a principal has an id, and its scopes, agents and tenants are sets or arrays', async () => {
  const gateway = await startGateway();
  const list = (caller: unknown) => gateway.call('ListTasks', {}, { principal: caller as never });
  for (const id of [undefined, '', 5, null]) {
    await expect(list({ id })).rejects.toMatchObject({
      kind: 'invalidParams',
      violations: [{ field: 'principal.id' }],
    });
  }
  await expect(list('ada')).rejects.toMatchObject({ kind: 'invalidParams', violations: [{ field: 'principal' }] });
  for (const name of ['scopes', 'agents', 'tenants']) {
    const wrong = { kind: 'invalidParams', violations: [{ field: `principal.${name}` }] };
    for (const value of ['admin', [5], {}, null])
      await expect(list({ id: 'a', [name]: value })).rejects.toMatchObject(wrong);
  }
  expect((await list({ id: 'ada', scopes: ['tasks'] })).tasks).toEqual([]);
  await expect(list({ id: 'ada', scopes: [] })).rejects.toMatchObject({ kind: 'permissionDenied' });
  await expect(list({ id: 'ada', agents: ['whoami'] })).rejects.toBeInstanceOf(A2AError);
  const { agents } = await gateway.call('ListAgents', {}, { principal: { id: 'root', scopes: ['admin:read'] } });
  expect(agents?.length).toBeGreaterThan(0);
  const open = await startGateway({ auth: {} });
  expect((await open.call('ListTasks', {}, null as never)).tasks).toEqual([]);
});

it('calls are refused until the gateway starts, and once it is closed; a reload is in force for the next call', async () => {
  const gateway = makeGateway();
  const send = () => gateway.call('SendMessage', { message: message('say hi') }, { principal });
  await expect(send()).rejects.toMatchObject({ kind: 'unavailable', message: expect.stringContaining('start()') });
  await gateway.start();
  expect((await send()).message?.parts).toEqual([{ text: 'hi' }]);
  await gateway.reload({ ...settings, defaultAgent: 'whoami' });
  expect((await send()).message?.parts?.[0]?.text).toContain('ada');
  await gateway.close({ drainMs: 0 });
  await expect(send()).rejects.toMatchObject({ kind: 'unavailable' });
});

it('the first segment of a tenant names the agent where the program names none', async () => {
  const gateway = await startGateway();
  const answerTo = async (tenant: string, agent?: string) => {
    const options = { principal, tenant, ...(agent !== undefined && { agent }) };
    return (await gateway.call('SendMessage', { message: message('hi') }, options)).message?.parts;
  };
  expect(await answerTo('whoami/acme')).toEqual([{ text: 'ada acme' }]);
  expect(await answerTo('whoami/acme', 'whoami')).toEqual([{ text: 'ada whoami/acme' }]);
  await expect(answerTo('acme')).rejects.toMatchObject({ kind: 'agentNotFound' });
});
