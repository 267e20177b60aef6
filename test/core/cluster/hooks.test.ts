import { once } from 'node:events';
import { beforeAll, expect, test } from 'vitest';
import { connect } from '../../../src/client/index.ts';
import {
  type AgentContext,
  createGateway,
  createStore,
  defineAgent,
  type Principal,
  progress,
} from '../../../src/index.ts';
import { silent } from '../../support/core.ts';
import { afterTest } from '../../support/peer.ts';
import { sharedPostgres } from '../../support/postgres.ts';
import { reaches } from '../../support/reaches.ts';

/** Callers of a program's own authentication, at several gateways on one store. */

/** Cancellations that reached the agents: gateway, caller and tenant. */
const canceled: { readonly at: string; readonly principal: Principal; readonly tenant: string }[] = [];

const urls: string[] = [];

beforeAll(async () => {
  const url = await (await sharedPostgres()).database();
  for (const at of ['one', 'two']) {
    const agent = defineAgent({
      name: 'Waiter',
      description: 'Waits.',
      async *execute({ signal }) {
        yield progress('waiting');
        await once(signal, 'abort');
      },
      async cancel(_, { principal, tenant }: AgentContext) {
        canceled.push({ at, principal, tenant });
        return undefined;
      },
    });
    const gateway = createGateway({
      listen: { port: 0 },
      logger: silent,
      agents: { waiter: agent },
      store: createStore(url, { instance: at, logger: silent }),
      auth: {
        anonymous: false,
        authenticate: () => ({
          id: 'ada',
          tenants: ['acme'],
          agents: ['waiter'],
          attributes: { plan: 'gold', via: at },
        }),
      },
    });
    afterTest(() => gateway.close());
    urls.push((await gateway.listen()).url);
  }
});

test('a call that is forwarded to the owner of its task brings tenant and attributes', async () => {
  const [one, two] = await Promise.all(urls.map((url) => connect(url)));
  const { task } = (await one?.send('wait', { returnImmediately: true })) ?? {};
  const id = task?.id ?? '';
  if (two) await reaches(two, id, 'WORKING');
  expect((await two?.cancelTask({ id }))?.status.state).toBe('TASK_STATE_CANCELED');
  expect(canceled).toMatchObject([
    {
      at: 'one',
      tenant: 'acme',
      principal: {
        id: 'own:ada',
        tenants: new Set(['acme']),
        agents: new Set(['waiter']),
        attributes: { plan: 'gold', via: 'two' },
      },
    },
  ]);
  await Promise.all([one?.close(), two?.close()]);
});
