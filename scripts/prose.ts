import { globSync, readFileSync } from 'node:fs';
import { extname } from 'node:path';
import { parseAst } from 'vitest/node';

/** A pattern of English that a reader stumbles over. */
export interface ProseRule {
  /** Name for messages. */
  readonly name: string;
  readonly pattern: RegExp;
  /** The reason, and a better form. */
  readonly advice: string;
}

/** The beginning of a text, a sentence, a table's cell or a list's item. */
const start = String.raw`(?:^|(?<=[.!?:]\*{0,2} )|(?<=^\*\*))`;

const begins = (words: string, rest = ''): RegExp => new RegExp(`${start}(?:${words})${rest}`);

/** The rules, each with its reason. Code, headings and questions are not read. */
export const rules: readonly ProseRule[] = [
  {
    name: 'unnamed person',
    pattern: /\b(?:nobody|somebody|anybody|everybody|whoever|whomever)\b/i,
    advice: 'name who acts (the caller, an operator), or write "no caller", "all callers"',
  },
  {
    name: '"Where" for "if"',
    pattern: begins('Where ', String.raw`[^?.:]*, [^?]*?(?:[.;](?:\s|$)|$)`),
    advice: 'begin a condition with "If" or "When"; "where" is a place',
  },
  {
    name: '"has got"',
    pattern: /\b(?:has|have|had) got\b/,
    advice: 'write "has received", "received" or "has"',
  },
  {
    name: '"is for … to"',
    pattern: /\b(?:is|are) for (?:the|a|an|its|each) [\w-]+ to [a-z]/,
    advice: 'make the noun the subject: "the client sets …"',
  },
  { name: '"in the midst"', pattern: /\bin the midst\b/i, advice: 'write "while" or "during"' },
  {
    name: '"What" for a noun',
    pattern: begins(String.raw`What (?!is new\b|else\b)`, String.raw`[^?:]*?(?:[.;](?:\s|$)|$)`),
    advice: 'begin with the noun: "Headers that …", "The fields that …", "Everything that …"',
  },
  {
    name: '"The same" without a noun',
    pattern: begins(String.raw`The same(?:[.,;:]|$| (?:for|with|as|of|but|in|at|over|without|is|are|holds|goes)\b)`),
    advice: 'repeat the noun, or say what it does',
  },
  {
    name: 'pronoun for a noun',
    pattern: begins(
      String.raw`(?:Those|That) (?:that|who|which|whose|of)(?! (?:the|these|those|its|them|several|many)\b) `,
    ),
    advice: 'begin with the noun',
  },
  {
    name: '"tells what"',
    pattern: /\b(?:tells|told) (?:what|which|how|whether|where|when)\b/,
    advice: 'write "reports", "lists" or "shows", with a noun',
  },
  {
    name: '", which has"',
    pattern: /, which (?:has|have) (?!been\b|to\b|no\b|not\b|since\b|already\b|just\b|\w+ed\b|\w+en\b)/,
    advice: 'write "with" or "including", or a sentence of its own with its verb',
  },
  {
    name: '"is no" for "is not a"',
    pattern:
      /\b(?:that|which|it|this) (?:is|was) no (?!longer|more|less|different|reason|doubt|such|way|need|other|one)/,
    advice: 'write "is not a"',
  },
  {
    name: '"but for"',
    pattern: /(?<!, |but |not )\bbut for (?!each|all|every|the (?:first|whole|same)|this|these)/,
    advice: 'write "except"',
  },
  {
    name: '"is away"',
    pattern: /\b(?:is|was|are|were|be|been) away(?! from)\b/,
    advice: 'write "is unreachable" or "is unavailable"',
  },
  {
    name: '"has the details"',
    pattern: /\bhas the (?:rest|details?|steps|figures|procedure)\b/,
    advice: 'write "describes" or "lists", with its object',
  },
  { name: '"what was asked"', pattern: /\bwhat (?:was|is) asked\b(?! for)/, advice: 'write "the request"' },
  {
    name: '"tokens of a provider"',
    pattern: /\btokens? of (?:an?|the|your) (?:identity )?provider\b/i,
    advice: 'write "from": a provider issues tokens',
  },
  { name: '"all the same"', pattern: /\ball the same\b/, advice: 'write "nevertheless" or "anyway"' },
];

/** A text with its first line. */
export interface ProseText {
  readonly line: number;
  readonly text: string;
}

/** A place where a text has a pattern. */
export interface ProseFault extends ProseText {
  readonly rule: ProseRule;
}

/** The faults of texts. */
export const faultsOf = (texts: readonly ProseText[]): ProseFault[] =>
  texts.flatMap(({ line, text }) =>
    rules.flatMap((rule) => {
      const found = rule.pattern.exec(text);
      return found === null ? [] : [{ line, text: excerpt(text, found.index), rule }];
    }),
  );

const excerpt = (text: string, index: number): string => text.slice(Math.max(0, index - 20), index + 80).trim();

