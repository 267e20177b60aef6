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
 * YAML cannot parse `${NAME}` in a flow collection, where braces have a meaning. So before parsing, the braces of each
 * reference are replaced by two private-use characters of the same width, which keeps all positions.
 */
const open = '\uE000';
const close = '\uE001';

/** `store: memory:` without quotes, which YAML would parse as a mapping in a mapping. */
const bareMemory = /(\bstore:[ \t]+memory):([ \t]*(?:[,}#]|$))/gm;

/** Replaces what YAML cannot parse, references and `store: memory:`, without moving a character. */
export const readable = (text: string): string =>
  text.replace(/\$\{([A-Za-z_][A-Za-z0-9_]*)\}/g, `$$${open}$1${close}`).replace(bareMemory, '$1 $2');

/** Restores the braces, for messages that quote the text. */
export const showReferences = (text: string): string => text.replaceAll(open, '{').replaceAll(close, '}');

/**
 * Replaces references in a document's values by environment variables. Their values are texts, never parsed as YAML.
 * `$${NAME}` stands for `${NAME}` itself.
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

/** Refuses keys called `__proto__`: JavaScript objects would drop them silently. */
export function refuseProto(
  document: Document.Parsed,
  where: (range: Range | null | undefined) => string,
): ConfigProblem[] {
  const problems: ConfigProblem[] = [];
  visit(document, {
    Pair(_, pair, ancestors) {
      const { key } = pair;
      if (!isScalar(key) || key.value !== '__proto__') return;
      const message = '__proto__ is not allowed as a key; choose another name';
      problems.push({ where: where(key.range), path: pathTo([...ancestors, pair]), message });
    },
  });
  return problems;
}

/** The path of a chain of nodes, such as `listen.cors.0`. */
function pathTo(chain: readonly (Document | Node | Pair)[]): string {
  const path: string[] = [];
  for (const [index, node] of chain.entries()) {
    const next = chain[index + 1];
    if (isPair(node)) path.push(isScalar(node.key) ? String(node.key.value) : '?');
    if (isSeq(node)) path.push(String(node.items.indexOf(next)));
  }
  return path.join('.');
}

/** A position in a file, as `file:line`. */
export const placeIn =
  (file: string, lines: LineCounter) =>
  (range: Range | null | undefined): string =>
    `${file}:${lines.linePos(range?.[0] ?? 0).line}`;
