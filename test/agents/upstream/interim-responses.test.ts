import { expect, it } from 'vitest';
import { events, type Speech } from '../../support/hostile-agent.ts';
import { bridged, follow, tell } from './hostile-bridge.ts';

/** Agents that send interim responses (1xx) before an answer, or in place of one. */

const { task, status } = events;

it.each<Speech>(['a2a-1.0 jsonrpc', 'a2a-1.0 rest', 'a2a-1.0 grpc'])(
  'endless interim responses of an agent of %s end the call before the silence limit',
  async (speech) => {
    const { client } = await bridged(
      speech,
      [
        ({ res, h2, closed }) => {
          const timer = setInterval(() => {
            for (let i = 0; i < 10; i++) {
              if (h2 && !h2.destroyed) h2.additionalHeaders({ ':status': 103, link: '</a>; rel=preload' });
              res?.writeEarlyHints({ link: '</a>; rel=preload' });
            }
          }, 2);
          return closed.then(() => clearInterval(timer));
        },
      ],
      {},
      { silence: 3_600_000 },
    );
    await expect(client.send('go')).rejects.toMatchObject({
      kind: 'invalidAgentResponse',
      message: expect.stringMatching(/more than 100 interim responses/),
    });
  },
);

it.each<Speech>(['a2a-1.0 jsonrpc', 'a2a-1.0 grpc'])(
  'a few interim responses of an agent of %s are skipped',
  async (speech) => {
    const { agent, client } = await bridged(speech, [
      async (exchange) => {
        for (let i = 0; i < 20; i++) {
          exchange.h2?.additionalHeaders({ ':status': 103, link: '</a>; rel=preload' });
          exchange.res?.writeEarlyHints({ link: '</a>; rel=preload' });
        }
        await tell(agent, exchange)(task(), status('COMPLETED'));
        exchange.end();
      },
    ]);
    expect((await follow(client)).task.status.state).toBe('TASK_STATE_COMPLETED');
  },
);
