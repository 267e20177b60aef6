import { dirname, resolve } from 'node:path';
import {
  type Document,
  isCollection,
  isMap,
  isNode,
  isPair,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  type Pair,
  type ParsedNode,
  parseDocument,
  type Range,
  visit,
} from 'yaml';
import { isObject, own } from '../core/model/json.ts';
import { splitIssues } from './issues.ts';
import { ConfigError, type ConfigProblem, protoRefused } from './report.ts';
import { resolveConfig } from './resolve.ts';
import { fileSchema, readOnce } from './schema.ts';
import { mayHaveNoAgents } from './sections/agents.ts';
import type { Config, ConfigOverrides } from './types.ts';

/** A file and its text. */
export interface ConfigSource {
  readonly file: string;
  readonly text: string;
}

export interface ParseOptions {
  /** Path of the file with the text, for messages. Relative paths in the text are relative to its folder. */
  readonly file: string;
  /** Files with further agents, by agent name. */
  readonly agentFiles?: readonly ConfigSource[];
  /** Values for `${NAME}`. Default: the process's environment. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Values of the command line, which override those of the text. */
  readonly overrides?: ConfigOverrides;
  /** The folder for relative paths in `overrides`. Default: the working directory. */
  readonly cwd?: string;
}

/**
 * Reads a configuration.
 *
 * @throws ConfigError that names every problem with its file, line and path
 */
export function parseConfig(text: string, options: ParseOptions): Config {
  const { file, agentFiles = [], env = process.env, overrides = {}, cwd = process.cwd() } = options;
  const main = readDocument({ file, text }, env, []);
  const documents = [main, ...agentFiles.map((source) => readDocument(source, env, ['agents']))];
  fail(documents.flatMap(({ problems }) => problems));

  const problems: ConfigProblem[] = [];
  const report = (path: readonly PropertyKey[], message: string): void => {
    const where = placeIn(documents, path);
    problems.push({ where, path: showReferences(path.map(String).join('.')), message: showReferences(message) });
  };

  const input = withAgents(toPlain(main), documents.slice(1));
  const parsed = fileSchema.safeParse(input, readOnce);
  if (!parsed.success) {
    for (const { path, message } of splitIssues(parsed.error)) report(path, message);
    throw new ConfigError(inOrder(problems));
  }
  const absoluteFile = resolve(cwd, file);
  const config = resolveConfig(
    parsed.data,
    overrides,
    { file: absoluteFile, folder: dirname(absoluteFile), cwd, env },
    report,
  );
  if (config.agents.size === 0 && !mayHaveNoAgents(config)) report(['agents'], 'expected at least one agent');
  fail(inOrder(problems));
  return config;
}

/**
 * Parses the text of a configuration into plain values, without replacing its references. Undefined if it is not valid
 * YAML.
 */
export function plainConfig(text: string): unknown {
  const { document } = openDocument({ file: '', text }, []);
  if (document.errors.length > 0) return undefined;
  return JSON.parse(JSON.stringify(document.toJS() ?? {}));
}

/** Returns one section of a configuration with its references replaced. The rest is not checked. Throws ConfigError. */
export function sectionIn(source: ConfigSource, name: string): unknown {
  const { problems, ...opened } = readDocument(source, process.env, []);
  fail(problems.filter(({ path }) => path === '' || path === name || path.startsWith(`${name}.`)));
  const content = toPlain(opened);
  return isObject(content) ? own(content, name) : undefined;
}

/** Returns the position of a key as `file:line`; for an absent key, the position of the nearest key above it. */
export const placeOf = ({ main, agentFiles }: ConfigSources, path: readonly string[]): string =>
  placeIn([openDocument(main, []), ...agentFiles.map((source) => openDocument(source, ['agents']))], path);

/** The texts of a configuration. */
export interface ConfigSources {
  readonly main: ConfigSource;
  readonly agentFiles: readonly ConfigSource[];
}

/** A document of the configuration. */
interface ConfigDocument {
  readonly document: Document.Parsed;
  /** The configuration path of the document's content. */
  readonly base: readonly string[];
  readonly where: (range: Range | null | undefined) => string;
}

