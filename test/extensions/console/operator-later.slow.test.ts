import { readFileSync } from 'node:fs';
import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { askAdmin } from '../../support/admin.ts';
import { noBrowser, openPage, sharedBrowser, violationsOf, type WatchedPage } from '../../support/browser.ts';
import { builtConsole } from '../../support/console.ts';
import {
  type CallerName,
  keyOf,
  type Operated,
  Operator,
  type SendOptions,
  startOperated,
} from '../../support/operator.ts';
import { paced } from '../../support/pace.ts';

const [starting, timeoutMs] = [paced(240_000), paced(120_000)];
const soon = { timeout: paced(60_000) };
const asOperator = { 'x-api-key': keyOf('operator') };
const twentyMinutes = 20 * 60_000;
/** The age of things of before these minutes. */
const minutesAgo = /^2\d min ago$/;

const more = `
  planner: { kind: module, path: ${JSON.stringify(new URL('../../support/agents/delegating-agent.ts', import.meta.url).pathname)} }
calls: { slow: 1s }
limits: { requestsPerMinute: 400 }
registration: { allow: true }
`;

/** Requests and tasks of one agent or one caller, as a client counts them. */
interface Counts {
  calls: number;
  failed: number;
  refused: number;
  tasks: number;
  failedTasks: number;
}

/** The truth about an installation, which is counted where the requests are sent. */
class Truth {
  readonly of = new Map<string, Counts>();

  note(names: readonly string[], status: number, taskState: string): void {
    const isRefused = [401, 403, 429].includes(status);
    for (const name of names) {
      const counts = this.of.get(name) ?? { calls: 0, failed: 0, refused: 0, tasks: 0, failedTasks: 0 };
      this.of.set(name, counts);
      if (isRefused) counts.refused += 1;
      else counts.calls += 1;
      if (!isRefused && status >= 400) counts.failed += 1;
      if (/COMPLETED|FAILED/.test(taskState)) counts.tasks += 1;
      if (/FAILED/.test(taskState)) counts.failedTasks += 1;
    }
  }

  get(name: string): Counts {
    const counts = this.of.get(name);
    if (!counts) throw new Error(`nothing was counted of ${name}`);
    return counts;
  }
}

