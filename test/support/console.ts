/** The console in a real Chromium, before a gateway of the test's own. */
import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { inject } from 'vitest';
import { openPage, sharedBrowser, type WatchedPage } from './browser.ts';
import { adminHeaders, type Opened, type OpenOptions, openGateway } from './gateway.ts';
import { paced } from './pace.ts';

const script = fileURLToPath(new URL('../../scripts/console.ts', import.meta.url));

/** Folder of the tests' screenshots, for people. */
const screenshots = fileURLToPath(new URL('../../test-output/console/', import.meta.url));

/** For `beforeAll`: building the console and starting Chromium take this long at most, in milliseconds. */
export const consoleDeadline = paced(90_000);

/**
 * Builds the console to `dist/console`, where gateways find it, unless it is there already. Files of tests run in several
 * processes: the first to make the lock builds, others wait.
 */
export async function builtConsole(): Promise<void> {
  const folder = inject('siteFolder');
  const [lock, result] = [join(folder, 'console-lock'), join(folder, 'console.txt')];
  try {
    mkdirSync(lock);
    writeFileSync(join(lock, 'said'), await runBuild());
    // Whole at once for those that wait for it.
    renameSync(join(lock, 'said'), result);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
    const end = Date.now() + consoleDeadline;
    while (!existsSync(result) && Date.now() < end) await sleep(50);
  }
  const said = readFileSync(result, 'utf8');
  if (said !== 'ok') throw new Error(`the console was not built:\n${said}`);
}

/** `ok`, or what the build said. */
function runBuild(): Promise<string> {
  const { promise, resolve } = Promise.withResolvers<string>();
  execFile(process.execPath, [script, '--if-changed'], { timeout: consoleDeadline }, (error, out, err) => {
    resolve(error === null ? 'ok' : `${out}${err}${error.message}`);
  });
  return promise;
}

/** Objects shared by a test file: one gateway, and the Chromium of its process. */
export interface OpenedConsole extends AsyncDisposable {
  readonly gateway: Opened;
  readonly browser: Browser;
  /** The first page, which shows the console. */
  readonly page: Page;
  /** Problems in the first page so far: errors of its console, responses from 400 on, requests to other origins. */
  readonly problems: string[];
  /** Goes to an address of the console, such as `#/tasks`, in the first page or another. */
  goto(hash: string, page?: Page): Promise<void>;
  /** Another page in a browser profile of its own: nothing is shared with the first, as for another user. */
  open(hash?: string, options?: BrowserContextOptions): Promise<WatchedPage>;
  /** Writes `test-output/console/NAME.png`. */
  screenshot(name: string, page?: Page): Promise<void>;
}

export interface ConsoleOptions extends OpenOptions {
  /** The gateway's configuration in YAML. Default: the reference agent. */
  readonly config?: string;
  /** Options for opening the first page. Default: 1280 by 800 pixels. */
  readonly browser?: BrowserContextOptions;
  /** A gateway that is there already, such as one in a process of its own: then no other is started, and none is closed. */
  readonly at?: string;
  /** The admin key of such a gateway. */
  readonly adminKey?: string;
}

/** Opens the console of a gateway on loopback. */
export async function openConsole(options: ConsoleOptions = {}): Promise<OpenedConsole> {
  const {
    config = 'agents: { demo: { kind: reference } }',
    browser: contextOptions = {},
    at,
    adminKey,
    ...deps
  } = options;
  await builtConsole();
  const gateway = at === undefined ? await openGateway(config, deps) : existing(at);
  const browser = await sharedBrowser();
  const watchedPages: WatchedPage[] = [];
  const open = async (hash = '', options: BrowserContextOptions = {}): Promise<WatchedPage> => {
    const watched = await openPage(browser, gateway.url, { viewport: { width: 1280, height: 800 }, ...options });
    watchedPages.push(watched);
    const key = adminHeaders(gateway.url)['x-api-key'] ?? adminKey;
    if (key !== undefined) {
      await watched.page.goto(`${gateway.url}/console/#key=${key}`);
      await watched.page.getByRole('heading', { level: 1 }).waitFor();
      await watched.page.evaluate(`location.hash = ${JSON.stringify(hash || '#/')}`);
    } else await watched.page.goto(`${gateway.url}/console/${hash}`);
    await watched.page.getByRole('heading', { level: 1 }).waitFor();
    return watched;
  };
  const { page, problems } = await open('', contextOptions);
  return {
    gateway,
    browser,
    page,
    problems,
    open,
    async goto(hash, other = page) {
      // Scripts of pages are texts here, since the types of these files are Node's.
      await other.evaluate(`location.hash = ${JSON.stringify(hash)}`);
      await other.getByRole('heading', { level: 1 }).waitFor();
    },
    async screenshot(name, other = page) {
      mkdirSync(screenshots, { recursive: true });
      await other.screenshot({ path: join(screenshots, `${name}.png`) });
    },
    async [Symbol.asyncDispose]() {
      for (const watched of watchedPages) await watched[Symbol.asyncDispose]();
      await gateway.close();
    },
  };
}

function existing(url: string): Opened {
  const { host, port } = new URL(url);
  const gateway = undefined as unknown as Opened['gateway'];
  return { gateway, url, origin: url, target: host, port: Number(port), close: async () => {} };
}
