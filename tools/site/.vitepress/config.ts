import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { DefaultTheme, UserConfig } from 'vitepress';
import { withoutServerCode } from '../../../scripts/portable.ts';
import { accessibleComponents, plainEmptyHeaders } from '../accessibility.ts';
import { summaryOf } from '../llms.ts';
import { anchorOf } from '../markdown.ts';
import { groupsOf, type Page, pagesBelow } from '../pages.ts';
import { project, repository } from '../stage.ts';

export interface SiteOptions {
  /** Folder of the staged pages. */
  readonly pages: string;
  readonly outDir: string;
  /** Path below which the site is served, such as `/a2a-gateway/`. */
  readonly base: string;
}

const { homepage, description } = JSON.parse(readFileSync(join(project, 'package.json'), 'utf8'));

/** Pages that are one large table. */
const wide: ReadonlySet<string> = new Set(['reference/errors.md', 'reference/matrix.md']);

/** Two arrows that meet, in the blue of the pictures. */
const icon = `data:image/svg+xml,${encodeURIComponent(
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="7" fill="#1f5fa8"/>
<path d="M6 12h14l-4-4M26 20H12l4 4" fill="none" stroke="#fff" stroke-width="3" stroke-linecap="round" stroke-linejoin="round"/></svg>`,
)}`;

/** The site's configuration. */
export function siteConfig({ pages, outDir, base }: SiteOptions): UserConfig<DefaultTheme.Config> {
  const all = pagesBelow(pages);
  const groups = groupsOf(all);
  const linkTo = (path: string) => `/${path.replace(/(^|\/)index\.md$/, '$1').replace(/\.md$/, '')}`;
  const sidebar = groups.map(({ title, pages: members }) => ({
    text: title,
    items: [
      ...members.map((page) => ({ text: page.title, link: linkTo(page.path) })),
      ...(title === 'Reference' ? libraryPages(all, linkTo) : []),
    ],
  }));
  const first = (title: string) => {
    const page = groups.find((group) => group.title === title)?.pages[0];
    return page === undefined
      ? []
      : [{ text: title, link: linkTo(page.path), activeMatch: `^/${title.toLowerCase()}/` }];
  };
  return {
    base,
    outDir,
    title: 'a2a-gateway',
    description,
    lang: 'en',
    head: [['link', { rel: 'icon', type: 'image/svg+xml', href: icon }]],
    sitemap: { hostname: homepage },
    transformPageData: ({ filePath, frontmatter }) => {
      if (wide.has(filePath)) Object.assign(frontmatter, { aside: false, pageClass: 'wide' });
      const file = join(pages, filePath);
      const summary = existsSync(file) ? summaryOf(readFileSync(file, 'utf8')) : '';
      return summary === '' ? undefined : { description: summary };
    },
    lastUpdated: false,
    cleanUrls: false,
    // `check.ts` looks at all links of the built site, those to headings too.
    ignoreDeadLinks: true,
    markdown: {
      anchor: { slugify: anchorOf },
      theme: { light: 'github-light-high-contrast', dark: 'github-dark-high-contrast' },
      config: plainEmptyHeaders,
      attrs: { disable: true },
    },
    themeConfig: {
      sidebar,
      nav: [
        ...['Guides', 'Concepts', 'Operate', 'Reference', 'Dialects'].flatMap(first),
        { text: 'Playground', link: '/playground' },
      ],
      outline: [2, 3],
      search: {
        provider: 'local',
        options: {
          miniSearch: {
            // Guides before what typedoc wrote.
            searchOptions: { boostDocument: (id: string) => (id.includes('/reference/api/') ? 0.3 : 1) },
          },
        },
      },
      socialLinks: [{ icon: 'github', link: repository() }],
      externalLinkIcon: true,
      notFound: {
        title: 'Page not found',
        quote: 'There is no page at this address. The search above finds pages by their words.',
        linkText: 'To the start',
        linkLabel: 'To the start',
      },
    },
    vite: {
      logLevel: 'warn',
      plugins: [accessibleComponents, withoutServerCode()],
      // The page of all that programs can import is large by itself.
      build: { chunkSizeWarningLimit: 1000 },
      // The playground translates in a worker, with the gateway's own sources.
      worker: { format: 'es', plugins: () => [withoutServerCode()] },
      // The console's own Preact: VitePress brings another one, and two in one page do not work together.
      resolve: { alias: [{ find: /^preact(?=\/|$)/, replacement: join(project, 'node_modules/preact') }] },
      server: { fs: { allow: [project] } },
      // The project's tsconfig.json has a target that Vite's esbuild does not know.
      esbuild: {
        tsconfigRaw: { compilerOptions: { target: 'es2022', verbatimModuleSyntax: true } },
        jsx: 'automatic',
        jsxImportSource: 'preact',
      },
    },
  };
}

/** The pages that typedoc wrote: one for each entry of the package. */
function libraryPages(pages: readonly Page[], linkTo: (path: string) => string): DefaultTheme.SidebarItem[] {
  const api = pages.filter(({ path }) => path.startsWith('reference/api/') && !path.includes('/namespaces/'));
  const [index, ...entries] = [...api].sort(
    (a, b) => Number(b.title === 'Library API') - Number(a.title === 'Library API'),
  );
  if (index === undefined) return [];
  const items = entries.map(({ path, title }) => ({ text: title, link: linkTo(path) }));
  return [{ text: index.title, link: linkTo(index.path), collapsed: true, items }];
}
