import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, test } from 'vitest';
import { faultsOf } from '../../tools/site/check.ts';
import { summaryOf } from '../../tools/site/llms.ts';
import { anchorOf, anchorsOf, mapLinks, titleOf } from '../../tools/site/markdown.ts';
import { sections } from '../../tools/site/navigation.ts';
import { groupsOf, pagesBelow } from '../../tools/site/pages.ts';
import { stagePages } from '../../tools/site/stage.ts';
import { newFolder } from '../support/folders.ts';
import { builtSite, serveFolder, siteDeadline } from '../support/site.ts';

const docs = fileURLToPath(new URL('../../docs', import.meta.url));

/** A folder with these files. */
function folderOf(files: Readonly<Record<string, string>>): string {
  const folder = newFolder();
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  return folder;
}

describe('the site of the project', () => {
  let site: string;
  beforeAll(async () => {
    site = await builtSite();
  }, siteDeadline);

  test('the site of the project has a page for each file, and one for each entry of the package', () => {
    const sources = readdirSync(docs, { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith('.md'));
    expect(sources.length).toBeGreaterThan(30);
    const pages = sources.map((path) => path.replace(/README\.md$/, 'index.md').replace(/\.md$/, '.html'));
    expect(pages.filter((page) => !existsSync(join(site, page)))).toEqual([]);
    expect(readFileSync(join(site, 'reference/api/a2a-gateway.html'), 'utf8')).toContain('id="creategateway"');
    expect(readFileSync(join(site, 'reference/api/a2a-gateway/testing.html'), 'utf8')).toContain('id="testagent"');
  });

  test('the site of the project is served by a plain web server', async () => {
    await using server = await serveFolder(site);
    const page = await fetch(`${server.url}/dialects/`);
    expect(page.status).toBe(200);
    expect(await page.text()).toContain('<h1');
    expect((await fetch(`${server.url}/nothing`)).status).toBe(404);
  });

  test('the site of the project has every page in the sidebar of every page, and searches them', () => {
    const html = readFileSync(join(site, 'guides/agents.html'), 'utf8');
    const sidebar = html.slice(html.indexOf('VPSidebar'));
    const links = new Set([...sidebar.matchAll(/href="\/([^"#]*)"/g)].map(([, path]) => path));
    const groups = groupsOf(pagesBelow(docs).map((page) => ({ ...page, path: page.path.replace('README', 'index') })));
    const wanted = groups.flatMap(({ pages }) =>
      pages.map(({ path }) => path.replace(/index\.md$/, '').replace(/\.md$/, '.html')),
    );
    expect(wanted.filter((path) => !links.has(path))).toEqual([]);
    const index = readdirSync(join(site, 'assets', 'chunks')).find((name) => name.startsWith('@localSearchIndex'));
    expect(readFileSync(join(site, 'assets', 'chunks', index ?? ''), 'utf8')).toContain('Idempotency-Key');
  });

  test('the site of the project lists every page in llms.txt for programs, and has the texts', () => {
    const list = readFileSync(join(site, 'llms.txt'), 'utf8');
    const { homepage, description } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
    expect(list).toMatch(/^# a2a-gateway\n\n> /);
    expect(list).toContain(description);
    const links = [...list.matchAll(/^- \[[^\]]+\]\((\S+)\)/gm)].map(([, link = '']) => link);
    for (const link of links) {
      expect(link.startsWith(homepage)).toBe(true);
      expect(existsSync(join(site, link.slice(homepage.length))), link).toBe(true);
    }
    const pages = pagesBelow(docs).filter(({ path }) => path !== 'index.md');
    expect(links.length).toBe(pages.length);
    const full = readFileSync(join(site, 'llms-full.txt'), 'utf8');
    const plain = full.replaceAll('`', '');
    for (const { title } of pages) expect(plain).toContain(`\n# ${title.replaceAll('`', '')}`);
    expect(/<!-- (shows|no-run|serves).*/.exec(full)?.[0]).toBeUndefined();
    expect([...full.matchAll(/^[^`]*\]\((?!https?:|mailto:).*/gm)].map(([line]) => line)).toEqual([]);
  });
});

describe('a page with a mistake', () => {
  const staged = (files: Readonly<Record<string, string>>) => () => stagePages(folderOf(files), newFolder());

  test('a page with a mistake is found before the build: a link to a file that does not exist', () => {
    expect(staged({ 'a.md': '# A\n\n[b](b.md)\n' })).toThrow('a.md: b.md: there is no such file');
    expect(staged({ 'a.md': '# A\n\n```md\n[b](b.md)\n```\n\n`[b](b.md)`\n' })).not.toThrow();
  });

  test('a page with a mistake is found before the build: a page in no section, and one without a title', () => {
    expect(() => groupsOf([{ path: 'other/page.md', title: 'Page' }])).toThrow('other/page.md is in no section');
    const groups = groupsOf([{ path: 'loose.md', title: 'Loose' }]);
    expect(groups).toEqual([{ title: 'More', pages: [{ path: 'loose.md', title: 'Loose' }] }]);
    expect(() => pagesBelow(folderOf({ 'a.md': 'text\n' }))).toThrow('a.md has no heading of the first level');
  });
});

describe('the check of a built site', () => {
  const page = (body: string) => `<html><body><h1 id="top">T</h1>${body}</body></html>`;
  const faults = (body: string, files: Readonly<Record<string, string>> = {}, base = '/') =>
    faultsOf(folderOf({ 'a.html': page(body), ...files }), base);

  test('the check of a built site accepts links to pages, headings and other places', () => {
    const body =
      '<a href="/b.html#top">b</a><a href="#top">a</a><a href="https://example.com/x">x</a><a href="/c/">c</a>';
    expect(faults(body, { 'b.html': page(''), 'c/index.html': page('') })).toEqual([]);
    expect(faults('<a href="/base/a.html">a</a>', {}, '/base/')).toEqual([]);
  });

  test('the check of a built site finds dead links and anchors, and links out of the site', () => {
    expect(faults('<a class="x" href="/none.html">x</a>')).toEqual(['a.html: /none.html: there is no such page']);
    expect(faults('<a href="#none">x</a>')).toEqual(['a.html: #none: there is no such heading']);
    expect(faults('<img src="/none.svg" alt="x">')).toEqual(['a.html: /none.svg: there is no such page']);
    expect(faults('<a href="/a.html">a</a>', {}, '/base/')).toEqual(['a.html: /a.html: is outside the site']);
  });

  test('the check of a built site finds what a browser would load from elsewhere', () => {
    for (const tag of ['<script src="https://cdn.example/x.js">', '<link rel="icon" href="//cdn.example/i.png">']) {
      expect(faults(tag)[0]).toContain('is loaded from another place');
    }
    expect(faults('', { 'x.css': '@import "https://fonts.example/a.css";' })).toHaveLength(1);
    expect(faults('', { 'x.css': 'a { background: url(data:image/png;base64,AA) }' })).toEqual([]);
  });
});

describe('a staged page', () => {
  const stage = (text: string): string => {
    const folder = folderOf({ 'guides/page.md': text, 'dialects/README.md': '# Dialects\n' });
    const out = newFolder();
    stagePages(folder, out);
    expect(existsSync(join(out, 'dialects', 'index.md'))).toBe(true);
    return readFileSync(join(out, 'guides', 'page.md'), 'utf8');
  };

  test('a staged page links to the index of a folder, and keeps code', () => {
    expect(stage('# P\n\n[d](../dialects/README.md#dialects) `[d](../dialects/README.md)`\n')).toBe(
      '# P\n\n[d](../dialects/index.md#dialects) `[d](../dialects/README.md)`\n',
    );
  });

  test('a staged page has no directives of tests, and tabs for titled blocks that follow each other', () => {
    expect(stage('# P\n\n<!-- shows: x -->\n```sh [npm]\na\n```\n\n```sh [pnpm]\nb\n```\n\nend\n')).toBe(
      '# P\n\n::: code-group\n\n```sh [npm]\na\n```\n\n```sh [pnpm]\nb\n```\n\n:::\n\nend\n',
    );
  });

  test('a staged page links to files outside of the pages in the repository', () => {
    const out = newFolder();
    stagePages(docs, out);
    const metrics = readFileSync(join(out, 'reference', 'metrics.md'), 'utf8');
    expect(metrics).toMatch(
      /\]\(https:\/\/github\.com\/[\w/-]+\/blob\/main\/deploy\/helm\/a2a-gateway\/files\/alerts\.yml\)/,
    );
  });
});

test('Markdown is read as code hosts read it', () => {
  expect(anchorOf('The `A2A-Version` header, and *more*: what’s next?')).toBe(
    'the-a2a-version-header-and-more-whats-next',
  );
  expect([...anchorsOf('# A\n## A\n```\n# no\n```\n## [B](c.md)\n')]).toEqual(['a', 'a-1', 'b']);
  expect(summaryOf('---\nx: 1\n---\n# T\n\nThe [first](a.md) `sentence`\nends. Another.\n')).toBe(
    'The first sentence ends.',
  );
  expect(titleOf('---\nx: 1\n---\n# The `title`\n')).toBe('The title');
  expect(mapLinks('[a](b) ![c](d "t") `[e](f)`\n[g]: h', (link) => link.toUpperCase())).toBe(
    '[a](B) ![c](D "t") `[e](f)`\n[g]: H',
  );
});

test('the sections name pages that exist', () => {
  const paths = new Set(
    readdirSync(docs, { recursive: true, encoding: 'utf8' }).map((path) => path.split(sep).join('/')),
  );
  const named = sections.flatMap(({ folder, pages }) =>
    pages.map((name) => [folder, `${name}.md`].filter((part) => part !== undefined).join('/')),
  );
  expect(named.filter((path) => !paths.has(path.replace(/\/index\.md$/, '/README.md')))).toEqual([]);
});
