import { readFileSync } from 'node:fs';
import { type Block, blocksOf } from '../readme/blocks.ts';

/** A section of the page: one framework. */
export interface Section {
  readonly title: string;
  /** The page with empty lines in place of the other sections, so that lines keep their numbers. */
  readonly markdown: string;
  readonly blocks: readonly Block[];
}

/** The page `docs/guides/frameworks.md`. */
export const page = readFileSync(new URL('../../docs/guides/frameworks.md', import.meta.url), 'utf8');

/** The sections of a Markdown text that have blocks: each begins with a heading of the second level. */
export function sectionsOf(markdown: string): Section[] {
  const lines = markdown.split('\n');
  const starts = lines.flatMap((line, index) => (line.startsWith('## ') ? [index] : []));
  return starts
    .map((start, index) => {
      const end = starts[index + 1] ?? lines.length;
      const kept = lines.map((line, at) => (at >= start && at < end ? line : '')).join('\n');
      return { title: lines[start]?.slice('## '.length) ?? '', markdown: kept, blocks: blocksOf(kept) };
    })
    .filter(({ blocks }) => blocks.length > 0);
}

/** Packages that a section installs with `npm install`: versions by name. */
export const npmPackages = ({ blocks }: Section): ReadonlyMap<string, string> =>
  new Map(
    blocks
      .flatMap(({ language, text }) => (language === 'sh' ? [...text.matchAll(/^npm install (.+)$/gm)] : []))
      .flatMap(([, words = '']) => [...words.matchAll(/(@?[^\s@]+)@(\S+)/g)])
      .map(([, name = '', version = '']) => [name, version]),
  );
