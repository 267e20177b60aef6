import {
  type Document,
  isPair,
  isScalar,
  isSeq,
  type LineCounter,
  type Node,
  type Pair,
  type Range,
  visit,
} from 'yaml';
import type { ConfigProblem } from './report.ts';

/**
 * `${NAME}` cannot stand in a flow collection, where YAML reads the braces itself. So before parsing, the braces of each
 * reference become two private-use characters, of the same width, and every position stays true.
 */
const open = '\uE000';
const close = '\uE001';

/** `store: memory:` without quotes, which YAML would take for a mapping within a mapping. */
const bareMemory = /(\bstore:[ \t]+memory):([ \t]*(?:[,}#]|$))/gm;

/** Hides from the YAML parser what it would trip over, without moving a character: references, and `store: memory:`. */
export const readable = (text: string): string =>
  text.replace(/\$\{([A-Za-z_][A-Za-z0-9_]*)\}/g, `$$${open}$1${close}`).replace(bareMemory, '$1 $2');

/** Gives a text back its braces, for messages that quote it. */
export const showReferences = (text: string): string => text.replaceAll(open, '{').replaceAll(close, '}');

/**
 * Puts environment variables in the place of the references in a document's values. What a variable holds is taken as
 * text and never read as YAML. `$${NAME}` stands for `${NAME}` itself.
 *
 * @returns one problem for each reference to a variable that is not set
 */
export function substitute(
  document: Document.Parsed,
  env: Readonly<Record<string, string | undefined>>,
  where: (range: Range | null | undefined) => string,
): ConfigProblem[] {
  const problems: ConfigProblem[] = [];
  const reference = /(\$?)\$\uE000(\w+)\uE001/g;
  visit(document, {
    Scalar(key, node, ancestors) {
      if (key === 'key' || !isScalar<unknown>(node) || typeof node.value !== 'string') return;
      node.value = node.value.replace(reference, (_, doubled: string, name: string) => {
        if (doubled !== '') return `\${${name}}`;
        const value = env[name];
        if (value === undefined) {
          const message = `the environment variable ${name} is not set`;
          problems.push({ where: where(node.range), path: pathTo([...ancestors, node]), message });
        }
        return value ?? '';
      });
    },
  });
  return problems;
}

/** Keys called `__proto__`, which no mapping of JavaScript holds as one: they would be dropped without a word. */
export function refuseProto(
  document: Document.Parsed,
  where: (range: Range | null | undefined) => string,
): ConfigProblem[] {
  const problems: ConfigProblem[] = [];
  visit(document, {
    Pair(_, pair, ancestors) {
      const { key } = pair;
      if (!isScalar(key) || key.value !== '__proto__') return;
      const message = 'no key may be called __proto__; choose another name';
      problems.push({ where: where(key.range), path: pathTo([...ancestors, pair]), message });
    },
  });
  return problems;
}

/** Path of the keys and positions that a chain of nodes follows, such as `listen.cors.0`. */
function pathTo(chain: readonly (Document | Node | Pair)[]): string {
  const path: string[] = [];
  for (const [index, node] of chain.entries()) {
    const next = chain[index + 1];
    if (isPair(node)) path.push(isScalar(node.key) ? String(node.key.value) : '?');
    if (isSeq(node)) path.push(String(node.items.indexOf(next)));
  }
  return path.join('.');
}

/** Where a position of a file is, as `file:line`. */
export const placeIn =
  (file: string, lines: LineCounter) =>
  (range: Range | null | undefined): string =>
    `${file}:${lines.linePos(range?.[0] ?? 0).line}`;
