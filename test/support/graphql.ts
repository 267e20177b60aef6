import { A2AError, queryErrorsType } from '../../src/core/model/errors.ts';
import { GraphqlEngine } from '../../src/extensions/knowledge/graphql/index.ts';
import type { Hidden } from '../../src/extensions/knowledge/model/graph.ts';
import type { KGStatement, KnowledgePatch } from '../../src/extensions/knowledge/model/knowledge.ts';
import { NaiveKnowledge } from './naive-knowledge.ts';

/** Asks a graph in memory by GraphQL. */

export const space = { agent: 'facts', tenant: '' };
export const engine = new GraphqlEngine();

export const relation = (
  subject: string,
  predicate: string,
  object: string,
  more: Partial<KGStatement> = {},
): KGStatement => ({
  subject: { id: subject },
  predicate: { id: predicate },
  object: { id: object },
  ...more,
});
export const fact = (subject: string, predicate: string, value: string | number | boolean): KGStatement => ({
  subject: { id: subject },
  predicate: { id: predicate },
  object: { value },
});

export const day = Date.UTC(2025, 3, 13);

export function graphOf(...statements: KGStatement[]): NaiveKnowledge {
  const graph = new NaiveKnowledge();
  const patches = statements.map((statement): KnowledgePatch => ({ op: 'add', statement }));
  graph.apply(patches, {}, day);
  return graph;
}

interface Settings {
  readonly variables?: Record<string, unknown>;
  readonly requiredCertainty?: number;
  readonly maxAgeSeconds?: number;
  readonly hidden?: Hidden;
  readonly signal?: AbortSignal;
}

export function ask(graph: NaiveKnowledge, query: string, { hidden, signal, ...request }: Settings = {}) {
  const asking = { space, store: graph, signal: signal ?? new AbortController().signal };
  return engine.query({ ...asking, ...(hidden && { hidden }) }, { query, ...request });
}

/** The answer as it is sent. */
export const data = async (graph: NaiveKnowledge, query: string, settings?: Settings) =>
  JSON.parse(JSON.stringify((await ask(graph, query, settings)).data));

/** Returns the engine's error. */
export async function refusal(answer: Promise<unknown>): Promise<A2AError> {
  const error = await answer.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (error instanceof A2AError) return error;
  throw new Error(`It should have been refused: ${error}`);
}

export const errorsOf = (error: A2AError) =>
  error.details().find((detail) => detail['@type'] === queryErrorsType)?.errors;