function openDocument({ file, text }: ConfigSource, base: readonly string[]): ConfigDocument {
  const lines = new LineCounter();
  const document = parseDocument(readable(text), { lineCounter: lines, prettyErrors: false });
  return { document, base, where: lineIn(file, lines) };
}

/** Parses a text and replaces the references in it. */
function readDocument(
  source: ConfigSource,
  env: Readonly<Record<string, string | undefined>>,
  base: readonly string[],
): ConfigDocument & { readonly problems: readonly ConfigProblem[] } {
  const opened = openDocument(source, base);
  const { document, where } = opened;
  const problemsOf = (): readonly ConfigProblem[] => {
    const notParsed = document.errors.map((error) => ({
      where: where([error.pos[0], error.pos[1], error.pos[1]]),
      path: '',
      message: isOverflow(error) ? tooDeep : showReferences(notYaml(error)),
    }));
    // The parser reports only follow-up errors after a value that is nested too deeply.
    if (notParsed.some(({ message }) => message === tooDeep)) return notParsed.slice(0, 1);
    const steps = [() => notParsed, () => refuseDepth(document, where), () => refuseProto(document, where)];
    for (const step of steps) {
      const found = step();
      if (found.length > 0) return found;
    }
    return substitute(document, env, where);
  };
  const problems = problemsOf().map((problem) =>
    problem.path === '' ? problem : { ...problem, path: [...base, problem.path].join('.') },
  );
  return { ...opened, problems };
}

/** Adds the agents in further documents to the content of the first. */
function withAgents(content: unknown, documents: readonly ConfigDocument[]): unknown {
  const input = content ?? {};
  if (documents.length === 0 || !isObject(input) || !isObject(input.agents ?? {})) return input;
  const agents = new Map(Object.entries((input.agents ?? {}) as object));
  const problems: ConfigProblem[] = [];
  for (const { document, where } of documents) {
    const plain = toPlain({ document, where }) ?? {};
    if (!isObject(plain)) {
      problems.push({ where: where(document.range), path: 'agents', message: 'expected agents by their names' });
      continue;
    }
    for (const [name, agent] of Object.entries(plain)) {
      const range = locate(document, [name]);
      if (agents.has(name)) {
        problems.push({
          where: where(range),
          path: `agents.${name}`,
          message: 'there is another agent with this name',
        });
      }
      agents.set(name, agent);
    }
  }
  fail(problems);
  return { ...input, agents: Object.fromEntries(agents) };
}

/** Returns the position of a path: in the first document, unless another document contains the agent in the path. */
function placeIn(documents: readonly ConfigDocument[], path: readonly PropertyKey[]): string {
  const [main, ...others] = documents as readonly [ConfigDocument, ...ConfigDocument[]];
  const has = ({ document, base }: ConfigDocument): boolean =>
    base.every((key, index) => path[index] === key) && isMap(document.contents) && document.has(path[base.length]);
  const { document, base, where } = others.find(has) ?? main;
  return where(locate(document, path.slice(base.length)));
}

function fail(problems: readonly ConfigProblem[]): void {
  if (problems.length > 0) throw new ConfigError(problems);
}

/** Maximum number of nested mappings and lists. */
const maxDepth = 100;
const tooDeep = `it is nested too deeply: a configuration may have ${maxDepth} levels of mappings and lists`;

/**
 * Whether an error is a stack overflow, which the parser reports as an error in the text, once for each level that it
 * leaves.
 */
const isOverflow = ({ message }: Error): boolean => message.startsWith('Maximum call stack size exceeded');

/**
 * Returns a problem for the first value that is nested too deeply. It runs before any code that recurses through the
 * document.
 */
function refuseDepth(document: Document.Parsed, where: (range: Range | null | undefined) => string): ConfigProblem[] {
  let problem: ConfigProblem | undefined;
  visit(document, {
    Collection(_, node, ancestors) {
      if (ancestors.filter(isCollection).length < maxDepth) return undefined;
      problem = { where: where(node.range), path: '', message: tooDeep };
      return visit.BREAK;
    },
  });
  return problem ? [problem] : [];
}

/** Returns the message about a text that is not YAML, without the quoted text, which may be a secret. */
const notYaml = ({ message }: Error): string =>
  `not valid YAML: ${withoutQuote(
    message.replace(
      /(the anchor must be set before the alias\)): .*/s,
      '$1; put a value that begins with * into quotes',
    ),
  )}`;

