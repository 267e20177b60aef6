import { performance } from 'node:perf_hooks';
import {
  type ExecutionArgs,
  type ExecutionResult,
  execute,
  GraphQLError,
  type GraphQLSchema,
  getVariableValues,
  type VariableValues,
} from 'graphql';
import { A2AError } from '../../core/model/errors.ts';
import type { JsonObject } from '../../core/model/json.ts';
import type { KnowledgeView } from '../../core/model/knowledge.ts';
import type {
  KnowledgeQueryParams,
  KnowledgeQueryResponseResult,
  KnowledgeSubscribeParams,
} from '../../gen/knowledge-v1/types.ts';
import type { ChangePattern } from '../change-pattern.ts';
import { followChanges } from '../change-stream.ts';
import type { ChangeStream, QueryContext, QueryEngine } from '../ports.ts';
import { QueryBudget } from './budget.ts';
import { Documents, type Prepared } from './document.ts';
import { type OperationPurpose, queryError, querying, subscribing } from './errors.ts';
import { CostEstimate } from './estimate.ts';
import { type GraphqlLimits, graphqlLimits } from './limits.ts';
import { QueryReader } from './query-reader.ts';
import { property, type ResolverContext } from './resolvers.ts';
import { createSchema } from './schema.ts';
import { changePattern, plainFilter } from './subscription.ts';

/** Maximum of reported errors in variables. */
const maxErrors = 20;

/** A document that is valid and within limits, with its variables. */
interface Judged extends Prepared {
  readonly variables: VariableValues;
}

/** GraphQL with the generic schema. */
class GraphqlEngine implements QueryEngine {
  readonly #limits: GraphqlLimits;
  readonly #schema: GraphQLSchema;
  readonly #documents: Documents;

  constructor(limits: Partial<GraphqlLimits>) {
    this.#limits = { ...graphqlLimits, ...limits };
    this.#schema = createSchema();
    this.#documents = new Documents(this.#schema, this.#limits);
  }

  /**
   * Executes a query. Its metadata: `count` (statements in the result), `milliseconds`, `position` (of the last change
   * that is certainly included, to subscribe after), `truncated` (some pages have more), and `sources` (agents named in
   * provenances).
   *
   * Rejects with `knowledgeQuery` instead of returning a partial result.
   */
  async query(asking: QueryContext, request: KnowledgeQueryParams): Promise<KnowledgeQueryResponseResult> {
    const begun = performance.now();
    const { space, reader, log, signal } = asking;
    const { query, variables = {} } = request;
    const { document } = this.#judge(query, variables, querying);
    if (signal.aborted) throw A2AError.from(signal.reason);
    // Read before the graph, so that no later change counts as included.
    const position = (await log?.extent(space))?.last;
    const tally = new QueryBudget(this.#limits, asking.room);
    const end = AbortSignal.any([signal, tally.signal]);
    const reading = new QueryReader(reader, space, viewOf(asking, request, reader.now()), end, tally);
    const result = await executed(signal, tally, {
      schema: this.#schema,
      document,
      variableValues: variables,
      contextValue: { reading, tally, limits: this.#limits } satisfies ResolverContext,
      fieldResolver: property,
      abortSignal: end,
    });
    if (result.errors) throw failure(result.errors);
    const milliseconds = Math.round((performance.now() - begun) * 1_000) / 1_000;
    const queryMetadata = { ...tally.facts(), ...(position !== undefined && { position }), milliseconds };
    return { data: result.data, queryMetadata };
  }

  /**
   * Subscribes to `statementChanged`, or to a plain filter: a JSON object with its arguments. The selection must be
   * valid and is otherwise ignored: events carry whole changes.
   */
  async subscribe(
    asking: QueryContext,
    { subscriptionQuery, variables = {} }: KnowledgeSubscribeParams,
    after?: number,
  ): Promise<ChangeStream> {
    const pattern = plainFilter(subscriptionQuery) ?? this.#changePattern(subscriptionQuery, variables);
    return followChanges(asking, pattern, after);
  }

  #changePattern(text: string, variables: JsonObject): ChangePattern {
    const judged = this.#judge(text, variables, subscribing);
    return changePattern(this.#schema, judged, judged.variables);
  }

  /** Throws the purpose's error for a query that is invalid or beyond a limit, before anything is read. */
  #judge(text: string, given: JsonObject, purpose: OperationPurpose): Judged {
    const prepared = this.#documents.prepare(text, purpose);
    const declared = prepared.operation.variableDefinitions ?? [];
    const { variableValues: variables, errors } = getVariableValues(this.#schema, declared, given, { maxErrors });
    if (errors) throw queryError(purpose, errors);
    try {
      new CostEstimate(this.#schema, prepared, variables, this.#limits).judge(prepared);
    } catch (error) {
      throw error instanceof GraphQLError ? queryError(purpose, [error]) : error;
    }
    return { ...prepared, variables };
  }
}

async function executed(signal: AbortSignal, tally: QueryBudget, args: ExecutionArgs): Promise<ExecutionResult> {
  try {
    return await execute(args);
  } catch (error) {
    const { reason } = tally.signal;
    if (reason instanceof GraphQLError && !signal.aborted) throw queryError(querying, [reason]);
    throw A2AError.from(signal.aborted ? signal.reason : error);
  }
}

/** Internal errors are not the query's fault, and their messages are not shown. */
function failure(errors: readonly GraphQLError[]): A2AError {
  for (const { originalError } of errors) {
    if (originalError === undefined || originalError instanceof GraphQLError) continue;
    const error = A2AError.from(originalError);
    if (error.kind !== 'invalidParams') return error;
  }
  return queryError(querying, errors);
}

/** The view of a caller and a query. */
function viewOf(
  { hidden }: QueryContext,
  { requiredCertainty, maxAgeSeconds }: KnowledgeQueryParams,
  now: number,
): KnowledgeView {
  return {
    ...(requiredCertainty !== undefined && { minCertainty: requiredCertainty }),
    ...(maxAgeSeconds !== undefined && { since: now - maxAgeSeconds * 1_000 }),
    ...(hidden && { hidden }),
  };
}

/** Creates the GraphQL engine, which serves any number of agents. Missing limits are those of `graphqlLimits`. */
export const createGraphqlEngine = (limits: Partial<GraphqlLimits> = {}): QueryEngine => new GraphqlEngine(limits);
