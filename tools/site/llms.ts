import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { linesOf, mapLinks } from './markdown.ts';
import { groupsOf, pagesBelow } from './pages.ts';
import { project } from './stage.ts';

/**
 * Writes what programs that read the site are served: each page as Markdown next to its HTML, `llms.txt` with a list of them
 * (llmstxt.org), and `llms-full.txt` with all pages that are written by hand in one text.
 *
 * @param pages folder of the staged pages
 * @param site folder of the built site
 */
export function writeTexts(pages: string, site: string): void {
  const { homepage, description, name } = JSON.parse(readFileSync(join(project, 'package.json'), 'utf8'));
  const groups = groupsOf(pagesBelow(pages));
  const addressOf = (path: string) => new URL(path, homepage).href;
  const lists: string[] = [];
  const full: string[] = [];
  for (const group of groups) {
    const lines = group.pages.map(({ path, title }) => {
      const text = readFileSync(join(pages, path), 'utf8');
      const copy = join(site, path);
      mkdirSync(dirname(copy), { recursive: true });
      cpSync(join(pages, path), copy);
      full.push(mapLinks(text, (link) => absolute(link, addressOf(path))).trim());
      const summary = summaryOf(text);
      return `- [${title}](${addressOf(path)})${summary === '' ? '' : `: ${summary}`}`;
    });
    lists.push(`## ${group.title}\n\n${lines.join('\n')}\n`);
  }
  const head = `# ${name}\n\n> ${description}\n`;
  writeFileSync(join(site, 'llms.txt'), [head, ...lists].join('\n'));
  writeFileSync(join(site, 'llms-full.txt'), `${[head.trim(), ...full].join('\n\n---\n\n')}\n`);
}

const absolute = (link: string, page: string): string =>
  /^[a-z][a-z+.-]*:/i.test(link) ? link : new URL(link, page).href;

/** The first sentence of a page's first paragraph, without links and other marks. */
export function summaryOf(markdown: string): string {
  const lines = linesOf(markdown.replace(/^---\n[\s\S]*?\n---\n/, ''));
  const start = lines.findIndex(({ text, code }) => !code && /^[\p{L}`[*]/u.test(text));
  if (start === -1) return '';
  const end = lines.findIndex(({ text }, index) => index > start && text.trim() === '');
  const paragraph = lines.slice(start, end === -1 ? undefined : end).map(({ text }) => text);
  const plain = paragraph
    .join(' ')
    .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/[`*]/g, '');
  const sentence = /^.*?[.:](?=\s|$)/.exec(plain)?.[0] ?? plain;
  return sentence.replace(/:$/, '.');
}
