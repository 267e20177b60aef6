import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { type Quad, StreamParser } from 'n3';
import { A2AError } from '../../core/errors.ts';
import { newId } from '../../core/ids.ts';
import type { KGStatement } from '../../core/knowledge.ts';
import { type KnowledgeFormat, rdfNames } from './formats.ts';
import { statementFrom } from './quads.ts';

/** What is read from a file, piece by piece. */
export type Pieces = AsyncIterable<Uint8Array | string>;

/** Throws `invalidParams` that says in which line. */
function* readLine(line: string, number: number): Generator<KGStatement> {
  if (line.trim() === '') return;
  let json: unknown;
  try {
    json = JSON.parse(line);
  } catch (cause) {
    throw new A2AError('invalidParams', `Line ${number}: not JSON: ${(cause as Error).message}`);
  }
  if (typeof json === 'object' && json !== null && 'subject' in json && 'predicate' in json && 'object' in json) {
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
  base: string | undefined,
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
  // The same name without a meaning of its own is another node in every document.
  const prefix = `${newId().replaceAll('-', '')}-`;
  try {
    for await (const quad of parser) yield statementFrom(quad as Quad, prefix);
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
 *
 * @param base what relative IRIs are relative to
 */
export const readStatements = (source: Pieces, format: KnowledgeFormat, base?: string): AsyncGenerator<KGStatement> =>
  format === 'jsonl' ? readJsonLines(source) : readRdf(source, format, base);
