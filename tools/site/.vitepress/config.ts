import type { DefaultTheme, UserConfig } from 'vitepress';
import { groupsOf, pagesBelow } from '../pages.ts';
import { repository } from '../stage.ts';

export interface SiteOptions {
  /** Folder of the staged pages. */
  readonly pages: string;
  readonly outDir: string;
  /** Path below which the site is served, such as `/a2a-gateway/`. */
  readonly base: string;
}

/** The site's configuration. */
export function siteConfig({ pages, outDir, base }: SiteOptions): UserConfig<DefaultTheme.Config> {
  const groups = groupsOf(pagesBelow(pages));
  const linkTo = (path: string) => `/${path.replace(/(^|\/)index\.md$/, '$1').replace(/\.md$/, '')}`;
  const sidebar = groups.map(({ title, pages: members }) => ({
    text: title,
    collapsed: false,
    items: members.map((page) => ({ text: page.title, link: linkTo(page.path) })),
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
    description: 'Any A2A client reaches any A2A agent: every generation of the protocol, every binding, one port.',
    lang: 'en',
    lastUpdated: false,
    cleanUrls: false,
    themeConfig: {
      sidebar,
      nav: ['Guides', 'Concepts', 'Operate', 'Reference', 'Dialects'].flatMap(first),
      outline: [2, 3],
      search: { provider: 'local' },
      socialLinks: [{ icon: 'github', link: repository() }],
      externalLinkIcon: true,
    },
    vite: {
      logLevel: 'warn',
      // The project's tsconfig.json has a target that Vite's esbuild does not know.
      esbuild: { tsconfigRaw: { compilerOptions: { target: 'es2022', verbatimModuleSyntax: true } } },
    },
  };
}