/** Removes the quoted text at the end of a message. */
function withoutQuote(message: string): string {
  const start = message.indexOf(': "');
  return start >= 0 && message.endsWith('"') && message.length > start + 3 ? message.slice(0, start) : message;
}

const lineOf = ({ where }: ConfigProblem): number => Number(where?.slice(where.lastIndexOf(':') + 1) ?? 0);

const inOrder = (problems: readonly ConfigProblem[]): ConfigProblem[] =>
  problems.toSorted((a, b) => lineOf(a) - lineOf(b));

/** Converts a document to plain values. Refuses aliases that expand too far. */
function toPlain({ document, where }: Pick<ConfigDocument, 'document' | 'where'>): unknown {
  try {
    return document.toJS();
  } catch (error) {
    throw new ConfigError([{ where: where(document.range), path: '', message: notYaml(error as Error) }], {
      cause: error,
    });
  }
}

/** Returns the range of a path's key in the document, or of the nearest existing key above it. */
function locate(document: Document<ParsedNode>, path: readonly PropertyKey[]): Range | null | undefined {
  let node: Node | null = document.contents;
  let range = node?.range;
  for (const segment of path) {
    if (!isCollection(node)) break;
    let next: unknown;
    if (isMap(node)) {
      const pair = node.items.find(({ key }) => (isScalar(key) ? String(key.value) : key) === segment);
      if (pair === undefined) break;
      if (isNode(pair.key)) range = pair.key.range;
      next = pair.value;
    } else if (isSeq(node)) {
      next = node.items[Number(segment)];
      if (isNode(next)) range = next.range;
    }
    node = isNode(next) ? next : null;
  }
  return range;
}

/**
 * Replacement for `{`. YAML cannot parse `${NAME}` in a flow collection, where braces have a meaning. Before parsing,
 * the braces of each reference are therefore replaced by two private-use characters of equal width, so that positions
 * stay correct.
 */
const open = '\uE000';
const close = '\uE001';

/** Matches `store: memory:` without quotes, which YAML would parse as a nested mapping. */
const bareMemory = /(\bstore:[ \t]+memory):([ \t]*(?:[,}#]|$))/gm;

/** Replaces references and `store: memory:`, which YAML cannot parse, without changing any position. */
const readable = (text: string): string =>
  text.replace(/\$\{([A-Za-z_][A-Za-z0-9_]*)\}/g, `$$${open}$1${close}`).replace(bareMemory, '$1 $2');

/** Restores the braces in messages that quote the text. */
const showReferences = (text: string): string => text.replaceAll(open, '{').replaceAll(close, '}');

/**
 * Replaces references in a document's values with environment variables. Their values are strings and never parsed as
 * YAML. `$${NAME}` stands for a literal `${NAME}`.
 *
 * @returns one problem for each reference to a variable that is not set
 */
function substitute(
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
        const value = own(env, name);
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

/** Returns problems for keys named `__proto__`, which JavaScript objects would drop silently. */
function refuseProto(document: Document.Parsed, where: (range: Range | null | undefined) => string): ConfigProblem[] {
  const problems: ConfigProblem[] = [];
  visit(document, {
    Pair(_, pair, ancestors) {
      const { key } = pair;
      if (!isScalar(key) || key.value !== '__proto__') return;
      problems.push({ where: where(key.range), path: pathTo([...ancestors, pair]), message: protoRefused });
    },
  });
  return problems;
}

/** Returns the path of a chain of nodes, such as `listen.cors.0`. */
function pathTo(chain: readonly (Document | Node | Pair)[]): string {
  const path: string[] = [];
  for (const [index, node] of chain.entries()) {
    const next = chain[index + 1];
    if (isPair(node)) path.push(isScalar(node.key) ? String(node.key.value) : '?');
    if (isSeq(node)) path.push(String(node.items.indexOf(next)));
  }
  return path.join('.');
}

/** Returns a function that converts a range to its position in a file, as `file:line`. */
const lineIn =
  (file: string, lines: LineCounter) =>
  (range: Range | null | undefined): string =>
    `${file}:${lines.linePos(range?.[0] ?? 0).line}`;
