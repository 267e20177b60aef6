import { describe, expect, it } from 'vitest';
import { type Exchange, events, framings, type HostileAgent, type Speech } from '../../support/hostile-agent.ts';
import { vaultClient } from '../../support/vault-client.ts';
import { bounds, bridged, essence, follow, outline, servesOn, tell, wordsOf } from './hostile-bridge.ts';

/** Streams of an upstream agent that break, contain false events or never end, as a client sees them. */

const { task, status, chunk } = events;

describe('the message of an AgentVault agent in its answer to a cancellation', () => {
  /** A canceled task of such an agent. Its stream reports the end before the answer, or not at all. */
  const underWay = async (streamed: boolean) => {
    const { promise: ending, resolve: finish } = Promise.withResolvers<void>();
    const started = await bridged(
      'agentvault',
      [
        async (exchange) => {
          await tell(started.agent, exchange)(task(), status('WORKING'));
          await ending;
          await exchange.tell(status('CANCELED'));
          exchange.end();
        },
      ],
      {
        async CancelTask(exchange) {
          started.agent.happen(status('CANCELED'));
          if (streamed) {
            finish();
            await new Promise((resolve) => setTimeout(resolve, 100));
          }
          const body = { jsonrpc: '2.0', id: exchange.id, result: { success: true, message: 'Stopped for you.' } };
          exchange.res?.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
        },
      },
    );
    const stream = started.client.sendStream('go')[Symbol.asyncIterator]();
    let id = '';
    for (let next = await stream.next(); !next.done; next = await stream.next()) {
      id = next.value.task?.id ?? next.value.statusUpdate?.taskId ?? id;
      if (next.value.statusUpdate) break;
    }
    return { ...started, id, stream };
  };

  it.each([
    ['polled', false],
    ['streamed', true],
  ])(
    'the message of an AgentVault agent in its answer to a cancellation is the message of the last status of the task, which is %s',
    async (_, streamed) => {
      const { client, id, stream } = await underWay(streamed);
      const canceled = await client.cancelTask({ id });
      const last = await stream.next();
      const { status: stored } = await client.getTask({ id });
      for (const { state, message } of [canceled.status, last.value?.statusUpdate?.status ?? expect.fail(), stored]) {
        expect([state, wordsOf(message)]).toEqual(['TASK_STATE_CANCELED', 'Stopped for you.']);
      }
    },
  );

  it('the message of an AgentVault agent in its answer to a cancellation is the message of the answer to an AgentVault client', async () => {
    const { bridge, id } = await underWay(true);
    const { json } = await vaultClient(`${bridge.origin}/up/as/agentvault-0.2/`).call('tasks/cancel', { id });
    expect(json.result).toEqual({ success: true, message: 'Stopped for you.' });
  });
});

/** Begins a task and says a little. */
const begin = async (agent: HostileAgent, exchange: Exchange) => {
  await tell(agent, exchange)(task(), status('WORKING', 'On it'), chunk('one ', false));
};

/** Events that the agent produces while the gateway is disconnected. */
const miss = (agent: HostileAgent): void => {
  for (const event of [chunk('two '), chunk('three', true, true), status('COMPLETED', 'Done')]) agent.happen(event);
};

const garble = ({ res, h2 }: Exchange): void => {
  res?.end('\n\ndata: nonsense\n\n');
  h2?.end(Buffer.from([0, 0, 0, 0, 1, 0xff]));
};

