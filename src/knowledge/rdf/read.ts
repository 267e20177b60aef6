import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { type Quad, StreamParser } from 'n3';
import { A2AError } from '../../core/model/errors.ts';
import { newId } from '../../core/model/ids.ts';
import type { KGStatement } from '../../core/model/knowledge.ts';
import { isKGStatement } from '../../gen/knowledge-v1/guards.ts';
import { type KnowledgeFormat, rdfNames } from './formats.ts';
import { statementFrom } from './quads.ts';

/** What is read from a file, piece by piece. */
export type Pieces = AsyncIterable<Uint8Array | string>;

export interface ReadOptions {
  /** What relative IRIs are relative to. */
  readonly base?: string;
  /**
   * What the names of nodes without a name begin with. Default: something else for every document, since the same name
   * is another node there.
   */
  readonly blankPrefix?: string;
}

/** Null is absence, in a statement as in its parts; not in its provenance, which is the writer's affair. */
function withoutNulls(json: unknown, parts = ['subject', 'object']): unknown {
  if (typeof json !== 'object' || json === null) return json;
  const members = Object.entries(json).filter(([, value]) => value !== null);
  return Object.fromEntries(
    members.map(([name, value]) => [name, parts.includes(name) ? withoutNulls(value, []) : value]),
  );
}

/** Whether the object is a resource or a literal, one of both, and the certainty one. */
function isWhole({ object: { id, value }, certainty = 1 }: KGStatement): boolean {
  const isLiteral = typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
  return (id === undefined ? isLiteral : value === undefined) && certainty >= 0 && certainty <= 1;
}

/** Throws `invalidParams` that says in which line. */
function* readLine(line: string, number: number): Generator<KGStatement> {
  if (line.trim() === '') return;
  let json: unknown;
  try {
    json = withoutNulls(JSON.parse(line));
  } catch (cause) {
    throw new A2AError('invalidParams', `Line ${number}: not JSON: ${(cause as Error).message}`);
  }
  if (isKGStatement(json) && isWhole(json as KGStatement)) {
    yield json as KGStatement;
    return;
  }
  throw new A2AError('invalidParams', `Line ${number}: not a statement`);
}

async function* readJsonLines(source: Pieces): AsyncGenerator<KGStatement> {
  let number = 0;
  for await (const line of createInterface({ input: Readable.from(source), crlfDelay: Number.POSITIVE_INFINITY })) {
    number += 1;
    yield* readLine(line, number);
  }
}

async function* readRdf(
  source: Pieces,
  format: Exclude<KnowledgeFormat, 'jsonl'>,
  { base, blankPrefix = `${newId().replaceAll('-', '')}-` }: ReadOptions,
): AsyncGenerator<KGStatement> {
  const options = { format: rdfNames[format], ...(base !== undefined && { baseIRI: base }) };
  const parser = new StreamParser(options);
  const input = Readable.from(source);
  let broken: unknown;
  input.on('error', (error) => {
    broken = error;
    parser.destroy(error);
  });
  input.pipe(parser);
  try {
    for await (const quad of parser) yield statementFrom(quad as Quad, blankPrefix);
  } catch (cause) {
    if (broken !== undefined) throw broken;
    throw new A2AError('invalidParams', `Not ${rdfNames[format]}: ${(cause as Error).message}`, { cause });
  } finally {
    input.destroy();
  }
}

/**
 * Statements of a document, while it is being read. Throws `invalidParams` where it is not what it is said to be, with the
 * line, and whatever reading it throws.
 */
export const readStatements = (
  source: Pieces,
  format: KnowledgeFormat,
  options: ReadOptions = {},
): AsyncGenerator<KGStatement> => (format === 'jsonl' ? readJsonLines(source) : readRdf(source, format, options));
