import { createReadStream } from 'node:fs';
import type { Client, KGStatement } from '../../../client/index.ts';
import { missingPackages } from '../../../config/index.ts';
import { defined } from '../../../core/model/json.ts';
import { CommandFailed, type CommandOptions, type CommandTools, UsageError } from '../../command.ts';
import type { KnowledgeFormat } from '../rdf/documents.ts';

export interface ImportOptions extends CommandOptions {
  /** Format of the file. Default: by the file's extension. */
  readonly format?: KnowledgeFormat;
  /** Named graph for statements without a graph. */
  readonly graph?: string;
  readonly source?: string;
  readonly justification?: string;
}

export interface ExportOptions extends CommandOptions {
  /** A named graph; '' is the default graph. Absent: all graphs. */
  readonly graph?: string;
  readonly format?: KnowledgeFormat;
}

/** Number of statements in one update. */
const batch = 1_000;

/** Loads the code that reads and writes RDF. Its parser is not installed with the gateway. */
async function loadRdf() {
  const missing = missingPackages('rdf');
  if (missing !== undefined) throw new CommandFailed(`reading and writing RDF ${missing}`);
  return import('../rdf/documents.ts');
}

/** `a2a-gateway knowledge import`: adds the statements of a file in batches and prints their number. */
export async function importFile(
  target: string,
  file: string,
  options: ImportOptions,
  tools: CommandTools,
): Promise<void> {
  const { source, justification, graph } = options;
  const { formatOf, inBatches, readStatements } = await loadRdf();
  const format = options.format ?? formatOf(file);
  if (format === undefined) throw new UsageError(`${file}: unknown file extension; use --format`);
  // Opened first, so that a missing file causes the same error as in all other commands.
  if (file !== '-') await tools.readInput(file);
  const statements = readStatements(file === '-' ? process.stdin : createReadStream(file), format);
  const request = defined({ sourceAgentId: source, justification });
  let read = 0;
  let affected = 0;
  await tools.withClient(target, options, async ({ knowledge }) => {
    for await (const some of inBatches(withFileErrors(statements, file), batch)) {
      const mutations = some.map((statement) => ({ op: 'add', statement: { ...(graph && { graph }), ...statement } }));
      const answer = await knowledge.update({ ...request, mutations: mutations as never });
      if (!answer.success) {
        const why = [answer.verificationStatus, answer.verificationDetails].filter(Boolean).join('; ');
        throw new CommandFailed(
          `statements ${read + 1} to ${read + some.length}: ${why}; earlier statements were imported`,
        );
      }
      read += some.length;
      affected += answer.statementsAffected ?? 0;
      tools.output.progress(`${read} statements`);
    }
  });
  if (options.json === true)
    tools.output.print(`${JSON.stringify({ statements: read, statementsAffected: affected })}\n`);
  else tools.output.print(`${read} statements read, ${affected} affected\n`);
}

/** Reports parse errors with the name of the file. */
async function* withFileErrors<T>(items: AsyncIterable<T>, file: string): AsyncGenerator<T> {
  try {
    yield* items;
  } catch (thrown) {
    throw new UsageError(`${file}: ${(thrown as Error).message}`);
  }
}

const pageQuery = `query Export($graph: ID, $after: String) {
  statements(graph: $graph, first: 1000, after: $after) {
    nodes { subject { id type } predicate { id } object { id value type } graph certainty provenance }
    pageInfo { endCursor hasNextPage }
  }
}`;

interface ExportPage {
  readonly statements: {
    readonly nodes: readonly KGStatement[];
    readonly pageInfo: { readonly endCursor?: string; readonly hasNextPage: boolean };
  };
}

/** Yields every statement that the caller may see, page by page. */
async function* allStatements({ knowledge }: Client, graph: string | undefined): AsyncGenerator<KGStatement> {
  for (let after: string | undefined, more = true; more; ) {
    const variables = defined({ graph, after });
    const { data } = await knowledge.query({ query: pageQuery, queryLanguage: 'graphql', variables });
    const { nodes, pageInfo } = (withoutNulls(data) as ExportPage).statements;
    yield* nodes;
    more = pageInfo.hasNextPage && pageInfo.endCursor !== undefined;
    after = pageInfo.endCursor;
  }
}

/** Removes nulls, with which GraphQL represents absent values. */
const withoutNulls = (value: unknown): unknown => JSON.parse(JSON.stringify(value), (_, item) => item ?? undefined);

/** `a2a-gateway knowledge export`: prints all statements. Default format: N-Quads. */
export async function exportAll(target: string, options: ExportOptions, tools: CommandTools): Promise<void> {
  const { writeStatements } = await loadRdf();
  const format = options.format ?? (options.json === true ? 'jsonl' : 'nquads');
  await tools.withClient(target, options, async (client) => {
    const statements = allStatements(client, options.graph);
    for await (const text of writeStatements(statements as never, format)) tools.output.print(text);
  });
}
