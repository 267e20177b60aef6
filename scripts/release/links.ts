import { posix } from 'node:path';
import { anchorsOf, mapLinks } from '../../tools/site/markdown.ts';

/** Targets of a page's links. Code has none. */
function targetsIn(markdown: string): string[] {
  const targets: string[] = [];
  mapLinks(markdown, (target) => {
    targets.push(target);
    return target;
  });
  return targets;
}

/**
 * Links of Markdown files that lead nowhere: to a file that is not there, or to a heading that its page does not have.
 * Addresses of other sites are not tried.
 *
 * @param paths all files of the folder, with `/`
 * @param read gives the text of one of them
 */
export function deadLinks(paths: readonly string[], read: (path: string) => string): string[] {
  const files = new Set(paths);
  const folders = new Set(paths.flatMap(foldersOf));
  const dead: string[] = [];
  for (const page of paths.filter((path) => path.endsWith('.md'))) {
    for (const link of targetsIn(read(page))) {
      if (/^(?:[a-z][a-z+.-]*:|\/\/)/i.test(link)) continue;
      const [path = '', anchor] = link.split('#');
      const relative = path.startsWith('/') ? path : posix.join(posix.dirname(page), decodeURI(path));
      const target = path === '' ? page : relative.replace(/\/$/, '');
      if (!files.has(target) && !folders.has(target)) dead.push(`${page}: ${link}: there is no ${target}`);
      else if (anchor && target.endsWith('.md') && !anchorsOf(read(target)).has(anchor)) {
        dead.push(`${page}: ${link}: ${target} has no heading for #${anchor}`);
      }
    }
  }
  return dead;
}

function foldersOf(path: string): string[] {
  const folder = posix.dirname(path);
  return folder === '.' ? [] : [folder, ...foldersOf(folder)];
}
