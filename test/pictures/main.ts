/**
 * `npm run docs:pictures`: takes the pictures of the console in the documentation, of a gateway with the tasks of a shop. With
 * `--all FOLDER` it takes pictures of every page instead, in both themes and at two widths, for people who look at them.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import type { Page } from 'playwright-core';
import { openBrowser, openPage } from '../support/browser.ts';
import { adminHeaders } from '../support/gateway.ts';
import { withPalette } from './palette.ts';
import { openWorld, type World } from './world.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const { values } = parseArgs({ options: { all: { type: 'string' } } });

type Named = World['named'];

/** Addresses of all pages and views. */
const addresses = ({ failed, waiting, long, context, call }: Named): Readonly<Record<string, string>> => ({
  agents: 'agents',
  agent: 'agents/orders',
  'agent-cards': 'agents/archive?card=upstream&card=a2a-0.3',
  bench: 'bench?agent=stock&operation=SendStreamingMessage',
  translation: 'bench?view=translation',
  knowledge: 'knowledge/catalog',
  'knowledge-entity': `knowledge/catalog?subject=${encodeURIComponent('https://shop.example/lamp')}`,
  'knowledge-refused': 'knowledge/catalog?view=refused',
  tasks: 'tasks',
  'tasks-reasons': 'tasks?view=reasons&state=failed',
  conversations: 'tasks?view=conversations',
  conversation: `tasks?context=${context}`,
  'task-failed': `tasks/${failed}`,
  'task-waiting': `tasks/${waiting}`,
  task: `tasks/${long}`,
  calls: 'calls',
  call: `calls/${call}`,
  inbox: 'inbox',
  'inbox-mine': 'inbox?view=mine',
  push: 'push',
  metrics: 'metrics',
  callers: 'gateway?view=callers',
  stops: 'gateway?view=stops',
  replicas: 'gateway?view=replicas',
  registrations: 'gateway?view=registrations&registered=warehouse-east',
  policies: 'gateway?view=policies',
  losses: 'gateway?view=losses',
  generations: 'gateway?view=generations',
  configuration: 'gateway?view=configuration',
  nothing: 'nothing',
});

/** Goes to an address, and waits until what it shows has been read. */
async function show(page: Page, at: string): Promise<void> {
  await page.evaluate(`location.hash = ${JSON.stringify(`#/${at}`)}`);
  await page.getByRole('heading', { level: 1 }).waitFor();
  await page.waitForTimeout(700);
  await page.locator('article[aria-busy=false]').waitFor({ timeout: 60_000 });
}

async function signIn(page: Page, { gateway }: World): Promise<void> {
  await page.goto(`${gateway.url}/console/#key=${adminHeaders(gateway.url)['x-api-key']}`);
  await page.getByRole('heading', { level: 1 }).waitFor();
}

/** Takes pictures of every page, in both themes and at two widths. Each window is as high as its page: what is out of sight is not drawn. */
async function takeAll(page: Page, { named }: World, folder: string): Promise<void> {
  for (const width of [1440, 390]) {
    for (const [name, at] of Object.entries(addresses(named))) {
      await page.setViewportSize({ width, height: 900 });
      await show(page, at);
      const height = Number(await page.evaluate('document.documentElement.scrollHeight'));
      await page.setViewportSize({ width, height });
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
        await page.screenshot({ path: join(folder, `${name}-${width}-${colorScheme}.png`) });
      }
    }
  }
}

/** A picture of the documentation: its height, its address, and what happens before it is taken. */
interface Picture {
  readonly height: number;
  readonly at: string;
  readonly before?: (page: Page) => Promise<void>;
}

const frame = {
  jsonrpc: '2.0',
  id: 7,
  method: 'message/send',
  params: {
    message: {
      messageId: 'm-1',
      role: 'user',
      kind: 'message',
      parts: [{ kind: 'text', text: 'Two lamps, please', metadata: { lang: 'en' } }],
      extensions: ['https://shop.example/extensions/loyalty'],
    },
  },
};

const pictures = ({ long }: Named): Readonly<Record<string, Picture>> => ({
  agents: { height: 800, at: 'agents' },
  task: { height: 800, at: `tasks/${long}` },
  knowledge: {
    height: 700,
    at: `knowledge/catalog?subject=${encodeURIComponent('https://shop.example/lamp')}`,
  },
  bench: {
    height: 1_150,
    at: 'bench?agent=stock&operation=SendStreamingMessage',
    async before(page) {
      await page.getByLabel('Text', { exact: true }).fill('lamps');
      await page.getByRole('button', { name: 'Send', exact: true }).first().click();
      await page.getByText('Done', { exact: true }).waitFor();
    },
  },
  translation: {
    height: 1_400,
    at: 'bench?view=translation',
    async before(page) {
      await page.getByRole('textbox', { name: 'Frame' }).fill(JSON.stringify(frame, undefined, 2));
      await page.getByRole('region', { name: 'agentvault-0.2', exact: true }).waitFor();
    },
  },
});

async function takeForDocs(page: Page, { named }: World): Promise<void> {
  const blank = await page.context().newPage();
  await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' });
  for (const [name, { height, at, before }] of Object.entries(pictures(named))) {
    await page.setViewportSize({ width: 1_280, height });
    await show(page, at);
    await before?.(page);
    const picture = await page.screenshot();
    writeFileSync(join(root, `docs/console-${name}.png`), await withPalette(blank, picture));
  }
}

execFileSync(process.execPath, [join(root, 'scripts/console.ts'), '--if-changed'], { stdio: 'inherit' });
const world = await openWorld();
const browser = await openBrowser();
const { page, problems } = await openPage(browser, world.gateway.url);
await signIn(page, world);
if (values.all === undefined) await takeForDocs(page, world);
else {
  mkdirSync(values.all, { recursive: true });
  await takeAll(page, world, values.all);
}
for (const problem of new Set(problems)) console.error(problem);
await browser.close();
await world[Symbol.asyncDispose]();
// Sockets of the browser may stay open for a while.
process.exit();
