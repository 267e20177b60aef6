import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { DataFactory, type Quad, StreamParser, type Term, Writer } from 'n3';
import { A2AError } from '../../../core/model/errors.ts';
import { newId } from '../../../core/model/ids.ts';
import { isKGStatement } from '../../../gen/knowledge-v1/guards.ts';
import type { StoredStatement } from '../model/graph.ts';
import type { KGObject, KGStatement } from '../model/knowledge.ts';
import { longDatatype, termOf, typePredicates, valueFrom } from '../model/terms.ts';
import type { KnowledgeFormat } from './formats.ts';
import { idFrom, languageOf, languageType, ownIds, rdf } from './iris.ts';

export { formatOf, type KnowledgeFormat, knowledgeFormats } from './formats.ts';

/** Contents of a file, in chunks. */
export type Pieces = AsyncIterable<Uint8Array | string>;

export interface ReadOptions {
  /** Base IRI for relative IRIs. */
  readonly base?: string;
  /**
   * Prefix of blank node ids. Default: unique per document, since equal labels in two documents are different nodes.
   */
  readonly blankPrefix?: string;
}

/** Removes nulls from a statement and from its subject and object, but not from its provenance. */
function withoutNulls(json: unknown, parts = ['subject', 'object']): unknown {
  if (typeof json !== 'object' || json === null) return json;
  const members = Object.entries(json).filter(([, value]) => value !== null);
  return Object.fromEntries(
    members.map(([name, value]) => [name, parts.includes(name) ? withoutNulls(value, []) : value]),
  );
}

/** Whether the object is either a resource or a literal, and the certainty is in range. */
function isWhole({ object: { id, value }, certainty = 1 }: KGStatement): boolean {
  const isLiteral = typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
  return (id === undefined ? isLiteral : value === undefined) && certainty >= 0 && certainty <= 1;
}

async function* readJsonLines(source: Pieces): AsyncGenerator<KGStatement> {
  let number = 0;
  for await (const line of createInterface({ input: Readable.from(source), crlfDelay: Number.POSITIVE_INFINITY })) {
    number += 1;
    if (line.trim() !== '') yield statementOf(line, number);
  }
}

/**
 * Parses a line of JSON Lines.
 *
 * @throws A2AError `invalidParams` with the line number
 */
function statementOf(line: string, number: number): KGStatement {
  let json: unknown;
  try {
    json = withoutNulls(JSON.parse(line));
  } catch (cause) {
    throw new A2AError('invalidParams', `Line ${number}: not JSON: ${(cause as Error).message}`);
  }
  if (isKGStatement(json) && isWhole(json as KGStatement)) return json as KGStatement;
  throw new A2AError('invalidParams', `Line ${number}: not a statement`);
}

async function* readRdf(
  source: Pieces,
  format: Exclude<KnowledgeFormat, 'jsonl'>,
  { base, blankPrefix = `${newId().replaceAll('-', '')}-` }: ReadOptions,
): AsyncGenerator<KGStatement> {
  const parser = new StreamParser({ format, ...(base !== undefined && { baseIRI: base }) });
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
    throw new A2AError('invalidParams', `Not ${format}: ${(cause as Error).message}`, { cause });
  } finally {
    input.destroy();
  }
}

/**
 * Reads the statements of a document as a stream.
 *
 * @throws A2AError `invalidParams` with the line for invalid input, and the errors of the source
 */
export const readStatements = (
  source: Pieces,
  format: KnowledgeFormat,
  options: ReadOptions = {},
): AsyncGenerator<KGStatement> => (format === 'jsonl' ? readJsonLines(source) : readRdf(source, format, options));

/** Characters per chunk. */
const piece = 32 * 1024;

async function* writeJsonLines(statements: AsyncIterable<KGStatement>): AsyncGenerator<string> {
  for await (const { at: _, ...statement } of statements as AsyncIterable<Partial<StoredStatement>>) {
    yield `${JSON.stringify(statement)}\n`;
  }
}

