import { readdirSync } from 'node:fs';
import { sep } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createDialects } from '../../src/dialects/kernel/registry.ts';
import { type TranslateOptions, translateFrame } from '../../src/dialects/translate/index.ts';
import { browserDeadline, noBrowser, openBrowser, openPage, violationsOf } from '../support/browser.ts';
import { goldenDialects, goldensOf, statedOf, textOf, withoutMadeUp } from '../support/golden.ts';
import { builtSite, serveFolder, siteDeadline } from '../support/site.ts';

if (noBrowser) console.log(`skipped: ${noBrowser}`);

const widths = [360, 1280];
const schemes = ['light', 'dark'] as const;

describe.skipIf(noBrowser)('the site in a browser', () => {
  let folder: string;
  let site: Awaited<ReturnType<typeof serveFolder>>;
  let browser: Browser;
  beforeAll(async () => {
    [folder, browser] = await Promise.all([builtSite(), openBrowser()]);
    site = await serveFolder(folder);
  }, siteDeadline + browserDeadline);
  afterAll(async () => {
    await browser?.close();
    await site?.[Symbol.asyncDispose]();
  });

  test('every page loads, from this origin alone, and without an error', async () => {
    const paths = readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((path) => path.split(sep).join('/'));
    const pages = paths.filter((path) => path.endsWith('.html') && path !== '404.html');
    const found: string[] = [];
    // Two at a time, since loading is mostly waiting.
    const visit = async (some: readonly string[]): Promise<void> => {
      await using opened = await openPage(browser, site.url);
      for (const path of some) {
        await opened.page.goto(`/${path}`, { waitUntil: 'load' });
        if ((await opened.page.locator('h1').count()) !== 1) found.push(`${path}: not one h1`);
        if (await widerThanWindow(opened.page)) found.push(`${path}: wider than the window`);
        found.push(...opened.problems.splice(0).map((problem) => `${path}: ${problem}`));
      }
    };
    const half = Math.ceil(pages.length / 2);
    await Promise.all([visit(pages.slice(0, half)), visit(pages.slice(half))]);
    expect(found).toEqual([]);
    expect(pages.length).toBeGreaterThan(30);
  }, 60_000);

  describe.each(widths)('%i pixels wide', (width) => {
    test.each(schemes)(
      'axe finds nothing in the %s layouts',
      async (colorScheme) => {
        await using opened = await openPage(browser, site.url, { viewport: { width, height: 900 }, colorScheme });
        const { page, problems } = opened;
        const found: string[] = [];
        for (const path of ['/', '/guides/agents.html', '/reference/errors.html', '/playground.html']) {
          await page.goto(path, { waitUntil: 'load' });
          if (path === '/playground.html') await page.locator('.result').first().waitFor();
          found.push(...(await violationsOf(page)).map((violation) => `${path}: ${violation}`));
          if (await widerThanWindow(page)) found.push(`${path}: wider than the window`);
        }
        await page.locator('#local-search button').click();
        await page.locator('.VPLocalSearchBox input').fill('stream');
        await page.locator('.VPLocalSearchBox .result').first().waitFor();
        found.push(...(await violationsOf(page)).map((violation) => `search: ${violation}`));
        expect([...found, ...problems]).toEqual([]);
      },
      30_000,
    );
  });

  describe('the playground', () => {
    const open = async (hash = '') => {
      const opened = await openPage(browser, site.url, { permissions: ['clipboard-read', 'clipboard-write'] });
      await opened.page.goto(`/playground.html${hash}`);
      await opened.page.locator('.result').first().waitFor();
      return opened;
    };
    const status = (page: Page) => page.locator('#playground-status');
    const frameOf = (page: Page, dialect: string) => page.locator(`[id="frame-${dialect}"]`);

    test('translates every golden frame as the command does', async () => {
      await using opened = await openPage(browser, site.url);
      const { page, problems } = opened;
      const started = page.waitForEvent('worker');
      await page.goto('/playground.html');
      const url = (await started).url();
      const dialects = createDialects();
      for (const dialect of goldenDialects) {
        const goldens = goldensOf(dialect);
        const questions = goldens.flatMap((golden) => {
          const text = textOf(golden);
          return [
            { text, options: statedOf(dialect, golden) as TranslateOptions },
            { text, options: {} },
          ];
        });
        const answers = await page.evaluate(answersOf, { url, questions });
        const expected = questions.map(({ text, options }) => {
          try {
            return { translation: translateFrame(dialects, text, options) };
          } catch (thrown) {
            return { error: (thrown as Error).message };
          }
        });
        expect(answers.map(withoutMadeUp)).toEqual(expected.map(withoutMadeUp));
      }
      expect(problems).toEqual([]);
    }, 60_000);

    test('detects a pasted frame, and shows what becomes of it', async () => {
      await using opened = await open();
      const { page, problems } = opened;
      const message = { messageId: 'm1', role: 'ROLE_USER', parts: [{ text: 'hi', metadata: { a: 1 } }] };
      await page.getByLabel('Frame', { exact: true }).fill(JSON.stringify(message));
      await status(page).getByText('Read as message in a2a-1.0 over JSON-RPC.').waitFor();
      const vault = page.getByRole('region', { name: 'agentvault-0.2', exact: true });
      expect(JSON.parse((await frameOf(page, 'agentvault-0.2').textContent()) ?? '')).toEqual({
        role: 'user',
        parts: [{ type: 'text', content: 'hi' }],
        metadata: null,
      });
      await vault.getByText('1 field lost').waitFor();
      expect(await vault.getByRole('listitem').first().textContent()).toMatch(
        /parts\.metadata: agentvault-0\.2 has no place for it\s*\{"a":1\}/,
      );
      const table = await vault
        .getByRole('link', { name: 'What becomes of each field in agentvault-0.2' })
        .getAttribute('href');
      expect((await page.request.get(table ?? '')).status()).toBe(200);
      expect(await page.getByText('Nothing is lost.').count()).toBeGreaterThan(1);
      await vault.getByRole('button', { name: 'Use agentvault-0.2 as the frame' }).click();
      await status(page).getByText('Read as message in agentvault-0.2 over JSON-RPC.').waitFor();
      expect(problems).toEqual([]);
    });

    test('keeps frame and choices in the address', async () => {
      await using opened = await open('#example=task-vault');
      const { page, problems } = opened;
      await status(page).getByText('Read as response of tasks/get in agentvault-0.2').waitFor();
      await page.getByLabel('Frame', { exact: true }).fill('{"id": "t1"}');
      await page.getByLabel('Dialect', { exact: true }).selectOption('a2a-0.3');
      await page.getByLabel('Method', { exact: true }).selectOption('tasks/cancel');
      await status(page).getByText('Read as params of tasks/cancel in a2a-0.3 over JSON-RPC.').waitFor();
      const address = page.url();
      expect(address).toContain('#text=%7B%22id%22');
      await page.goto('about:blank');
      await page.goto(address);
      await status(page).getByText('Read as params of tasks/cancel in a2a-0.3 over JSON-RPC.').waitFor();
      expect(await page.getByLabel('Frame', { exact: true }).inputValue()).toBe('{"id": "t1"}');
      // The address changes without a new page, as by a link in the history.
      await page.evaluate(`location.hash = '#example=send-0.3'`);
      await status(page).getByText('Read as request of message/send in a2a-0.3').waitFor();
      await page.getByRole('button', { name: 'Clear' }).click();
      await status(page).getByText('Paste a frame, or choose an example.').waitFor();
      expect(new URL(page.url()).hash).toBe('');
      expect(problems).toEqual([]);
    });

    test('shows errors in place', async () => {
      await using opened = await open('#example=send-0.3');
      const { page, problems } = opened;
      const frame = page.getByLabel('Frame', { exact: true });
      await frame.fill('{"a":');
      await page.getByRole('alert').getByText('the document is not valid JSON').waitFor();
      expect(await page.locator('.result').count()).toBe(0);
      await frame.fill('{"jsonrpc":"2.0","id":1,"method":"ListTasks","params":{}}');
      await page.getByText('Cannot be said in a2a-0.1: This dialect has no ListTasks').waitFor();
      expect(await page.getByRole('alert').count()).toBe(0);
      expect(problems).toEqual([]);
    });

    test('works with the keyboard alone', async () => {
      await using opened = await open('#example=send-1.0');
      const { page, problems } = opened;
      await page.getByLabel('Example').focus();
      const visited: string[] = [];
      for (let i = 0; i < 11; i++) {
        visited.push(await page.evaluate<string>(nameOfFocused));
        await page.keyboard.press('Tab');
      }
      expect(visited).toEqual([
        'Example',
        'Clear',
        'Frame',
        'Dialect',
        'Type',
        'Method',
        'Binding',
        'Use a2a-1.1 as the frame',
        'Copy a2a-1.1',
        'Frame in a2a-1.1',
        'Use a2a-0.3 as the frame',
      ]);
      await page.keyboard.press('Enter');
      await page.getByRole('button', { name: 'Copied a2a-0.3' }).waitFor();
      const copied = await page.evaluate<string>('navigator.clipboard.readText()');
      expect(JSON.parse(copied)).toMatchObject({ method: 'message/send' });
      expect(problems).toEqual([]);
    });

    test('takes hostile frames as text', async () => {
      await using opened = await open();
      const { page, problems } = opened;
      const frame = page.getByLabel('Frame', { exact: true });
      const script = '</pre><img src=x onerror="window.owned=1"><script>window.owned=1</script>{{ owned }}';
      const message = {
        messageId: script,
        role: 'ROLE_USER',
        parts: [{ text: script, metadata: { [script]: script } }],
      };
      await frame.fill(JSON.stringify(message));
      await status(page).getByText('Read as message in a2a-1.0').waitFor();
      expect(await frameOf(page, 'a2a-0.3').textContent()).toContain('onerror');
      expect(await page.locator('.results img, .results script').count()).toBe(0);

      await frame.fill('['.repeat(200_000));
      await page.getByRole('alert').getByText('nested too deeply').waitFor();
      await frame.fill('{"__proto__":{"owned":1},"constructor":{"prototype":{"owned":1}}}');
      await page.getByRole('alert').getByText('__proto__').waitFor();

      const large = JSON.stringify({ ...message, parts: [{ text: 'x'.repeat(5 << 20) }] });
      await frame.fill(large);
      await status(page).getByText('Read as message in a2a-1.0').waitFor({ timeout: 15_000 });
      await page.getByText('too long for the address').waitFor();
      await page.getByText('more characters are not shown').first().waitFor();
      expect((await frameOf(page, 'a2a-0.3').textContent())?.length).toBe(100_000);
      await page.getByRole('button', { name: 'Copy a2a-0.3' }).click();
      await page.getByRole('button', { name: 'Copied a2a-0.3' }).waitFor();
      expect(await page.evaluate('navigator.clipboard.readText().then((text) => text.length)')).toBeGreaterThan(
        5 << 20,
      );
      expect(await page.evaluate('[window.owned, ({}).owned].filter(Boolean)')).toEqual([]);
      expect(problems).toEqual([]);
    }, 40_000);
  });
});

