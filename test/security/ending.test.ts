import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it, vi } from 'vitest';
import { A2AError, connect } from '../../src/client/index.ts';
import { dialectBindings } from '../support/conversations.ts';
import { openGateway } from '../support/gateway.ts';
import { startIdentityProvider } from '../support/identity-provider.ts';
import { afterTest } from '../support/peer.ts';

/** A stream ends when the token that opened it expires, over any binding; the task itself goes on. */

it('streams end with the token that was shown', async () => {
  const provider = await startIdentityProvider();
  const jwt = `{ issuer: "${provider.issuer}", audience: a2a, jwksUrl: "${provider.jwksUrl}", clockTolerance: 1ms }`;
  const text = `listen: { port: 0 }\nstore: "memory:"\nauth: { anonymous: false, jwt: ${jwt} }\n`;
  const { gateway, url } = await openGateway(text);
  afterTest(() => gateway.close({ drainMs: 0 }));

  const streaming = dialectBindings.filter(({ methods }) => methods.has('SendStreamingMessage'));
  const clients = await Promise.all(
    streaming.map(async ({ as, via }) => {
      let bearer = provider.token('carol');
      const client = await connect(`${url}/as/${as}`, { as, via, bearer: () => bearer });
      afterTest(() => client.close());
      return { title: `${as} over ${via}`, client, show: (token: string) => (bearer = token) };
    }),
  );
  // The clock stands still until all of them have begun.
  vi.useFakeTimers({ toFake: ['Date'] });
  const exp = Math.floor(Date.now() / 1_000) + 1;
  let begun = 0;
  const ending = Promise.all(
    clients.map(async ({ title, client, show }) => {
      show(provider.token('carol', { exp }));
      let id = '';
      let end = 'no error';
      try {
        for await (const { task, statusUpdate } of client.sendStream('wait')) {
          if (id === '') begun += 1;
          id = task?.id ?? statusUpdate?.taskId ?? id;
        }
      } catch (thrown) {
        if (id === '') begun += 1;
        end = A2AError.from(thrown).kind;
      }
      const ended = Date.now() >= exp * 1_000;
      show(provider.token('carol'));
      const { status } = await client.getTask({ id });
      return [title, end, ended, status.state];
    }),
  );
  while (begun < clients.length) await sleep(10);
  vi.setSystemTime((exp + 1) * 1_000);
  const told = await ending;
  expect(told).toEqual(told.map(([title]) => [title, 'unauthenticated', true, 'TASK_STATE_WORKING']));
});
