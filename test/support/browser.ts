/** A real Chromium for tests of pages. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import type { Result } from 'axe-core';
import { type Browser, type BrowserContextOptions, chromium, type Locator, type Page } from 'playwright-core';
import { resolveTool } from '../../scripts/tools.ts';
import { paced } from './pace.ts';

/** Why no browser can be started here; undefined where one can. */
export const noBrowser: string | undefined =
  process.platform === 'linux' && process.arch === 'x64'
    ? undefined
    : `the Chromium of the tests is built for Linux on x64, and this is ${process.platform} on ${process.arch}`;

/** For `beforeAll`: starting takes this long at most, in milliseconds. The first start unpacks the browser. */
export const browserDeadline = paced(60_000);

interface PackedChromium {
  readonly default: { executablePath(): Promise<string> };
}

/** Starts a Chromium without a window. The caller closes it. */
export async function openBrowser(): Promise<Browser> {
  const { default: packed }: PackedChromium = await import(
    pathToFileURL(resolveTool('tests', '@sparticuz/chromium')).href
  );
  const executablePath = await packed.executablePath();
  // Its own arguments are for functions in a cloud: one process, and no protection between origins.
  const args = ['--no-sandbox', '--disable-gpu'];
  return chromium.launch({ executablePath, args, headless: true, timeout: browserDeadline });
}

let shared: Browser | undefined;

/**
 * The Chromium of this process, in which files of tests run one after another. It ends with the process; each test or file closes the
 * pages that it has opened, and no others.
 */
export async function sharedBrowser(): Promise<Browser> {
  if (!shared?.isConnected()) shared = await openBrowser();
  return shared;
}

/** A page whose mistakes are noted. */
export interface WatchedPage extends AsyncDisposable {
  readonly page: Page;
  /** Errors and warnings of the console, exceptions, failed requests, and requests to other origins. */
  readonly problems: string[];
}

/**
 * Opens a page in a browser profile of its own.
 *
 * @param origin the only one from which the page may load anything
 */
export async function openPage(
  browser: Browser,
  origin: string,
  options: BrowserContextOptions = {},
): Promise<WatchedPage> {
  const context = await browser.newContext({ baseURL: origin, locale: 'en-US', reducedMotion: 'reduce', ...options });
  // Shorter than a test may take, so that a failure says what it waited for.
  context.setDefaultTimeout(paced(15_000));
  const page = await context.newPage();
  const problems: string[] = [];
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) problems.push(`console: ${message.text()}`);
  });
  page.on('pageerror', (error) => problems.push(`exception: ${error.message}`));
  page.on('request', (request) => {
    const url = new URL(request.url());
    if (!['data:', 'blob:', 'about:'].includes(url.protocol) && url.origin !== new URL(origin).origin) {
      problems.push(`request to another origin: ${request.url()}`);
    }
  });
  page.on('response', (response) => {
    if (response.status() >= 400) problems.push(`${response.status()} for ${response.url()}`);
  });
  return { page, problems, [Symbol.asyncDispose]: () => context.close() };
}

/**
 * Opens a link in another tab of the same profile. It is not clicked for that: Playwright misses some of the tabs that Chromium
 * opens by itself where their pages load at once.
 */
export async function openInTab(link: Locator): Promise<Page> {
  const href = (await link.getAttribute('href')) ?? '';
  const tab = await link.page().context().newPage();
  await tab.goto(new URL(href, link.page().url()).href);
  return tab;
}

const axe = createRequire(import.meta.url).resolve('axe-core/axe.min.js');

/** Returns axe's findings in a page against WCAG 2.2 AA and good practice: each with its first place. */
export async function violationsOf(page: Page): Promise<string[]> {
  if (!(await page.evaluate('"axe" in window'))) await page.evaluate(readFileSync(axe, 'utf8'));
  const violations = await page.evaluate<Result[]>(
    `axe.run({
      resultTypes: ['violations'],
      rules: { 'target-size': { enabled: true }, 'link-in-text-block': { enabled: true } },
    }).then((r) => r.violations)`,
  );
  return violations.map(({ id, help, nodes }) => {
    const [first] = nodes;
    const data = first?.any[0]?.message ?? first?.all[0]?.message ?? '';
    return `${id}: ${help}: ${nodes.length} times, such as ${first?.target.join(' ')}: ${data}`;
  });
}
