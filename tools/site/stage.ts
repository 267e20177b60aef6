import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, posix, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { anchorsOf, linesOf, mapLinks } from './markdown.ts';

/** The folder of the project. */
export const project = fileURLToPath(new URL('../../', import.meta.url));

/** URL of the project's files, as package.json says; relative links that leave `docs` lead there. */
export function repository(): string {
  const { repository } = JSON.parse(readFileSync(join(project, 'package.json'), 'utf8'));
  return repository.url.replace(/^git\+/, '').replace(/\.git$/, '');
}

/** Comments that tell the tests what to do with a block of code. */
const directive = /^\s*<!-- [\w-]+(: .*)? -->$/;

/**
 * Copies the pages to a folder in the form in which the site is built from them: `README.md` is the index of its folder,
 * links that leave the folder lead to the repository, and blocks with titles that follow each other become one group of
 * tabs.
 *
 * @throws Error for links to files that do not exist, or to headings that they do not have
 */
export function stagePages(docs: string, stage: string): void {
  cpSync(docs, stage, { recursive: true });
  const files = readdirSync(docs, { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith('.md'));
  const dead: string[] = [];
  for (const file of files) {
    try {
      stagePage(docs, file, stage);
    } catch (error) {
      dead.push(error instanceof Error ? error.message : String(error));
    }
  }
  if (dead.length > 0) throw new Error(`dead links:\n${dead.map((line) => `  ${line}`).join('\n')}`);
}

/** Writes one page to the stage. */
export function stagePage(docs: string, file: string, stage: string): void {
  const path = file.split(sep).join('/');
  const text = readFileSync(join(docs, file), 'utf8');
  const linked = mapLinks(text, (link) => siteLink(docs, path, link));
  const lines = linesOf(linked).filter(({ text: line, code }) => code || !directive.test(line));
  const copy = join(stage, file);
  mkdirSync(dirname(copy), { recursive: true });
  writeFileSync(copy, groupBlocks(lines.map((line) => line.text).join('\n')));
  if (posix.basename(path) === 'README.md') renameSync(copy, join(dirname(copy), 'index.md'));
}

/** The target of a link as the site has it. */
function siteLink(docs: string, page: string, link: string): string {
  if (/^([a-z][a-z+.-]*:|#|\/)/i.test(link)) return link;
  const [path = '', anchor] = link.split('#') as [string, string?];
  const target = join(docs, dirname(page), path);
  const hash = anchor === undefined ? '' : `#${anchor}`;
  if (!existsSync(target)) throw new Error(`${page}: ${link}: there is no such file`);
  if (!relative(docs, target).startsWith('..')) return link.replace(/(^|\/)README\.md(?=$|#)/, '$1index.md');
  if (anchor !== undefined && path.endsWith('.md') && !anchorsOf(readFileSync(target, 'utf8')).has(anchor)) {
    throw new Error(`${page}: ${link}: there is no such heading`);
  }
  const kind = statSync(target).isDirectory() ? 'tree' : 'blob';
  return `${repository()}/${kind}/main/${relative(project, target).split(sep).join('/')}${hash}`;
}

/** Wraps blocks of code that have titles, as in `sh [npm]`, and follow each other into a group of tabs. */
function groupBlocks(markdown: string): string {
  const titled = /^(?:```[^\n[]*\[[^\]\n]+\][^\n]*\n(?:(?!```).*\n)*?```\n\s*){2,}/gm;
  return markdown.replace(titled, (blocks) => `::: code-group\n\n${blocks.trimEnd()}\n\n:::\n\n`);
}