describe.skipIf(noBrowser !== undefined)(
  'an operator twenty minutes after one of two replicas was killed and the other one restarted',
  () => {
    let operated: Operated;
    let watched: WatchedPage;
    let page: Page;
    let operator: Operator;
    const truth = new Truth();
    /** Time of day and request id of the call that a client asks about. */
    let asked = { time: '', requestId: '' };
    const times = { starting: 0, began: 0, killed: 0, restarted: 0 };

    const send = async (caller: CallerName, agent: string, text: string, options: SendOptions = {}) => {
      const sent = await operated.send(agent, text, { caller, ...options });
      truth.note([`agent ${agent}`, `key:${caller}`], sent.status, sent.task.status?.state ?? '');
      return sent;
    };

    /** Good, failing, slow and refused calls of all callers, by turns over the replicas that there are. */
    const traffic = async (from: number): Promise<void> => {
      for (let at = from; at < from + 8; at += 1) {
        await send('alice', 'shop', `buy ${at}`);
        await send('alice', 'archive', `keep ${at}`);
        await send('bob', 'shop', `pay ${10_000 + at}`);
      }
      await send('bob', 'shop', 'ship 1');
      await send('carol', 'archive', 'slow 1100');
      for (let at = 0; at < 4; at += 1) await send('clerk', 'archive', 'let me in');
    };

    /** Sends more requests at once than a caller may send in a minute. */
    const hammer = async (replica: number): Promise<void> => {
      const requests = Array.from({ length: 450 }, async () => {
        const headers = { 'a2a-version': '1.0', 'x-api-key': keyOf('crawler') };
        const response = await fetch(`${operated.replicas[replica]}/archive/tasks?pageSize=1`, { headers });
        await response.text();
        truth.note(['agent archive', 'key:crawler'], response.status, '');
      });
      await Promise.all(requests);
    };

    /** Waits until the replicas have written what they counted. */
    const written = (replica: number) => askAdmin(operated.replicas[replica] ?? '', 'ListNumbers', {}, asOperator);

    beforeAll(async () => {
      await builtConsole();
      times.starting = Date.now();
      operated = await startOperated({ isNew: true, more });
      times.began = Date.now();
      const browser = await sharedBrowser();
      watched = await openPage(browser, new URL(operated.proxy.url).origin, {
        ignoreHTTPSErrors: true,
        viewport: { width: 1280, height: 800 },
      });
      ({ page } = watched);
      page.context().setDefaultTimeout(soon.timeout);
      // Time goes on in the page as it does for the gateway, until both are set ahead.
      await page.clock.install();
      await page.goto(`${operated.proxy.url}/console/#key=${keyOf('operator')}`);
      await page.getByRole('table', { name: 'Agents' }).waitFor();
      operator = new Operator(page);

      await traffic(0);
      await hammer(0);
      await hammer(1);
      const { status, requestId } = await send('carol', 'carrier', 'bring it');
      expect(status).toBe(502);
      asked = { time: new Date().toTimeString().slice(0, 8), requestId };
      await send('alice', 'shop', 'buy with a hook', {
        configuration: { taskPushNotificationConfig: { url: `${operated.receiver.url}/hook` } },
      });
      await operated.receiver.until((got) => got.length > 0);
      await written(1);
      times.killed = Date.now();
      await operated.kill(1);
      await operated.restart(1);
      await traffic(100);
      await operated.restart(0);
      times.restarted = Date.now();
      await traffic(200);
      await written(0);
      await operated.later(twentyMinutes);
      await page.clock.fastForward(twentyMinutes);
    }, starting);

    afterAll(async () => {
      await watched?.[Symbol.asyncDispose]();
      await operated?.[Symbol.asyncDispose]();
    }, timeoutMs);

    beforeEach(async () => {
      watched.problems.length = 0;
      await operator?.begin();
    });

    const rowsOf = (table: string) => page.getByRole('table', { name: table, exact: true }).getByRole('row');

    /** A row's cell below the title of a column. */
    const cellOf = async (table: string, row: Locator, column: string): Promise<Locator> => {
      const headers = rowsOf(table).first().getByRole('columnheader');
      await headers.getByText(column, { exact: true }).waitFor();
      const titles = await headers.allInnerTexts();
      return row.getByRole('cell').nth(titles.findIndex((title) => title.trim() === column));
    };

    /** Waits until cells of a row have these texts. */
    const shows = async (
      table: string,
      row: Locator,
      texts: Readonly<Record<string, string | RegExp>>,
    ): Promise<void> => {
      for (const [column, text] of Object.entries(texts)) {
        await (await cellOf(table, row, column)).getByText(text, { exact: true }).waitFor();
      }
    };

    const figuresOf = ({ calls, failed, refused, tasks, failedTasks }: Counts): Record<string, string> => ({
      'Failed tasks': tasks === 0 ? '–' : `${failedTasks} of ${tasks}`,
      'Failed calls': calls === 0 ? '–' : `${failed} of ${calls}`,
      Refused: `${refused} of ${calls + refused}`,
    });

    /** Matches each time of day between two times, as pages show it after some words. */
    const between = (words: string, from: number, until: number): RegExp => {
      const minutes = new Set<string>();
      for (let time = from; time < until + 60_000; time += 60_000)
        minutes.add(new Date(Math.min(time, until)).toTimeString().slice(0, 5));
      return new RegExp(`${words}(${[...minutes].join('|')})`);
    };

    test('the first page counts what the clients count, over all replicas that there were, and says since when', {
      timeout: timeoutMs,
    }, async () => {
      for (const agent of ['shop', 'archive', 'carrier']) {
        const row = rowsOf('Agents').filter({ has: page.getByRole('link', { name: agent, exact: true }) });
        await shows('Agents', row, figuresOf(truth.get(`agent ${agent}`)));
      }
      const line = page.getByText(/^The numbers cover 1 h until /);
      await line.getByText(between('kept since ', times.starting, times.began)).waitFor();
      expect(operator.clicks).toBe(0);
      expect(await violationsOf(page)).toEqual([]);
    });

    test('an operator reads on the first page which agent fails most, why, since when and for whom', {
      timeout: timeoutMs,
    }, async () => {
      const failing = rowsOf('Agents').nth(1);
      await failing.getByRole('link', { name: 'carrier', exact: true }).waitFor();
      const paid = rowsOf('Reasons').filter({ hasText: 'payment provider answered 402 for order …' });
      await shows('Reasons', paid, {
        Tasks: '24 ×',
        Agent: 'shop',
        Callers: 'key:bob 24',
        First: minutesAgo,
        Latest: minutesAgo,
      });
      expect(operator.clicks).toBe(0);
    });

    test('a number of the first page opens exactly the tasks that it counts, twenty minutes later', {
      timeout: timeoutMs,
    }, async () => {
      const { failedTasks, tasks } = truth.get('agent shop');
      await operator.link(`${failedTasks} of ${tasks}`);
      await page.getByText(`${failedTasks} tasks`, { exact: true }).waitFor();
      expect(operator.clicks).toBe(1);
    });

    test('an operator finds why a client got 502 twenty minutes ago', { timeout: timeoutMs }, async () => {
      await operator.link('Calls');
      await page.getByLabel('Around').fill(asked.time);
      await operator.button('Failed');
      await operator.click(operator.rows('502').getByRole('link'));
      await page.getByRole('heading', { level: 1, name: `Call ${asked.requestId}` }).waitFor();
      await page
        .getByRole('alert')
        .getByText(/connection refused/)
        .waitFor();
      await page.getByText('key:carol').first().waitFor();
      expect(operator.clicks).toBe(3);
      expect(await violationsOf(page)).toEqual([]);
    });

    test('a slow call of twenty minutes ago is found, also one of the replica that was killed', {
      timeout: timeoutMs,
    }, async () => {
      await operator.link('Calls');
      await operator.button('Slow');
      await operator.rows('key:carol').nth(2).waitFor();
      expect(operator.clicks).toBe(2);
    });

    test('an operator reads who calls most, and whose requests are refused, and opens exactly these', {
      timeout: timeoutMs,
    }, async () => {
      await operator.click(page.getByRole('link', { name: 'Gateway', exact: true }));
      for (const caller of ['key:alice', 'key:bob', 'key:carol', 'key:clerk', 'key:crawler']) {
        const row = rowsOf('Callers').filter({ has: page.getByText(caller, { exact: true }) });
        const counts = truth.get(caller);
        await shows('Callers', row, {
          Calls: `${counts.calls}`.replace(/(?=...$)/, counts.calls > 999 ? ',' : ''),
          ...figuresOf(counts),
        });
      }
      await rowsOf('Callers').nth(1).getByText('key:crawler').waitFor();
      expect(operator.clicks).toBe(1);
      const { calls, refused } = truth.get('key:clerk');
      await operator.click(
        rowsOf('Callers')
          .filter({ hasText: 'key:clerk' })
          .getByRole('link', { name: `${refused} of ${calls + refused}`, exact: true }),
      );
      await page.getByText(`${refused} calls`, { exact: true }).waitFor();
      await operator.rows('403').first().waitFor();
    });

    test('a replica that was killed stays on the first page until an operator has seen it', {
      timeout: timeoutMs,
    }, async () => {
      const line = page.getByRole('region', { name: 'Waiting for you' });
      await operator.click(line.getByRole('link', { name: '1 vanished replica' }));
      const lost = page.getByRole('region', { name: 'Vanished replicas', exact: true });
      // A replica writes every ten seconds that it is alive, and may be late.
      await lost
        .getByText(between('', times.killed - 60_000, times.killed))
        .first()
        .waitFor();
      await operator.click(lost.getByRole('button', { name: 'Seen' }));
      await lost.waitFor({ state: 'detached' });
      expect(operator.clicks).toBe(2);
      await operator.begin();
      await line.getByText('vanished').waitFor({ state: 'detached' });
    });

    test('an operator retries tasks that failed twenty minutes ago, all that failed for one reason', {
      timeout: timeoutMs,
    }, async () => {
      await operator.click(rowsOf('Reasons').getByRole('link', { name: '24 ×' }));
      await operator.button('Select all that match');
      await page.getByText('24 tasks selected').waitFor();
      await operator.button('Retry');
      const dialog = page.getByRole('dialog', { name: 'Retry 24 tasks?' });
      await dialog.getByText('The first message of 24 tasks is sent again').waitFor();
      expect(operator.clicks).toBe(3);
      await operator.confirm('Retry');
      await page.getByText('24 of 24 retried.').waitFor();
      await operator.begin();
      const paid = rowsOf('Reasons').filter({ hasText: 'payment provider answered 402 for order …' });
      await shows('Reasons', paid, { Tasks: '48 ×', First: minutesAgo, Latest: /^(now|\d+ s ago)$/ });
    });

    test('an operator retries a receiver that has refused events', { timeout: timeoutMs }, async () => {
      const before = operated.receiver.got.length;
      await operator.click(
        page.getByRole('region', { name: 'Waiting for you' }).getByRole('link', { name: '1 dead letter' }),
      );
      await operator.click(rowsOf('Receivers').getByRole('button', { name: 'Retry this receiver' }));
      expect(operator.clicks).toBe(2);
      await operator.confirm('Retry now');
      await page.getByText('Push configurations that are tried again now: 1.').waitFor();
      await operated.receiver.until((got) => got.length > before);
    });

    test('an operator stops a tree of tasks', { timeout: timeoutMs }, async () => {
      await send('alice', 'planner', 'archive wait', { configuration: { returnImmediately: true } });
      await operator.link('Tasks');
      await operator.click(operator.rows('archive wait').getByRole('link'));
      await operator.button('Stop tree');
      const dialog = page.getByRole('dialog');
      await dialog.getByLabel('Reason').fill('it spends too much');
      expect(operator.clicks).toBe(3);
      await operator.confirm('Stop tree');
      await page.getByText('it spends too much').first().waitFor();
      await page.getByText('Canceled').first().waitFor();
      await operator.begin();
      await page.getByRole('region', { name: 'Waiting for you' }).getByRole('link', { name: '1 stop' }).waitFor();
    });

    test('an operator approves an agent that waits for it', { timeout: timeoutMs }, async () => {
      const [url] = operated.replicas;
      await askAdmin(url, 'RegisterAgent', { name: 'guest', url: operated.far }, asOperator);
      await operator.click(page.getByRole('link', { name: '1 agent to approve' }));
      await operator.click(page.getByRole('checkbox', { name: 'Select all' }));
      await operator.button('Approve');
      expect(operator.clicks).toBe(3);
      await operator.confirm('Approve');
      await page.getByText('1 of 1 cards approved.').waitFor();
      await operator.begin();
      await page.getByRole('link', { name: 'guest', exact: true }).waitFor();
    });

    test('an operator exports tasks of replicas that are gone', { timeout: timeoutMs }, async () => {
      await operator.click(rowsOf('Reasons').filter({ hasText: 'no courier' }).getByRole('link').first());
      await operator.click(page.getByRole('checkbox', { name: 'Select all' }));
      await page.getByText('3 tasks selected').waitFor();
      const downloaded = page.waitForEvent('download');
      await operator.button('Export');
      expect(operator.clicks).toBe(3);
      expect(JSON.parse(readFileSync(await (await downloaded).path(), 'utf8'))).toHaveLength(3);
    });
  },
);
