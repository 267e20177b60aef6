import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, posix, sep } from 'node:path';

/** A tag of HTML that names something else. */
interface Reference {
  readonly tag: string;
  readonly target: string;
}

/** Tags whose target a browser loads by itself. */
const loads: ReadonlySet<string> = new Set(['script', 'link', 'img', 'source', 'iframe', 'video', 'audio']);

/**
 * Looks through a built site for links to pages, files and headings that do not exist, and for what a browser would load
 * from elsewhere.
 *
 * @param site folder of the site
 * @param base path below which it is served, such as `/`
 * @returns a line for each mistake
 */
export function faultsOf(site: string, base: string): string[] {
  const files = readdirSync(site, { recursive: true, encoding: 'utf8' }).map((path) => path.split(sep).join('/'));
  const pages = files.filter((path) => path.endsWith('.html'));
  const html = new Map(pages.map((path) => [path, readFileSync(join(site, path), 'utf8')]));
  const ids = new Map([...html].map(([path, text]) => [path, idsOf(text)]));
  const faults = new Set<string>();
  for (const [path, text] of html) {
    for (const { tag, target } of referencesOf(text)) {
      const fault = faultOf(tag, target, path);
      if (fault !== undefined) faults.add(`${path}: ${target}: ${fault}`);
    }
  }
  for (const path of files.filter((name) => name.endsWith('.css'))) {
    for (const [, target = ''] of readFileSync(join(site, path), 'utf8').matchAll(
      /(?:url\(|@import )["']?([^"')]+)/g,
    )) {
      if (/^(https?:)?\/\//.test(target)) faults.add(`${path}: ${target}: is loaded from another place`);
    }
  }
  return [...faults];

  function faultOf(tag: string, target: string, page: string): string | undefined {
    if (/^(https?:)?\/\//.test(target)) return loads.has(tag) ? 'is loaded from another place' : undefined;
    if (/^(mailto|data):/.test(target)) return undefined;
    const { pathname, hash } = new URL(target, `http://site${base}${page}`);
    if (!pathname.startsWith(base)) return 'is outside the site';
    const path = decodeURIComponent(pathname.slice(base.length));
    const file = path === '' || path.endsWith('/') ? posix.join(path, 'index.html') : path;
    if (!existsSync(join(site, file))) return 'there is no such page';
    const id = decodeURIComponent(hash.slice(1));
    return id === '' || ids.get(file)?.has(id) ? undefined : 'there is no such heading';
  }
}

function* referencesOf(html: string): Generator<Reference> {
  for (const [, tag = '', attributes = ''] of html.matchAll(/<(\w+)((?:\s+[\w:@-]+(?:="[^"]*")?)*)\s*\/?>/g)) {
    for (const [, name, value = ''] of attributes.matchAll(/\s(href|src|srcset)="([^"]*)"/g)) {
      const targets = name === 'srcset' ? value.split(',').map((one) => one.trim().split(' ')[0] ?? '') : [value];
      for (const target of targets) yield { tag, target: unescaped(target) };
    }
  }
}

const idsOf = (html: string): Set<string> =>
  new Set([...html.matchAll(/\sid="([^"]*)"/g)].map(([, id = '']) => unescaped(id)));

const unescaped = (text: string): string =>
  text.replaceAll('&quot;', '"').replaceAll('&#39;', "'").replaceAll('&lt;', '<').replaceAll('&amp;', '&');
