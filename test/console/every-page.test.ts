import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { noBrowser, violationsOf } from '../support/browser.ts';
import { consoleDeadline, type OpenedConsole, openConsole } from '../support/console.ts';

const pages = ['agents', 'try', 'translation', 'knowledge', 'tasks', 'inbox', 'context', 'push', 'metrics'];
const widths = [360, 1280];
const themes = ['light', 'dark'] as const;

describe.skipIf(noBrowser !== undefined)('every page of the console', () => {
  let opened: OpenedConsole;

  beforeAll(async () => {
    opened = await openConsole();
  }, consoleDeadline);

  afterAll(() => opened?.[Symbol.asyncDispose]());

  const cases = pages.flatMap((id) => widths.flatMap((width) => themes.map((theme) => ({ id, width, theme }))));

  test.each(cases)('$id at $width pixels, $theme', async ({ id, width, theme }) => {
    const { page, problems, goto, screenshot } = opened;
    problems.length = 0;
    await page.setViewportSize({ width, height: 800 });
    await page.emulateMedia({ colorScheme: theme, reducedMotion: 'reduce' });
    await goto(`#/${id}`);
    await page.locator('article[aria-busy=false]').waitFor();
    expect(await violationsOf(page)).toEqual([]);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width);
    await screenshot(`${id}-${width}-${theme}`);
    expect(problems).toEqual([]);
  });
});