describe.each(framings)('an agent of %s whose stream', (speech) => {
  it.each([
    ['is reset in mid-frame', (exchange: Exchange) => exchange.reset()],
    ['ends in mid-frame', (exchange: Exchange) => exchange.end()],
    ['ends with bytes that are no event', (exchange: Exchange) => garble(exchange)],
  ])(`a stream of an agent of ${speech} that %s is resumed`, async (_, breakOff) => {
    const { agent, bridge, client } = await bridged(speech, [
      async (exchange) => {
        await begin(agent, exchange);
        miss(agent);
        await exchange.half(chunk('two '));
        breakOff(exchange);
      },
    ]);
    const { log, task: end } = await follow(client);
    expect(essence(end)).toEqual(essence(agent.truth));
    expect(end.status.state).toBe('TASK_STATE_COMPLETED');
    // Missed events are reported as updates.
    expect(outline(log).filter((word) => word === 'task')).toHaveLength(1);
    await servesOn(bridge);
  });

  it(`an agent of ${speech} whose stream breaks off is resumed`, async () => {
    const { agent, client } = await bridged(speech, [
      async (exchange) => {
        await begin(agent, exchange);
        exchange.reset();
      },
      async (exchange) => {
        // AgentVault's streams tell of what is to come alone.
        if (speech !== 'agentvault') await exchange.tell({ task: agent.truth });
        await tell(agent, exchange)(
          chunk('two ', speech !== 'agentvault'),
          chunk('three', speech !== 'agentvault'),
          status('COMPLETED', 'Done'),
        );
        exchange.end();
      },
    ]);
    const { log, task: end } = await follow(client);
    expect(essence(end)).toEqual(essence(agent.truth));
    if (speech !== 'agentvault') {
      expect(outline(log)).toEqual(['task', 'WORKING', 'one ', 'two ', 'three', 'COMPLETED']);
      expect(agent.count('SubscribeToTask')).toBe(1);
    }
  });

  it(`an agent of ${speech} whose stream repeats events reports each once`, async () => {
    const { agent, client } = await bridged(speech, [
      async (exchange) => {
        const timestamp = '2026-01-02T03:04:05.000Z';
        const working = status('WORKING', 'On it', { timestamp });
        await tell(agent, exchange)(task(), working);
        await exchange.tell(working);
        await tell(agent, exchange)(chunk('one ', false), status('COMPLETED', 'Done'));
        await exchange.tell(status('COMPLETED', 'Done'));
        exchange.end();
      },
    ]);
    const { log, task: end } = await follow(client);
    const truth = essence(agent.truth);
    // Messages of AgentVault have no ids: what an agent says twice in one stream, it has said twice.
    const said = speech === 'agentvault' ? ['On it', 'On it', 'Done'] : truth.said;
    expect(essence(end)).toEqual({ ...truth, said });
    expect(outline(log).filter((word) => word === 'COMPLETED')).toHaveLength(1);
    // AgentVault's messages come by themselves, while it works.
    expect(outline(log).filter((word) => word === 'WORKING')).toHaveLength(speech === 'agentvault' ? 4 : 1);
  });

  it(`an agent of ${speech} whose stream continues after the end of the task changes nothing`, async () => {
    const { agent, client } = await bridged(speech, [
      async (exchange) => {
        await begin(agent, exchange);
        await tell(agent, exchange)(status('COMPLETED', 'Done'));
        await exchange.tell(chunk('four'));
        await exchange.tell(status('WORKING'));
        await exchange.tell(status('FAILED', 'After all'));
        exchange.end();
      },
    ]);
    const { log, task: end } = await follow(client);
    expect(outline(log).at(-1)).toBe('COMPLETED');
    expect(essence(end)).toEqual(essence(agent.truth));
  });

  it(`an agent of ${speech} whose stream contains events of another task ignores them`, async () => {
    const { agent, client } = await bridged(speech, [
      async (exchange) => {
        await begin(agent, exchange);
        const other = { taskId: 'theirs-2', contextId: 'other' };
        const { statusUpdate } = status('FAILED', 'Not yours');
        const { artifactUpdate } = chunk('not yours', false);
        if (statusUpdate) await exchange.tell({ statusUpdate: { ...statusUpdate, ...other } });
        if (artifactUpdate) await exchange.tell({ artifactUpdate: { ...artifactUpdate, ...other } });
        await tell(agent, exchange)(status('COMPLETED', 'Done'));
        exchange.end();
      },
    ]);
    const { task: end } = await follow(client);
    expect(end.status.state).toBe('TASK_STATE_COMPLETED');
    expect(essence(end)).toEqual(essence(agent.truth));
  });

  it(`an agent of ${speech} whose stream reports an earlier state ignores it`, async () => {
    const { agent, client } = await bridged(speech, [
      async (exchange) => {
        await begin(agent, exchange);
        await exchange.tell(status('SUBMITTED'));
        await tell(agent, exchange)(chunk('two', speech !== 'agentvault'), status('COMPLETED', 'Done'));
        exchange.end();
      },
    ]);
    const { log, task: end } = await follow(client);
    expect(outline(log).lastIndexOf('SUBMITTED')).toBeLessThan(outline(log).indexOf('WORKING'));
    expect(essence(end)).toEqual(essence(agent.truth));
  });

  it.each(['2020-01-01T00:00:00.000Z', '2031-12-31T00:00:00.000Z'])(
    `an agent of ${speech} whose stream has times of a wrong clock keeps them, and the log has the time of the gateway: %s`,
    async (timestamp) => {
      const { agent, client } = await bridged(speech, [
        async (exchange) => {
          await tell(agent, exchange)(
            task(),
            status('WORKING', 'On it', { timestamp }),
            chunk('one ', false),
            status('COMPLETED', 'Done', { timestamp }),
          );
          exchange.end();
        },
      ]);
      const before = Date.now();
      const { log, task: end } = await follow(client);
      expect(essence(end)).toEqual(essence(agent.truth));
      expect(end.status.timestamp).toBe(timestamp);
      // The gateway's own clock is what its log goes by.
      for (const { at } of log) expect(at).toBeGreaterThanOrEqual(before);
    },
  );
});

