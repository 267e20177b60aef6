import { describe, expect, it } from 'vitest';
import type { Client } from '../../../../src/client/index.ts';
import { type Exchange, errors, events, type HostileAgent, type Speech } from '../../../support/hostile-agent.ts';
import { reaches } from '../../../support/reaches.ts';
import { bridged, essence, tell, wordsOf } from '../hostile-bridge.ts';

/** Tasks that may go on without another message from the client, and tasks that never do. */

const { task, status, chunk } = events;

const speeches: readonly Speech[] = ['a2a-1.0 jsonrpc', 'a2a-1.0 grpc'];

/** Begins a task that waits for an authorization. */
async function untilAuthorized(client: Client): Promise<string> {
  const { task: begun } = await client.send('go');
  expect(begun?.status.state).toBe('TASK_STATE_AUTH_REQUIRED');
  return begun?.id ?? expect.fail('no task');
}

const stateOf = async (client: Client, id: string): Promise<string> => (await client.getTask({ id })).status.state;

describe.each(speeches)('a task of %s that waits for an authorization', (speech) => {
  const ask = (agent: HostileAgent, exchange: Exchange) =>
    tell(agent, exchange)(task(), status('AUTH_REQUIRED', 'Please authorize'));

  it(`a task of ${speech} that waits for an authorization continues with the events of the stream that reported it`, async () => {
    const authorized = Promise.withResolvers<void>();
    const { agent, client } = await bridged(speech, [
      async (exchange) => {
        await ask(agent, exchange);
        await authorized.promise;
        await tell(agent, exchange)(status('WORKING'), chunk('done', false, true), status('COMPLETED'));
        exchange.end();
      },
    ]);
    const id = await untilAuthorized(client);
    const seen: string[] = [];
    for await (const event of client.subscribeToTask({ id })) {
      seen.push(event.task?.status.state ?? event.statusUpdate?.status.state ?? 'artifact');
      authorized.resolve();
    }
    expect(seen).toEqual(['TASK_STATE_AUTH_REQUIRED', 'TASK_STATE_WORKING', 'artifact', 'TASK_STATE_COMPLETED']);
    expect(agent.count('SubscribeToTask')).toBe(0);
    expect(essence(await client.getTask({ id }))).toEqual(essence(agent.truth));
  });

  it(`a task of ${speech} that waits for an authorization continues after the stream has ended, because the gateway polls it`, async () => {
    const { agent, client } = await bridged(speech, [
      async (exchange) => {
        await ask(agent, exchange);
        exchange.end();
      },
      (exchange) => exchange.refuse(errors.unsupported),
    ]);
    const id = await untilAuthorized(client);
    for (const event of [status('WORKING'), chunk('done', false, true), status('COMPLETED')]) agent.happen(event);
    await reaches(client, id, 'COMPLETED');
    expect(essence(await client.getTask({ id }))).toEqual(essence(agent.truth));
  });

  it(`a task of ${speech} that waits for an authorization does not fail while it waits, also when its agent is unreachable meanwhile`, async () => {
    const { agent, client } = await bridged(speech, [(exchange) => ask(agent, exchange)], {}, { silence: 100 });
    const id = await untilAuthorized(client);
    await new Promise((resolve) => setTimeout(resolve, 300));
    await agent.stop();
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(await stateOf(client, id)).toBe('TASK_STATE_AUTH_REQUIRED');
    await agent.start();
    agent.happen(status('COMPLETED'));
    await reaches(client, id, 'COMPLETED');
  });

  it(`a task of ${speech} that waits for an authorization accepts the next message of its client, and can be canceled`, async () => {
    const { agent, client } = await bridged(
      speech,
      [(exchange) => ask(agent, exchange)],
      { CancelTask: (exchange) => exchange.answer(agent.truth) },
      {},
    );
    const { SendStreamingMessage: first } = agent.script;
    agent.script = {
      ...agent.script,
      SendStreamingMessage: [
        ...[first ?? []].flat(),
        async (exchange) => {
          await exchange.tell({ task: agent.truth });
          await tell(agent, exchange)(status('WORKING', 'Thanks'), status('AUTH_REQUIRED', 'And another'));
        },
      ],
    };
    const id = await untilAuthorized(client);
    const answer = await client.send('here you are', { taskId: id });
    expect(wordsOf(answer.task?.status.message)).toBe('And another');
    agent.happen(status('CANCELED'));
    expect((await client.cancelTask({ id })).status.state).toBe('TASK_STATE_CANCELED');
  });

  it(`a task of ${speech} that waits for an authorization does not keep the gateway from stopping`, async () => {
    const { agent, bridge, client } = await bridged(speech, [(exchange) => ask(agent, exchange)]);
    await untilAuthorized(client);
    const stopped = bridge.gateway.close({ drainMs: 60_000 });
    await expect(stopped).resolves.toBeUndefined();
  });
});

describe.each<Speech>(['a2a-1.0 jsonrpc', 'agentvault'])(
  'a task of %s that the agent reports as working without end',
  (speech) => {
    it.each([
      ['on every poll', (exchange: Exchange) => exchange.end()],
      ['on a silent stream', () => undefined],
    ])(
      `a task of ${speech} that the agent reports as working without end does not fail while its agent answers, which is polled less and less: %s`,
      async (_, leave) => {
        const { agent, client } = await bridged(
          speech,
          [
            async (exchange) => {
              await tell(agent, exchange)(task(), status('WORKING'));
              leave(exchange);
            },
            (exchange) => exchange.refuse(errors.unsupported),
          ],
          {},
          { silence: 400 },
        );
        const answer = client.send('go');
        await agent.called('GetTask');
        await new Promise((resolve) => setTimeout(resolve, 1_500));
        expect(agent.count('GetTask')).toBeLessThan(20);
        agent.happen(status('COMPLETED'));
        expect((await answer).task?.status.state).toBe('TASK_STATE_COMPLETED');
      },
    );

    it(`a task of ${speech} that the agent reports as working without end fails when its agent does not answer any more`, async () => {
      const { agent, client } = await bridged(
        speech,
        [
          async (exchange) => {
            await tell(agent, exchange)(task(), status('WORKING'));
            exchange.end();
          },
          (exchange) => exchange.refuse(errors.unsupported),
        ],
        { GetTask: () => undefined },
        { silence: 400 },
      );
      const { task: end } = await client.send('go');
      expect(end?.status.state).toBe('TASK_STATE_FAILED');
      expect(wordsOf(end?.status.message)).toMatch('no sign of life for 400 ms');
    });

    it(`a task of ${speech} that the agent reports as working without end does not fail while something changes`, async () => {
      let left = 6;
      const { agent, client } = await bridged(
        speech,
        [
          async (exchange) => {
            await tell(agent, exchange)(task(), status('WORKING'));
            exchange.end();
          },
          (exchange) => exchange.refuse(errors.unsupported),
        ],
        {
          GetTask: (exchange) => {
            left -= 1;
            const timestamp = `2026-01-02T03:04:0${left}.000Z`;
            agent.happen(left > 0 ? status('WORKING', undefined, { timestamp }) : status('COMPLETED'));
            exchange.answer(agent.truth);
          },
        },
        { silence: 700 },
      );
      expect((await client.send('go')).task?.status.state).toBe('TASK_STATE_COMPLETED');
    });
  },
);
