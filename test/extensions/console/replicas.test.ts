import { beforeAll, describe, test } from 'vitest';
import { callsOf } from '../../support/admin.ts';
import { noBrowser } from '../../support/browser.ts';
import { consoleDeadline, openConsole } from '../../support/console.ts';
import { sharedPostgres } from '../../support/postgres.ts';
import { startReplica } from '../../support/replicas.ts';

describe.skipIf(noBrowser !== undefined)('the view of replicas', () => {
  beforeAll(sharedPostgres);

  test('a replica that stops is shown as draining by the other one until it has ended, and then not as vanished', {
    timeout: consoleDeadline,
  }, async () => {
    const database = await (await sharedPostgres()).migrated();
    const one = await startReplica(database, 'one');
    const other = await startReplica(database, 'other');
    await using opened = await openConsole({ at: one.url });
    const { page, goto } = opened;
    await goto('#/gateway?view=replicas');
    const row = page
      .getByRole('table', { name: 'Replicas', exact: true })
      .getByRole('row')
      .filter({ hasText: 'other/' });
    await row.getByText('Alive').waitFor();
    await goto('#/metrics');
    await page.getByText(/those that run have them since /).waitFor();
    await goto('#/gateway?view=replicas');
    const { id } = await callsOf(`${other.url}/demo`).send('wait');
    const closed = other.gateway.close({ drainMs: 600_000 });
    await row.getByText('Draining').waitFor();
    await page.getByRole('main').locator('footer').getByText('1 draining').waitFor();
    await callsOf(`${one.url}/demo`).post(`/tasks/${id}:cancel`, {});
    await closed;
    await row.waitFor({ state: 'detached' });
    await goto('#/agents');
    await page.getByRole('region', { name: 'Waiting for you' }).getByText('nothing').waitFor();
  });
});