/**
 * Deadlines, polls and restarts are the gateway's own, whatever the agent speaks: those above show that each dialect reports what they
 * need. One agent has streams that can be resumed, the other has not.
 */
describe.each<Speech>(['a2a-1.0 jsonrpc', 'agentvault'])('an agent of %s whose stream', (speech) => {
  it(`an agent of ${speech} whose stream breaks off after every event is polled instead`, async () => {
    let minute = 10;
    const again = async (exchange: Exchange): Promise<void> => {
      if (speech !== 'agentvault') await exchange.tell({ task: agent.truth });
      minute += 1;
      await exchange.tell(status('WORKING', undefined, { timestamp: `2026-01-02T03:${minute}:05.000Z` }));
      exchange.reset();
    };
    const { agent, client } = await bridged(
      speech,
      [
        async (exchange) => {
          await begin(agent, exchange);
          exchange.reset();
        },
        again,
      ],
      {
        GetTask: (exchange) => {
          if (agent.count('GetTask') === 8) miss(agent);
          exchange.answer(agent.truth);
        },
      },
    );
    const { log, task: end } = await follow(client);
    expect(end.status.state).toBe('TASK_STATE_COMPLETED');
    // The gateway polls instead, which costs the agent less; a new time alone is not an event.
    expect(agent.count('SubscribeToTask')).toBeLessThan(6);
    // Once by the stream and once by the poll, for its time; AgentVault's messages are events of their own.
    const reported = outline(log).filter((word) => word === 'WORKING');
    expect(reported.length).toBeLessThanOrEqual(speech === 'agentvault' ? 3 : 2);
  });

  it(`an agent of ${speech} whose stream ends early is polled until the task ends`, async () => {
    const { agent, client } = await bridged(
      speech,
      [
        async (exchange) => {
          await begin(agent, exchange);
          exchange.end();
        },
      ],
      {
        GetTask: [
          (exchange) => exchange.answer(agent.truth),
          (exchange) => {
            miss(agent);
            exchange.answer(agent.truth);
          },
        ],
      },
    );
    const { task: end } = await follow(client);
    expect(end.status.state).toBe('TASK_STATE_COMPLETED');
    expect(essence(end)).toEqual(essence(agent.truth));
  });

  it(`an agent of ${speech} whose stream falls silent fails the task when the agent does not answer either`, async () => {
    const { agent, bridge, client } = await bridged(
      speech,
      [(exchange) => begin(agent, exchange)],
      { GetTask: () => undefined },
      { silence: 150 },
    );
    const { task: end } = await follow(client);
    expect(end.status.state).toBe('TASK_STATE_FAILED');
    expect(wordsOf(end.status.message)).toMatch(/did not|no sign of life/);
    expect(end.artifacts).toHaveLength(1);
    await servesOn(bridge);
  });

  it(`an agent of ${speech} whose stream falls silent is polled while the agent works`, async () => {
    const { agent, client } = await bridged(
      speech,
      [(exchange) => begin(agent, exchange)],
      {
        GetTask: [
          (exchange) => exchange.answer(agent.truth),
          (exchange) => {
            miss(agent);
            exchange.answer(agent.truth);
          },
        ],
      },
      { silence: 200 },
    );
    const { task: end } = await follow(client);
    expect(essence(end)).toEqual(essence(agent.truth));
    expect(end.status.state).toBe('TASK_STATE_COMPLETED');
  });

  it(`an agent of ${speech} whose stream never begins fails the call or the task`, async () => {
    const { bridge, client } = await bridged(speech, [() => undefined], { GetTask: () => undefined }, { silence: 200 });
    const outcome = await client.send('go').catch((error: Error) => error);
    if (outcome instanceof Error) expect(outcome).toMatchObject({ kind: 'upstreamTimeout' });
    else {
      expect(outcome.task?.status.state).toBe('TASK_STATE_FAILED');
      expect(wordsOf(outcome.task?.status.message)).toMatch(/did not|no sign of life/);
    }
    await servesOn(bridge);
  });

  it(`an agent of ${speech} whose stream breaks off because the agent stopped fails the task`, async () => {
    const { agent, bridge, client } = await bridged(speech, [
      async (exchange) => {
        await begin(agent, exchange);
        await agent.stop();
      },
    ]);
    const { task: end } = await follow(client);
    expect(end.status.state).toBe('TASK_STATE_FAILED');
    expect(wordsOf(end.status.message)).toMatch(/cannot be reached/);
    expect(essence(end).artifacts).toEqual(['one ']);
    await expect(client.send('hello')).rejects.toMatchObject({ kind: 'upstreamUnreachable' });
    const ready = await fetch(`${bridge.origin}/readyz`);
    expect([ready.status, await ready.json()]).toMatchObject([200, { agents: { up: { state: 'unreachable' } } }]);
    await servesOn(bridge);
  });

  /** Ends the task soon where it has crashed, and never where only `silence` ends it. */
  const unlimited = {
    silence: 3_600_000,
    bounds: { ...bounds, attempts: Number.POSITIVE_INFINITY, call: 200, restart: 300 },
  };

  const away = /^The upstream agent cannot be reached at the moment: [^:]+$/;
  const mute = /did not answer within \d+ ms/;

  it.each([
    ['breaks off with the agent', (exchange: Exchange) => exchange.reset(), away],
    ['ends with the agent', (exchange: Exchange) => exchange.end(), away],
    ['breaks off, and whose agent answers no more', (exchange: Exchange) => exchange.reset(), mute],
    ['ends, and whose agent answers no more', (exchange: Exchange) => exchange.end(), mute],
  ] as const)(
    `a stream of an agent of ${speech} that %s fails soon although silence is long, and says once why`,
    async (_, end, why) => {
      const { agent, client } = await bridged(
        speech,
        [
          async (exchange) => {
            await begin(agent, exchange);
            end(exchange);
            if (why === away) await agent.stop();
          },
        ],
        { GetTask: () => undefined },
        unlimited,
      );
      const { task: failed } = await follow(client);
      expect(failed.status.state).toBe('TASK_STATE_FAILED');
      expect(wordsOf(failed.status.message)).toMatch(why);
    },
  );

  it(`an agent of ${speech} whose stream breaks off because the agent restarts is resumed`, async () => {
    const { agent, client } = await bridged(
      speech,
      [
        async (exchange) => {
          await begin(agent, exchange);
          await agent.stop();
          miss(agent);
          await agent.start();
        },
      ],
      {},
      { bounds: { ...bounds, attempts: 10 } },
    );
    const { task: end } = await follow(client);
    expect(essence(end)).toEqual(essence(agent.truth));
    expect(end.status.state).toBe('TASK_STATE_COMPLETED');
  });

  it(`an agent of ${speech} whose stream never ends is read until the client cancels the task`, async () => {
    const { agent, bridge, client } = await bridged(
      speech,
      [
        async (exchange) => {
          await begin(agent, exchange);
          let gone = false;
          void exchange.closed.then(() => {
            gone = true;
          });
          for (let i = 0; !gone && agent.count('CancelTask') === 0; i += 1) {
            await Promise.race([exchange.tell(chunk(`${i} `)), exchange.closed]);
            // One of them without any pause: who waits for others must not wait for the end of this.
            if (speech !== 'agentvault') await new Promise((resolve) => setImmediate(resolve));
          }
          await Promise.race([exchange.tell(status('CANCELED', 'Stopped')), exchange.closed]);
          exchange.end();
        },
      ],
      {
        CancelTask: (exchange) => {
          agent.happen(status('CANCELED', 'Stopped'));
          exchange.answer(agent.truth);
        },
      },
      { silence: 3_600_000 },
    );
    let id = '';
    let seen = 0;
    for await (const event of client.sendStream('go')) {
      id ||= event.task?.id ?? event.statusUpdate?.taskId ?? '';
      seen += 1;
      if (seen === 50) break;
    }
    // Others are served meanwhile.
    await servesOn(bridge);
    expect((await client.getTask({ id })).status.state).toBe('TASK_STATE_WORKING');
    const answer = await client.cancelTask({ id });
    expect(answer.status.state).toBe('TASK_STATE_CANCELED');
    expect((await client.getTask({ id })).status.state).toBe('TASK_STATE_CANCELED');
  });
});
