import { once } from 'node:events';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { type CallOptions, callContext } from '../../src/client/caller.ts';
import type { OperationName } from '../../src/core/model/a2a.ts';
import { type CallContext, isStream, type LoggedEvent, type Reply } from '../../src/core/model/call.ts';
import { A2AError, type ErrorKind, errorTable } from '../../src/core/model/errors.ts';
import { versions } from '../../src/dialects/a2a-1.x/versions.ts';
import type { ClientTransport } from '../../src/transports/outbound/http-transport.ts';
import { canonicalJson } from '../support/arbitrary-json.ts';
import { paced } from '../support/pace.ts';
import { chunk, context, eventsOf, type FakeCore, logged, message, reply } from './rpc-support.ts';

/** A server with a fake core behind it. */
export interface Served {
  readonly core: FakeCore;
  readonly url: string;
  stop(): Promise<void>;
}

export interface ClientOptions {
  readonly url: string;
  readonly headers?: () => Promise<Record<string, string>>;
  readonly timeout?: number;
}

async function collect(reply: Reply): Promise<LoggedEvent[]> {
  if (!isStream(reply)) throw new TypeError('no stream');
  const events: LoggedEvent[] = [];
  for await (const event of reply.events) events.push(event);
  return events;
}

/** Tests that every client of a protobuf binding passes against this gateway's own server. */
export function clientSuite(start: () => Promise<Served>, make: (options: ClientOptions) => ClientTransport): void {
  let running: Served;
  let client: ClientTransport;
  const open = (over: Partial<ClientOptions> = {}): ClientTransport => make({ url: running.url, ...over });
  const call = (operation: OperationName, request: object, over?: Partial<CallContext>): Promise<Reply> =>
    client.invoke({ operation, request: request as never, context: context(over) });

  describe('against the gateway', () => {
    beforeEach(async () => {
      running = await start();
      running.core.answer = () => ({ value: reply as never });
      client = open({ headers: async () => ({ authorization: 'Bearer x' }) });
    });
    afterEach(async () => {
      vi.useRealTimers();
      await client.close();
      await running.stop();
    });

    test('against the gateway carries the context across', async () => {
      const notes = { extensions: new Set<string>(), losses: new Set<string>() };
      running.core.answer = ({ context }) => {
        context.notes.extensions.add('urn:a');
        context.notes.losses.add('message.metadata');
        return { value: reply as never };
      };
      const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
      const over = { extensions: ['urn:a', 'urn:b'], idempotencyKey: 'k', traceparent, hops: 3, notes };
      expect(await call('SendMessage', { message, tenant: 'demo/acme' }, over)).toEqual({ value: reply });
      expect(running.core.last.request).toEqual({ message });
      const { extensions, idempotencyKey, hops, tenant } = running.core.last.context;
      expect({ extensions, idempotencyKey, hops, tenant }).toEqual({
        extensions: ['urn:a', 'urn:b'],
        idempotencyKey: 'k',
        hops: 3,
        tenant: 'acme',
      });
      expect(running.core.last.context.traceparent).toBe(traceparent);
      expect([...notes.extensions]).toEqual(['urn:a']);
      expect([...notes.losses]).toEqual(['message.metadata']);
    });

    test('against the gateway streams', async () => {
      running.core.answer = () => ({ events: eventsOf(Array.from({ length: 50 }, (_, i) => chunk(i))) });
      const events = await collect(await call('SubscribeToTask', { id: 't1' }, { replay: { after: 7 } }));
      expect(running.core.last.context.replay).toEqual({ after: 7 });
      expect(events.map(({ seq }) => seq)).toEqual(Array.from({ length: 50 }, (_, i) => 8 + i));
      expect(events[49]?.event).toEqual(chunk(49));
      expect(JSON.parse(events[49]?.json ?? '')).toEqual(chunk(49));
    });

    test.each(Object.keys(errorTable) as ErrorKind[])('against the gateway brings back %s', async (kind) => {
      const violations = [{ field: 'message.parts', description: 'is empty' }];
      running.core.answer = () => {
        throw new A2AError(kind, 'Said so', { metadata: { taskId: 't1' }, violations });
      };
      for (const operation of ['GetTask', 'SubscribeToTask'] as const) {
        const error = await call(operation, { id: 't1' }).catch((thrown) => thrown);
        expect(error).toMatchObject({
          name: 'A2AError',
          kind,
          message: 'Said so',
          metadata: { taskId: 't1' },
          violations,
        });
      }
    });

    test('an error in the middle of a stream ends it', async () => {
      running.core.answer = () => ({
        events: (async function* () {
          yield logged(chunk(1));
          throw new A2AError('unavailable', 'Gone');
        })(),
      });
      const answer = await call('SubscribeToTask', { id: 't1' });
      if (!isStream(answer)) throw new TypeError();
      const events = answer.events[Symbol.asyncIterator]();
      expect((await events.next()).value?.event).toEqual(chunk(1));
      await expect(events.next()).rejects.toMatchObject({ kind: 'unavailable', message: 'Gone' });
    });

    test('leaving a stream cancels it at the server, begun or not', async () => {
      for (const begin of [true, false]) {
        running.core.answer = ({ context }) => ({
          events: (async function* () {
            yield logged(chunk(1));
            await once(context.signal, 'abort');
          })(),
        });
        const answer = await call('SubscribeToTask', { id: 't1' });
        if (!isStream(answer)) throw new TypeError();
        const events = answer.events[Symbol.asyncIterator]();
        if (begin) await events.next();
        await events.return?.();
        await running.core.until(({ last }) => last.context.signal.aborted);
      }
    });

    test('an abort cancels what is under way', async () => {
      running.core.answer = () => new Promise(() => {});
      for (const operation of ['GetTask', 'SubscribeToTask'] as const) {
        const controller = new AbortController();
        const before = running.core.calls.length;
        const answer = call(operation, { id: 't1' }, { signal: controller.signal });
        const refused = expect(answer).rejects.toMatchObject({ kind: 'canceled' });
        await running.core.until(({ calls }) => calls.length === before + 1);
        controller.abort();
        await refused;
        await running.core.until(({ last }) => last.context.signal.aborted);
        await expect(call(operation, { id: 't1' }, { signal: controller.signal })).rejects.toMatchObject({
          kind: 'canceled',
        });
      }
    });

    test('a call whose time runs out is an error', async () => {
      running.core.answer = () => new Promise(() => {});
      const patient = client;
      client = open({ timeout: 100 });
      for (const operation of ['GetTask', 'SubscribeToTask'] as const) {
        await expect(call(operation, { id: 't1' })).rejects.toMatchObject({ kind: 'upstreamTimeout' });
        const deadline = Date.now() + 50;
        await expect(call(operation, { id: 't1' }, { deadline })).rejects.toMatchObject({ kind: 'deadlineExceeded' });
        await expect(call(operation, { id: 't1' }, { deadline: 1 })).rejects.toMatchObject({
          kind: 'deadlineExceeded',
        });
      }
      await client.close();
      client = patient;
    });

    test('a stream that has begun is bounded no more', async () => {
      const go = Promise.withResolvers<void>();
      running.core.answer = () => ({
        events: (async function* () {
          yield logged(chunk(1));
          await go.promise;
          yield logged(chunk(2));
        })(),
      });
      vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
      const quick = open({ timeout: 150 });
      const answer = await quick.invoke({ operation: 'SubscribeToTask', request: { id: 't1' }, context: context() });
      vi.advanceTimersByTime(300);
      go.resolve();
      expect(await collect(answer)).toHaveLength(2);
      await quick.close();
    });

    test('the deadline of a whole stream ends it, and the server gets no other deadline', async () => {
      running.core.answer = () => ({
        events: (async function* () {
          yield logged(chunk(1));
          await new Promise(() => {});
        })(),
      });
      const open = async (options: CallOptions): Promise<Reply> => {
        const own = callContext('', '', options);
        return client.invoke({ operation: 'SubscribeToTask', request: { id: 't1' }, context: own });
      };
      const controller = new AbortController();
      await open({ timeout: paced(60_000), signal: controller.signal });
      expect(running.core.last.context.deadline).toBeUndefined();
      controller.abort();
      const ended = open({ timeout: paced(60_000), deadline: Date.now() + 300 }).then(collect);
      await expect(ended).rejects.toMatchObject({ kind: 'deadlineExceeded' });
      expect(running.core.last.context.deadline).toBeGreaterThan(0);
    });

    test('nothing of a call stays with a signal that lives on', async () => {
      const { signal } = new AbortController();
      running.core.answer = () => ({ events: eventsOf([chunk(1)]) });
      let added = 0;
      const [add, remove] = [signal.addEventListener.bind(signal), signal.removeEventListener.bind(signal)];
      signal.addEventListener = (...args: Parameters<typeof add>) => {
        added++;
        add(...args);
      };
      signal.removeEventListener = (...args: Parameters<typeof remove>) => {
        added--;
        remove(...args);
      };
      await collect(await call('SubscribeToTask', { id: 't1' }, { signal }));
      running.core.answer = () => ({ value: reply as never });
      await call('SendMessage', { message }, { signal });
      await expect.poll(() => added).toBe(0);
    });

    /** A message or an artifact without parts is not one: it is read with an empty text. */
    const withParts = (value: unknown): never =>
      JSON.parse(JSON.stringify(value), (key, member) =>
        key === 'parts' && Array.isArray(member) && member.length === 0 ? [{ text: '' }] : member,
      ) as never;

    test('each operation carries any request and answer of its types', async () => {
      const v10 = versions.find((version) => version.name === 'a2a-1.0')?.api ?? expect.fail('no a2a-1.0');
      for (const { name, request, response, streaming } of v10.operations) {
        const operation = name as OperationName;
        const pair = fc.tuple(canonicalJson(v10, request, 3), canonicalJson(v10, response, 3).map(withParts));
        const property = fc.asyncProperty(pair, async ([asked, answered]) => {
          // The tenant names the agent; the rest must arrive as it is.
          const { tenant: _, ...plain } = asked;
          running.core.answer = () =>
            (streaming ? { events: eventsOf([answered]) } : { value: answered }) as unknown as Reply;
          const got = await call(operation, plain);
          expect(running.core.last.request).toEqual(plain);
          if (isStream(got)) expect((await collect(got)).map(({ event }) => event)).toEqual([answered]);
          else expect(got).toEqual({ value: answered });
        });
        await fc.assert(property, { numRuns: 8 });
      }
    });

    test('an operation that the dialect lacks is an error', async () => {
      await expect(call('Unheard' as OperationName, {})).rejects.toMatchObject({ kind: 'unsupportedOperation' });
    });
  });
}
