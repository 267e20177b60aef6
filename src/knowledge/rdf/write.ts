import { Writer } from 'n3';
import type { KGStatement, StoredStatement } from '../../core/model/knowledge.ts';
import { type KnowledgeFormat, rdfNames } from './formats.ts';
import { quadsOf } from './quads.ts';

/** Characters per chunk. */
const piece = 32 * 1024;

function* lineOf({ at: _, ...statement }: KGStatement & Partial<StoredStatement>): Generator<string> {
  yield `${JSON.stringify(statement)}\n`;
}

async function* writeJsonLines(statements: AsyncIterable<KGStatement>): AsyncGenerator<string> {
  for await (const statement of statements) yield* lineOf(statement);
}

async function* writeRdf(
  statements: AsyncIterable<KGStatement>,
  format: Exclude<KnowledgeFormat, 'jsonl'>,
): AsyncGenerator<string> {
  const written: string[] = [];
  let length = 0;
  const take = (): string => {
    length = 0;
    return written.splice(0).join('');
  };
  const output = {
    write(text: string, _encoding: string, done?: () => void): void {
      written.push(text);
      length += text.length;
      done?.();
    },
    end: (done?: () => void): void => done?.(),
  };
  const writer = new Writer(output as unknown as NodeJS.WritableStream, { format: rdfNames[format], end: false });
  for await (const statement of statements) {
    writer.addQuads(quadsOf(statement));
    if (length > piece) yield take();
  }
  await new Promise<void>((resolve, reject) => writer.end((error) => (error ? reject(error) : resolve())));
  yield take();
}

/** Writes a document of statements in chunks. In formats without graphs, all graphs are merged. */
export const writeStatements = (
  statements: AsyncIterable<KGStatement>,
  format: KnowledgeFormat,
): AsyncGenerator<string> =>
  format === 'jsonl' ? writeJsonLines(statements) : writeRdf(flat(statements, format), format);

async function* flat(statements: AsyncIterable<KGStatement>, format: KnowledgeFormat): AsyncGenerator<KGStatement> {
  const hasGraphs = format === 'nquads' || format === 'trig';
  for await (const statement of statements) {
    const { graph: _, ...triple } = statement;
    yield hasGraphs ? statement : triple;
  }
}