async function* writeRdf(
  statements: AsyncIterable<KGStatement>,
  format: Exclude<KnowledgeFormat, 'jsonl'>,
): AsyncGenerator<string> {
  let written = '';
  const output = {
    write(text: string, _encoding: string, done?: () => void): void {
      written += text;
      done?.();
    },
    end: (done?: () => void): void => done?.(),
  };
  const writer = new Writer(output as unknown as NodeJS.WritableStream, { format, end: false });
  const hasGraphs = format === 'nquads' || format === 'trig';
  for await (const statement of statements) {
    const { graph: _, ...triple } = statement;
    writer.addQuads(quadsOf(hasGraphs ? statement : triple));
    if (written.length <= piece) continue;
    yield written;
    written = '';
  }
  await new Promise<void>((resolve, reject) => writer.end((error) => (error ? reject(error) : resolve())));
  yield written;
}

/** Writes statements as a document, in chunks. Formats without graphs merge all graphs. */
export const writeStatements = (
  statements: AsyncIterable<KGStatement>,
  format: KnowledgeFormat,
): AsyncGenerator<string> => (format === 'jsonl' ? writeJsonLines(statements) : writeRdf(statements, format));

/** Groups items into lists of at most `size`. */
export async function* inBatches<Item>(items: AsyncIterable<Item>, size: number): AsyncGenerator<Item[]> {
  let some: Item[] = [];
  for await (const item of items) {
    if (some.push(item) < size) continue;
    yield some;
    some = [];
  }
  if (some.length > 0) yield some;
}

// Conversions between statements and RDF.

const { blankNode, defaultGraph, literal, namedNode, quad } = DataFactory;

const rdfType = namedNode(`${rdf}type`);
const langString = `${rdf}langString`;

/** An absolute IRI without the characters that RDF forbids. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are among those characters
const iri = /^[a-zA-Z][a-zA-Z0-9+.-]*:[^\u0000-\u0020<>"{}|^`\\]*$/;
const blank = /^_:[A-Za-z0-9_][A-Za-z0-9_-]*$/;

function resourceNode(id: string) {
  if (blank.test(id)) return blankNode(id.slice(2));
  return namedNode(iri.test(id) && !id.startsWith(ownIds) ? id : ownIds + encodeURIComponent(id));
}

function idOf({ termType, value }: Pick<Term, 'termType' | 'value'>, blankPrefix: string): string {
  if (termType === 'BlankNode') return `_:${blankPrefix}${value}`;
  return idFrom(value);
}

function objectNode(object: KGObject) {
  if (object.id !== undefined) return resourceNode(object.id);
  const { text, datatype } = termOf(object);
  const language = languageOf(datatype);
  if (language !== undefined) return literal(text, language);
  const type = longDatatype(datatype);
  return literal(text, namedNode(iri.test(type) ? type : ownIds + encodeURIComponent(type)));
}

function objectFrom(term: Quad['object'], blankPrefix: string): KGObject {
  if (term.termType !== 'Literal') return { id: idOf(term, blankPrefix) };
  const given = term.datatype.value;
  const type = given === langString ? languageType(term.language) : idOf(term.datatype, '');
  const value = valueFrom(termOf({ value: term.value, type }));
  // The type is omitted if it is the default for the value.
  return termOf({ value }).datatype === termOf({ value: term.value, type }).datatype ? { value } : { value, type };
}

/**
 * Returns the quads of a statement: the statement itself, and the types of its subject and object. Certainty and
 * provenance are lost, since RDF cannot express them.
 */
export function quadsOf({ subject, predicate, object, graph }: KGStatement): Quad[] {
  const place = graph ? resourceNode(graph) : defaultGraph();
  const s = resourceNode(subject.id);
  const o = objectNode(object);
  const p = typePredicates.has(predicate.id) ? rdfType : resourceNode(predicate.id);
  const quads = [quad(s, p as Quad['predicate'], o, place)];
  if (subject.type) quads.push(quad(s, rdfType, resourceNode(subject.type), place));
  if (object.type && object.id !== undefined) {
    quads.push(quad(resourceNode(object.id), rdfType, resourceNode(object.type), place));
  }
  return quads;
}

/** @param blankPrefix distinguishes the blank nodes of different documents */
export function statementFrom({ subject, predicate, object, graph }: Quad, blankPrefix: string): KGStatement {
  return {
    subject: { id: idOf(subject, blankPrefix) },
    predicate: { id: idOf(predicate, blankPrefix) },
    object: objectFrom(object, blankPrefix),
    ...(graph.termType !== 'DefaultGraph' && { graph: idOf(graph, blankPrefix) }),
  };
}