/** Pages must not scroll sideways. */
const widerThanWindow = (page: Page): Promise<boolean> =>
  page.evaluate<boolean>('document.documentElement.scrollWidth > document.documentElement.clientWidth');

/** In the page: what the focused element is called. */
const nameOfFocused = `(() => {
  const { labels, ariaLabel, textContent } = document.activeElement;
  const label = labels?.[0];
  return (label?.textContent ?? ariaLabel ?? textContent).replace(/\\s+/g, ' ').trim();
})()`;

interface Answer {
  readonly id: number;
  readonly translation?: object;
  readonly error?: string;
}

interface Questions {
  readonly url: string;
  readonly questions: readonly { readonly text: string; readonly options: TranslateOptions }[];
}

/** In the page: what the worker of the playground answers. */
async function answersOf({ url, questions }: Questions): Promise<object[]> {
  // biome-ignore lint/suspicious/noExplicitAny: types of browsers are not those of tests
  const worker = new (globalThis as any).Worker(url, { type: 'module' });
  const answers: object[] = [];
  const done = Promise.withResolvers<void>();
  worker.onmessage = ({ data: { id, translation, error } }: { data: Answer }) => {
    answers[id] = error === undefined ? { translation } : { error };
    if (answers.filter(Boolean).length === questions.length) done.resolve();
  };
  worker.onerror = ({ message }: { message: string }) => done.reject(new Error(message));
  for (const [id, question] of questions.entries()) worker.postMessage({ id, ...question });
  await done.promise;
  worker.terminate();
  return answers;
}
