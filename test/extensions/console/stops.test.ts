import { describe, expect, test } from 'vitest';
import { askAdmin, callsOf } from '../../support/admin.ts';
import { noBrowser } from '../../support/browser.ts';
import { consoleDeadline, openConsole } from '../../support/console.ts';

describe.skipIf(noBrowser !== undefined)('stopping in the console', () => {
  test('an agent, a tree and a caller are stopped with a reason, and that is undone', {
    timeout: consoleDeadline,
  }, async () => {
    await using opened = await openConsole({ config: 'agents: { demo: { kind: reference } }\ndefaultAgent: demo\n' });
    const { page, goto, gateway } = opened;
    const calls = callsOf(gateway.url);
    const stops = async () =>
      ((await askAdmin(gateway.url, 'ListStops', {})).stops ?? []).map(({ kind, subject, reason }) =>
        [kind, subject, reason].join(' '),
      );
    const dialog = page.getByRole('dialog');
    const stop = async (label: string, within = page.locator('body')): Promise<void> => {
      await within.getByRole('button', { name: label }).click();
      expect(await dialog.getByRole('button', { name: label }).isDisabled()).toBe(true);
      await dialog.getByLabel('Reason').fill('too dear');
      await dialog.getByRole('button', { name: label }).click();
      await dialog.waitFor({ state: 'hidden' });
    };
    const undo = async (within = page.locator('body')): Promise<void> => {
      await within.getByRole('button', { name: 'Undo the stop' }).click();
      await dialog.getByRole('button', { name: 'Undo the stop' }).click();
      await dialog.waitFor({ state: 'hidden' });
    };
    const { id } = await calls.send('wait');

    await goto('#/agents/demo');
    await stop('Stop agent');
    await page.getByText('too dear').waitFor();
    expect(await stops()).toEqual(['agent demo too dear']);
    await page.getByRole('link', { name: '1 stopped' }).waitFor();
    await opened.screenshot('stops-agent');
    await undo();
    expect(await stops()).toEqual([]);

    await expect
      .poll(async () => (await askAdmin(gateway.url, 'InspectTask', { key: id })).summary?.state)
      .toBe('TASK_STATE_CANCELED');
    const { id: other } = await calls.send('wait');
    await goto(`#/tasks/${other}`);
    await stop('Stop tree');
    await page.getByText('Undo the stop').waitFor();
    expect(await stops()).toEqual([`root ${other} too dear`]);
    await undo();

    await goto('#/gateway?view=callers');
    const row = page.getByRole('row').filter({ hasText: 'anonymous' });
    await stop('Stop caller', row);
    expect(await stops()).toEqual(['caller anonymous too dear']);
    await opened.screenshot('stops-callers');
    await goto('#/gateway?view=stops');
    await page.getByText('too dear').waitFor();
    await opened.screenshot('stops-list');
    await undo(page.getByRole('row').filter({ hasText: 'anonymous' }));
    await page.getByText('Nothing is stopped').waitFor();
    expect(await stops()).toEqual([]);
  });
});
