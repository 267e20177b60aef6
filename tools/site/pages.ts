import { readdirSync, readFileSync } from 'node:fs';
import { join, sep } from 'node:path';
import { titleOf } from './markdown.ts';
import { type Section, sections } from './navigation.ts';

export interface Page {
  /** Path below the folder of pages, such as `guides/agents.md`. */
  readonly path: string;
  readonly title: string;
}

/** A group of the sidebar. */
export interface Group {
  readonly title: string;
  readonly pages: readonly Page[];
}

/** Pages that stand in no group: the home page, and pages made from code, whose sidebar is separate. */
const apart = /^(index\.md$|reference\/api\/)/;

/** All pages below a folder, sorted by path. */
export function pagesBelow(folder: string): Page[] {
  const paths = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((path) => path.split(sep).join('/'))
    .filter((path) => path.endsWith('.md') && !path.startsWith('.'));
  return paths.sort().map((path) => {
    const title = titleOf(readFileSync(join(folder, path), 'utf8'));
    if (title === undefined && path !== 'index.md') throw new Error(`${path} has no heading of the first level`);
    return { path, title: title ?? path };
  });
}

/**
 * Groups pages as the sidebar shows them.
 *
 * @throws Error for a page in a folder that no section has
 */
export function groupsOf(pages: readonly Page[]): Group[] {
  const left = new Set(pages.filter(({ path }) => !apart.test(path)));
  const groups = sections.map((section) => {
    const found = [...left].filter((page) => position(section, page) !== undefined);
    for (const page of found) left.delete(page);
    found.sort(
      (a, b) => (position(section, a) ?? 0) - (position(section, b) ?? 0) || a.title.localeCompare(b.title, 'en'),
    );
    return { title: section.title, pages: found };
  });
  const [lost] = left;
  if (lost !== undefined) throw new Error(`${lost.path} is in no section of the site: see tools/site/navigation.ts`);
  return groups.filter((group) => group.pages.length > 0);
}

/** The position of a page in a section; undefined when it belongs to another one. */
function position(section: Section, { path }: Page): number | undefined {
  const name = path.slice(path.lastIndexOf('/') + 1, -'.md'.length);
  const folder = path.includes('/') ? path.slice(0, path.lastIndexOf('/')) : undefined;
  const index = section.pages.indexOf(name);
  if (folder !== section.folder) return undefined;
  if (index === -1) return folder === undefined && !section.rest ? undefined : section.pages.length;
  return index;
}
