import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { builtSite, serveFolder, siteDeadline } from '../support/site.ts';

let site: string;
beforeAll(async () => {
  site = await builtSite();
}, siteDeadline);

describe('the built site', () => {
  test('has a page for each Markdown file, and is served', async () => {
    expect(existsSync(join(site, 'guides', 'agents.html'))).toBe(true);
    await using server = await serveFolder(site);
    const page = await fetch(`${server.url}/dialects/`);
    expect(page.status).toBe(200);
    expect(await page.text()).toContain('<h1');
    expect((await fetch(`${server.url}/nothing`)).status).toBe(404);
  });
});
