import { once } from 'node:events';
import { Code } from '@connectrpc/connect';
import { describe, expect, test } from 'vitest';
import { A2AError, type ErrorKind, errorTable, grpcStatus } from '../../../src/core/model/errors.ts';
import { peerRow } from '../../support/peer-row.ts';
import { api, chunk, eventsOf, logged, message, reply } from '../rpc-support.ts';
import { connectStranger, detailsOf, protocols, type Seen } from './stranger.ts';
import { connectForEach, errorIn, post } from './support.ts';

peerRow({
  software: '`@connectrpc/connect-node`',
  version: { npm: '@connectrpc/connect-node' },
  role: 'client',
  speaks: 'A2A 1.0: Connect, gRPC-Web',
  does: 'serves clients that are made from descriptors alone, in JSON and in protobuf',
});

const servers = connectForEach();

const path = '/lf.a2a.v1.A2AService/SendMessage';

async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}

describe.each(protocols)('%s', (protocol) => {
  const peer = () => connectStranger(servers.running.url, protocol);

  test(`a unary call over ${protocol} is answered`, async () => {
    const seen: Seen = {};
    servers.running.core.answer = ({ context }) => {
      context.notes.extensions.add('urn:a');
      context.notes.losses.add('message.metadata');
      return { value: reply };
    };
    const headers = {
      'a2a-extensions': 'urn:a',
      'idempotency-key': 'k1',
      'x-request-id': 'r-1',
      'a2a-hops': '1',
      'a2a-version': '1.0',
    };
    expect(await peer().unary('SendMessage', { message }, { headers, timeoutMs: 60_000 }, seen)).toEqual(reply);
    const { request, context, operation } = servers.running.core.last;
    expect(operation).toBe('SendMessage');
    expect(request).toEqual({ message });
    expect(context).toMatchObject({
      agent: 'demo',
      tenant: '',
      extensions: ['urn:a'],
      idempotencyKey: 'k1',
      requestId: 'r-1',
      hops: 1,
      principal: { id: 'tester' },
    });
    expect(context.deadline).toBeGreaterThan(Date.now());
    expect(Object.fromEntries(seen.headers ?? [])).toMatchObject({
      'a2a-version': '1.0',
      'a2a-extensions': 'urn:a',
      'a2a-gateway-loss': 'message.metadata',
      'x-request-id': 'r-1',
    });
  });

  test(`a stream over ${protocol} is answered`, async () => {
    servers.running.core.answer = () => ({ events: eventsOf(Array.from({ length: 200 }, (_, i) => chunk(i))) });
    const seen: Seen = {};
    const headers = { 'last-event-id': '5' };
    const events = await collect(peer().stream('SubscribeToTask', { id: 't1' }, { headers }, seen));
    expect(events).toEqual(Array.from({ length: 200 }, (_, i) => chunk(i)));
    expect(servers.running.core.last.context.replay).toEqual({ after: 5 });
    expect(seen.headers?.get('x-request-id')).toBe(servers.running.core.last.context.requestId);
    servers.running.core.answer = () => ({ events: eventsOf([]) });
    expect(await collect(peer().stream('SubscribeToTask', { id: 't1' }))).toEqual([]);
  });

  test('errors of every kind have the code, the reason and the metadata of their kind', async () => {
    for (const kind of Object.keys(errorTable) as ErrorKind[]) {
      servers.running.core.answer = () => {
        throw new A2AError(kind, 'Säid so', { metadata: { taskId: 't1' } });
      };
      const row = errorTable[kind];
      for (const failing of [
        peer().unary('GetTask', { id: 't1' }),
        collect(peer().stream('SubscribeToTask', { id: 't1' })),
      ]) {
        const error = await failing.catch((thrown) => thrown);
        expect(error, kind).toMatchObject({ code: grpcStatus[row.grpc], rawMessage: 'Säid so' });
        expect(detailsOf(error)['google.rpc.ErrorInfo']).toEqual({
          reason: row.reason,
          domain: 'a2a-protocol.org',
          metadata: { taskId: 't1' },
        });
      }
    }
  });

  test('faulty fields are named', async () => {
    const faulty = { message: { messageId: 'm', role: 'ROLE_USER', parts: [{}] } };
    const error = await peer()
      .unary('SendMessage', faulty)
      .catch((thrown) => thrown);
    expect(error.code).toBe(Code.InvalidArgument);
    expect(detailsOf(error)['google.rpc.BadRequest']).toMatchObject({
      fieldViolations: [{ field: expect.stringMatching(/^message\.parts\[0\]/) }],
    });
  });

  test(`an error in the middle of a stream over ${protocol} ends it`, async () => {
    servers.running.core.answer = () => ({
      events: (async function* () {
        yield logged(chunk(1));
        throw new Error('secret');
      })(),
    });
    const events = peer().stream('SubscribeToTask', { id: 't1' })[Symbol.asyncIterator]();
    expect((await events.next()).value).toEqual(chunk(1));
    const error = await events.next().catch((thrown) => thrown);
    expect(error.code).toBe(Code.Internal);
    expect(error.message).not.toContain('secret');
    expect(servers.running.logger.lines).toHaveLength(1);
  });

  test(`a call over ${protocol} names its agent by its tenant, its metadata or its path`, async () => {
    await peer()
      .unary('GetTask', { id: 't1', tenant: 'weather/acme' })
      .catch(() => {});
    expect(servers.running.core.last.context).toMatchObject({ agent: 'weather', tenant: 'acme' });
    expect(servers.running.core.last.request).toEqual({ id: 't1' });
    const headers = { 'a2a-agent': 'weather' };
    await peer()
      .unary('GetTask', { id: 't1' }, { headers })
      .catch(() => {});
    expect(servers.running.core.last.context).toMatchObject({ agent: 'weather', tenant: '' });
    const below = connectStranger(`${servers.running.url}/weather`, protocol);
    await below.unary('GetTask', { id: 't1', tenant: 'demo' }).catch(() => {});
    expect(servers.running.core.last.context).toMatchObject({ agent: 'weather', tenant: 'demo' });
    await expect(peer().unary('GetTask', { id: 't1', tenant: 'nobody' })).rejects.toMatchObject({
      code: Code.NotFound,
    });
  });

  test(`another version is refused over ${protocol}`, async () => {
    const headers = { 'a2a-version': '0.3' };
    const error = await peer()
      .unary('GetTask', { id: 't1' }, { headers })
      .catch((thrown) => thrown);
    expect(error.code).toBe(Code.FailedPrecondition);
    expect(detailsOf(error)['google.rpc.ErrorInfo']).toMatchObject({ reason: 'VERSION_NOT_SUPPORTED' });
  });

  test(`another version as a query parameter is refused over ${protocol}`, async () => {
    const called = await post(`${servers.running.url}${path}?A2A-Version=0.3`, 'application/json', '{}');
    expect([called.status, errorIn(called.body).code]).toEqual([400, 'failed_precondition']);
  });

  test('callers are authenticated first, and refused in the form of the protocol', async () => {
    const closed = await servers.serve({
      authenticate: () => {
        throw new A2AError('unauthenticated');
      },
    });
    const outside = connectStranger(closed.url, protocol);
    await expect(outside.unary('SendMessage', { message })).rejects.toMatchObject({ code: Code.Unauthenticated });
    await expect(collect(outside.stream('SubscribeToTask', { id: 't1' }))).rejects.toMatchObject({
      code: Code.Unauthenticated,
    });
    expect(closed.core.calls).toEqual([]);
  });

  test(`a client that leaves a stream over ${protocol} cancels it`, async () => {
    servers.running.core.answer = ({ context }) => ({
      events: (async function* () {
        yield logged(chunk(1));
        await once(context.signal, 'abort');
      })(),
    });
    const controller = new AbortController();
    const events = peer()
      .stream('SubscribeToTask', { id: 't1' }, { signal: controller.signal })
      [Symbol.asyncIterator]();
    await events.next();
    controller.abort();
    await expect(events.next()).rejects.toMatchObject({ code: Code.Canceled });
    await servers.running.core.until(({ last }) => last.context.signal.aborted);
    expect(servers.running.logger.lines).toEqual([]);
  });

  test(`a deadline over ${protocol} ends the call`, async () => {
    servers.running.core.answer = () => new Promise(() => {});
    await expect(peer().unary('GetTask', { id: 't1' }, { timeoutMs: 50 })).rejects.toMatchObject({
      code: Code.DeadlineExceeded,
    });
    await expect(collect(peer().stream('SubscribeToTask', { id: 't1' }, { timeoutMs: 50 }))).rejects.toMatchObject({
      code: Code.DeadlineExceeded,
    });
    await servers.running.core.until(({ calls }) => calls.every(({ context }) => context.signal.aborted));
  });

  test('every rpc of the proto is served', async () => {
    for (const { rpc, streaming } of api.operations) {
      servers.running.core.answer = () => (streaming ? { events: eventsOf([chunk(1)]) } : { value: {} as never });
      const request = rpc.startsWith('Send') ? { message } : {};
      const before = servers.running.core.calls.length;
      const called = streaming ? collect(peer().stream(rpc, request)) : peer().unary(rpc, request);
      const error = await called.then(
        () => undefined,
        (thrown) => thrown,
      );
      // A request without a required field is refused by name; all others reach the core.
      if (error) expect(error, rpc).toMatchObject({ code: Code.InvalidArgument });
      else expect(servers.running.core.calls.length, rpc).toBe(before + 1);
    }
  });
});
