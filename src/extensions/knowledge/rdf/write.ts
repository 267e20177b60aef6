import { Writer } from 'n3';
import type { KGStatement } from '../../../core/model/knowledge.ts';
import type { StoredStatement } from '../model/graph.ts';
import type { KnowledgeFormat } from './formats.ts';
import { quadsOf } from './quads.ts';

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

/** Writes a document of statements in chunks. In formats without graphs, all graphs are merged. */
export const writeStatements = (
  statements: AsyncIterable<KGStatement>,
  format: KnowledgeFormat,
): AsyncGenerator<string> => (format === 'jsonl' ? writeJsonLines(statements) : writeRdf(statements, format));
