import { readdirSync } from 'node:fs';
import { sep } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createDialects } from '../../src/dialects/registry.ts';
import { type TranslateOptions, translateFrame } from '../../src/dialects/translate/index.ts';
import { browserDeadline, noBrowser, openPage, sharedBrowser, violationsOf } from '../support/browser.ts';
import { goldenDialects, goldensOf, statedOf, textOf, withoutMadeUp } from '../support/golden.ts';
import { paced } from '../support/pace.ts';
import { builtSite, serveFolder, siteDeadline } from '../support/site.ts';

if (noBrowser) console.log(`skipped: ${noBrowser}`);

/** The runner prints it; `TEST_SEED=N npx vitest run test/site` takes the same pages and frames again. */
const seed = Number(process.env.TEST_SEED ?? 1);

/** One of four, by the seed: pages have the same layout, and frames the same code. The check of the site reads all pages. */
const sampled = <T>(all: readonly T[]): T[] => all.filter((_, at) => (at + seed) % Math.min(4, all.length) === 0);

describe.skipIf(noBrowser)('the site in a browser', () => {
  let folder: string;
  let site: Awaited<ReturnType<typeof serveFolder>>;
  let browser: Browser;
  beforeAll(async () => {
    [folder, browser] = await Promise.all([builtSite(), sharedBrowser()]);
    site = await serveFolder(folder);
  }, siteDeadline + browserDeadline);
  afterAll(async () => {
    await site?.[Symbol.asyncDispose]();
  });

  test(
    'a page loads, from this origin alone, and without an error',
    async () => {
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
      const some = sampled(pages);
      const half = Math.ceil(some.length / 2);
      await Promise.all([visit(some.slice(0, half)), visit(some.slice(half))]);
      expect(found).toEqual([]);
      expect(pages.length).toBeGreaterThan(30);
    },
    paced(240_000),
  );

  // Colors are the same at every width, and the layout in every color.
  test.each([
    [360, 'light'],
    [1280, 'dark'],
  ] as const)('axe finds nothing in the layouts of %i pixels, %s', async (width, colorScheme) => {
    await using opened = await openPage(browser, site.url, { viewport: { width, height: 900 }, colorScheme });
    const { page, problems } = opened;
    const found: string[] = [];
    for (const path of ['/', '/guides/agents.html', '/reference/errors.html', '/playground.html']) {
      await page.goto(path, { waitUntil: 'load' });
      if (path === '/playground.html') await page.locator('.tr-target').first().waitFor();
      found.push(...(await violationsOf(page)).map((violation) => `${path}: ${violation}`));
      if (await widerThanWindow(page)) found.push(`${path}: wider than the window`);
    }
    await page.locator('#local-search button').click();
    await page.locator('.VPLocalSearchBox input').fill('stream');
    await page.locator('.VPLocalSearchBox .result').first().waitFor();
    found.push(...(await violationsOf(page)).map((violation) => `search: ${violation}`));
    expect([...found, ...problems]).toEqual([]);
  });

  describe('the playground', () => {
    const open = async (hash = '') => {
      const opened = await openPage(browser, site.url, { permissions: ['clipboard-read', 'clipboard-write'] });
      await opened.page.goto(`/playground.html${hash}`);
      await opened.page.locator('.tr-target').first().waitFor();
      return opened;
    };
    const readAs = (page: Page, what: string) => page.getByText(`read as ${what}`).waitFor();
    const frameIn = (page: Page) => page.getByRole('textbox', { name: 'Frame', exact: true });

    test('the playground translates golden frames as the command does', async () => {
      await using opened = await openPage(browser, site.url);
      const { page, problems } = opened;
      const started = page.waitForEvent('worker');
      await page.goto('/playground.html');
      const url = (await started).url();
      const dialects = createDialects();
      for (const dialect of goldenDialects) {
        const goldens = goldensOf(dialect);
        const questions = sampled(goldens).flatMap((golden) => {
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
    });

    test('the playground shows what becomes of a pasted frame, with links to the tables of fields', async () => {
      await using opened = await open();
      const { page, problems } = opened;
      const message = { messageId: 'm1', role: 'ROLE_USER', parts: [{ text: 'hi', metadata: { a: 1 } }] };
      await frameIn(page).fill(JSON.stringify(message));
      await readAs(page, 'message in a2a-1.0 over JSON-RPC');
      const vault = page.getByRole('region', { name: 'agentvault-0.2', exact: true });
      await vault.getByText('1 field lost').waitFor();
      const table = await vault
        .getByRole('link', { name: 'The conversion of each field in agentvault-0.2' })
        .getAttribute('href');
      expect((await page.request.get(table ?? '')).status()).toBe(200);
      await vault.getByRole('button', { name: 'Copy frame in agentvault-0.2' }).click();
      await vault.getByRole('button', { name: 'Copied' }).waitFor();
      const copied = await page.evaluate<string>('navigator.clipboard.readText()');
      expect(JSON.parse(copied)).toMatchObject({ role: 'user', parts: [{ type: 'text', content: 'hi' }] });
      await vault.getByRole('button', { name: 'Use as the frame' }).click();
      await readAs(page, 'message in agentvault-0.2 over JSON-RPC');
      expect(problems).toEqual([]);
    });

    test('the playground keeps frame and choices in the address', async () => {
      await using opened = await open('#example=task-vault');
      const { page, problems } = opened;
      await readAs(page, 'response of tasks/get in agentvault-0.2');
      await frameIn(page).fill('{"id": "t1"}');
      await page.getByLabel('Dialect', { exact: true }).selectOption('a2a-0.3');
      await page.getByLabel('Method', { exact: true }).selectOption('tasks/cancel');
      await readAs(page, 'params of tasks/cancel in a2a-0.3 over JSON-RPC');
      await page.waitForURL(/method=tasks/);
      const address = page.url();
      expect(address).toContain('#text=%7B%22id%22');
      await page.goto('about:blank');
      await page.goto(address);
      await readAs(page, 'params of tasks/cancel in a2a-0.3 over JSON-RPC');
      expect(await frameIn(page).inputValue()).toBe('{"id": "t1"}');
      // The address changes without a new page, as by a link in the history.
      await page.evaluate(`location.hash = '#example=send-0.3'`);
      await readAs(page, 'request of message/send in a2a-0.3');
      await page.getByRole('button', { name: 'Clear' }).click();
      await page.getByText('No frame yet').waitFor();
      await page.waitForURL((url) => url.hash === '');
      await page.getByLabel('Example').selectOption({ label: 'a2a-1.0: SendMessage: a request' });
      await page.waitForURL(/#example=send-1\.0$/);
      await frameIn(page).fill(
        JSON.stringify({ messageId: 'm', role: 'ROLE_USER', parts: [{ text: 'x'.repeat(9_000) }] }),
      );
      await page.getByText('too long for the address').waitFor();
      expect(new URL(page.url()).hash).toBe('');
      expect(problems).toEqual([]);
    });

    test('the playground works with the keyboard alone', async () => {
      await using opened = await open('#example=send-1.0');
      const { page, problems } = opened;
      await page.getByLabel('Example').focus();
      const visited: string[] = [];
      while (visited.at(-1) !== 'Copy frame in a2a-1.1' && visited.length < 60) {
        visited.push(await page.evaluate<string>(nameOfFocused));
        await page.keyboard.press('Tab');
      }
      // Between them are the objects and lists of the frame, which are opened and closed.
      expect(visited.filter((name) => !/[[{]\d+[\]}]$/.test(name))).toEqual([
        'Example',
        'Clear',
        'Frame',
        'Dialect',
        'Type',
        'Method',
        'Binding',
        'Frame in A2A 1.x, with losses at their place',
        'Copy Frame in A2A 1.x, with losses at their place',
        'frame in a2a-1.1',
        'Copy frame in a2a-1.1',
      ]);
      expect(problems).toEqual([]);
    });

    test('the playground shows hostile frames as text, without the content security policy of the console', async () => {
      await using opened = await open();
      const { page, problems } = opened;
      const script = '</pre><img src=x onerror="window.owned=1"><script>window.owned=1</script>{{ owned }}';
      const part = { text: script, metadata: { [script]: script } };
      await frameIn(page).fill(JSON.stringify({ messageId: script, role: 'ROLE_USER', parts: [part] }));
      await readAs(page, 'message in a2a-1.0');
      expect(await page.getByRole('region', { name: 'frame in a2a-0.3' }).textContent()).toContain('onerror');
      await frameIn(page).fill('{"__proto__":{"owned":1},"constructor":{"prototype":{"owned":1}}}');
      await page.getByRole('alert').getByText('__proto__').waitFor();
      expect(await page.locator('.playground img, .playground script').count()).toBe(0);
      expect(await page.evaluate('[window.owned, ({}).owned].filter(Boolean)')).toEqual([]);
      expect(problems).toEqual([]);
    });
  });
});

/** Pages must not scroll sideways. */
const widerThanWindow = (page: Page): Promise<boolean> =>
  page.evaluate<boolean>('document.documentElement.scrollWidth > document.documentElement.clientWidth');

/** In the page: what the focused element is called. */
const nameOfFocused = `(() => {
  const { activeElement } = document;
  const { labels, ariaLabel, textContent } = activeElement.shadowRoot?.activeElement ?? activeElement;
  const label = labels?.[0];
  return (label?.textContent ?? ariaLabel ?? textContent).replace(/\\s+/g, ' ').trim();
})()`;

interface Answer {
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
  worker.onmessage = ({ data: { translation, error } }: { data: Answer }) => {
    answers.push(error === undefined ? { translation } : { error });
    if (answers.length === questions.length) done.resolve();
  };
  worker.onerror = ({ message }: { message: string }) => done.reject(new Error(message));
  for (const question of questions) worker.postMessage(question);
  await done.promise;
  worker.terminate();
  return answers;
}
