/** Tasks for tests of the console's pages. */
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { createStore } from '../../src/stores/index.ts';
import { TaskWriter } from '../contract/store-fixtures.ts';
import { violationsOf } from './browser.ts';
import type { OpenedConsole } from './console.ts';
import { paced } from './pace.ts';

export interface Sending {
  readonly agent?: string;
  readonly taskId?: string;
  readonly contextId?: string;
  readonly referenceTaskIds?: readonly string[];
}

/** Sends a text over HTTP+JSON without waiting for the agent. Returns the task. */
export async function sendText(
  url: string,
  text: string,
  { agent = 'demo', ...more }: Sending = {},
): Promise<{ readonly id: string; readonly contextId: string }> {
  const response = await fetch(`${url}/${agent}/message:send`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', 'A2A-Version': '1.0' },
    body: JSON.stringify({
      message: { messageId: crypto.randomUUID(), role: 'ROLE_USER', parts: [{ text }], ...more },
      configuration: { returnImmediately: true },
    }),
  });
  const body = (await response.json()) as { readonly task?: { readonly id: string; readonly contextId: string } };
  if (!body.task) throw new Error(`no task: ${JSON.stringify(body)}`);
  return body.task;
}

/** Writes many tasks that have ended to a store, and one with a long log, which changed last. Returns the id of that one. */
export async function seedTasks(storeUrl: string, count: number, events: number): Promise<string> {
  const store = createStore(storeUrl, { instance: 'seed' });
  await store.open();
  try {
    const start = Date.now() - count * 1000 - 60_000;
    await Promise.all(
      Array.from({ length: count }, async (_, at) => {
        const owner = { agent: 'demo', tenant: '', principal: at % 10 === 0 ? 'key:bob' : 'key:alice' };
        const writer = new TaskWriter({ owner, now: () => start + at * 1000, contextId: `context-${at % 100}` });
        await store.append(writer.create(at % 4 === 0 ? 'TASK_STATE_FAILED' : 'TASK_STATE_COMPLETED'));
      }),
    );
    let now = Date.now() - 60_000;
    const long = new TaskWriter({ owner: { agent: 'demo', tenant: '', principal: 'key:alice' }, now: () => now });
    await store.append(long.create('TASK_STATE_WORKING'));
    const chunks = Array.from({ length: events - 2 }, (_, at) => `chunk ${at + 1}\n`);
    for (let at = 0; at < chunks.length; at += 1000) {
      now += 500;
      await store.append(long.next(...chunks.slice(at, at + 1000).map((text) => long.chunkEvent(text))));
    }
    now += 500;
    await store.append(long.status('TASK_STATE_COMPLETED'));
    return long.id;
  } finally {
    await store.close();
  }
}

/** Writes many tasks that wait for input to a store, which change later than everything that happens in a test. */
export async function seedWaiting(storeUrl: string, count: number): Promise<void> {
  const store = createStore(storeUrl, { instance: 'seed' });
  await store.open();
  const later = Date.now() + 3_600_000;
  const owner = { agent: 'demo', tenant: '', principal: 'key:bob' };
  const write = async (_: unknown, at: number): Promise<void> => {
    await store.append(new TaskWriter({ owner, now: () => later + at }).create('TASK_STATE_INPUT_REQUIRED'));
  };
  await Promise.all(Array.from({ length: count }, write));
  await store.close();
}

/** Longer than a change takes to reach a page: the gateway looks for changes once a second. */
export const soon = { timeout: paced(8_000) };

/** Checks that the first page is accessible, and fits, wide and narrow, light and dark. Writes screenshots. */
export async function expectAccessible({ page, screenshot }: OpenedConsole, name: string): Promise<void> {
  for (const [width, colorScheme] of [
    [360, 'dark'],
    [1280, 'light'],
  ] as const) {
    await page.setViewportSize({ width, height: 800 });
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    expect(await violationsOf(page)).toEqual([]);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width);
    await screenshot(`${name}-${width}-${colorScheme}`);
  }
}

/** Number of elements in a page. */
export const elementsOf = (page: Page): Promise<number> => page.evaluate('document.querySelectorAll("*").length');

/** The texts of all events in the log of a task that is shown, by position; read by scrolling through the list. */
export async function logOf(page: Page): Promise<Map<number, string>> {
  const rows = new Map<number, string>();
  const list = page.getByRole('region', { name: 'Events' });
  const total = Number(await list.getByRole('listitem').first().getAttribute('aria-setsize'));
  for (let top = 0; rows.size < total && top < total * 30 + 1000; top += 400) {
    await page.evaluate(`document.querySelector('.event-list .virtual').scrollTop = ${top}`);
    await page.evaluate('new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))');
    const seen: readonly [number, string][] = await page.evaluate(
      `[...document.querySelectorAll('.event-list li')].map((row) => [Number(row.ariaPosInSet), row.innerText])`,
    );
    for (const [position, text] of seen) if (!text.includes('…')) rows.set(position, text);
  }
  return rows;
}