/** Text without code, addresses and emphasis. */
const plain = (text: string): string =>
  text
    .replace(/`+[^`]*`+/g, 'X')
    .replace(/\{@link ([^}\s]+)[^}]*\}/g, 'X')
    .replace(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/<[^>]*>/g, '')
    .replace(/\s+/g, ' ')
    .trim();

/** The paragraphs, items and cells of Markdown text, without code blocks, comments, front matter and headings. */
export function textsOfMarkdown(markdown: string): ProseText[] {
  const texts: { line: number; text: string }[] = [];
  let open: { line: number; text: string } | undefined;
  let fence = '';
  const lines = markdown.replace(/<!--[\s\S]*?-->/g, (comment) => comment.replace(/[^\n]/g, '')).split('\n');
  const body = lines[0] === '---' ? lines.indexOf('---', 1) + 1 : 0;
  lines.forEach((text, index) => {
    if (index < body) return;
    const marks = /^\s*(`{3,})/.exec(text)?.[1] ?? '';
    if (fence !== '' || marks !== '') {
      if (fence === '') fence = marks;
      else if (text.trim() === fence) fence = '';
      open = undefined;
    } else if (text.trim() === '' || /^#{1,6} /.test(text)) {
      open = undefined;
    } else if (text.startsWith('|')) {
      open = undefined;
      const cells = text.replace(/`+[^`]*`+/g, 'X').split(/(?<!\\)\|/);
      texts.push(...cells.map((cell) => ({ line: index + 1, text: plain(cell) })));
    } else if (open === undefined || /^\s*(?:[-*]|\d+\.) /.test(text)) {
      open = { line: index + 1, text: text.replace(/^\s*(?:[-*]|\d+\.) /, '') };
      texts.push(open);
    } else open.text += `\n${text}`;
  });
  return texts.map(({ line, text }) => ({ line, text: plain(text) })).filter(({ text }) => text !== '');
}

interface Node {
  readonly type: string;
  readonly start: number;
  readonly [member: string]: unknown;
}

const isNode = (value: unknown): value is Node => typeof value === 'object' && value !== null && 'type' in value;

/** The comments of a program that begin with two slashes, where they begin a line. */
export const lineComments = (text: string): ProseText[] =>
  [...text.matchAll(/^[ \t]*\/\/.*(?:\n[ \t]*\/\/.*)*/gm)].map(({ index, 0: comment }) => ({
    line: text.slice(0, index).split('\n').length,
    text: plain(comment.replace(/^[ \t]*\/\/ ?/gm, '')),
  }));

/** The comments of TypeScript text that begin a line, and its texts of several words. */
export function textsOfCode(text: string, lang: 'ts' | 'tsx' = 'ts'): ProseText[] {
  const lineAt = (index: number): number => text.slice(0, index).split('\n').length;
  const texts: ProseText[] = [];
  const add = (index: number, found: string): void => {
    texts.push({ line: lineAt(index), text: plain(found) });
  };
  for (const { index, 1: comment = '' } of text.matchAll(/^[ \t]*\/\*\*?([\s\S]*?)\*\//gm)) {
    const lines = comment.replace(/^\s*\* ?/gm, '').replace(/```[\s\S]*?```/g, '');
    // A paragraph, an item or a tag is a text of its own.
    for (const part of lines.split(/\n\s*\n|\n(?=\s*(?:[-*] |@\w))/))
      add(index, part.replace(/^\s*(?:[-*] |@\w+(?: (?=\S)[\w.]+)?)/, ''));
  }
  texts.push(...lineComments(text));
  const visit = (node: unknown): void => {
    if (typeof node !== 'object' || node === null) return;
    if (isNode(node)) {
      const found = literalOf(node);
      if (found?.includes(' ')) add(node.start, found);
    }
    for (const child of Object.values(node)) visit(child);
  };
  visit(parseAst(text, { lang }).body);
  return texts;
}

/** The text of a literal or of a template, with X for each expression. */
function literalOf(node: Node): string | undefined {
  if ((node.type === 'Literal' || node.type === 'JSXText') && typeof node.value === 'string') return node.value;
  if (node.type !== 'TemplateLiteral') return undefined;
  return (node.quasis as readonly { value: { cooked: string | null } }[])
    .map(({ value }) => value.cooked ?? '')
    .join('X');
}

/** Reads the texts of a file, by the ending of its name. */
const readers: Readonly<Record<string, (text: string) => readonly ProseText[]>> = {
  '.md': textsOfMarkdown,
  '.proto': lineComments,
  '.ts': (text) => textsOfCode(text),
  '.tsx': (text) => textsOfCode(text, 'tsx'),
};

/** Files with prose, and those among them that generators write or that quote others. */
const places = [
  '*.md',
  'docs/**/*.md',
  'examples/**/*.md',
  'proto/a2agateway/**/*.proto',
  '{src,scripts,codegen,examples,tools/site}/**/*.{ts,tsx}',
];
const left = /node_modules|^src\/gen\/|^tools\/site\/(?:dist|\.stage)|^docs\/dialects\/|^scripts\/prose\.ts$/;

/** Reads all prose of the project: its faults, a line for each, and the number of its texts. */
export function readFaults(root: URL): { readonly faults: readonly string[]; readonly texts: number } {
  const paths = [...new Set(places.flatMap((place) => globSync(place, { cwd: root })))]
    .map((path) => path.replaceAll('\\', '/'))
    .filter((path) => !left.test(path));
  const faults: string[] = [];
  let count = 0;
  for (const path of paths.sort()) {
    const text = readFileSync(new URL(path, root), 'utf8');
    const texts = readers[extname(path)]?.(text) ?? [];
    count += texts.length;
    for (const { line, text: found, rule } of faultsOf(texts))
      faults.push(`${path}:${line}: ${rule.name}: "${found}": ${rule.advice}`);
  }
  return { faults, texts: count };
}
