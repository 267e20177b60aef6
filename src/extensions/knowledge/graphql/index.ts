import { performance } from 'node:perf_hooks';
import { GraphQLError, getVariableValues } from 'graphql';
import { A2AError } from '../../../core/model/errors.ts';
import type { JsonObject } from '../../../core/model/json.ts';
import type { KnowledgeChangeStream } from '../../../core/model/knowledge.ts';
import type {
  KnowledgeQueryParams,
  KnowledgeQueryResponseResult,
  KnowledgeSubscribeParams,
} from '../../../gen/knowledge-v1/types.ts';
import type { ChangePattern } from '../change-stream.ts';
import { followChanges } from '../change-stream.ts';
import type { KnowledgeView } from '../model/graph.ts';
import type { QueryContext } from '../ports.ts';
import { takeTurn } from '../turns.ts';
import { createQueryBudget } from './budget.ts';
import { documentReader } from './document.ts';
import { graphqlErrors, type OperationPurpose, queryError } from './errors.ts';
import { executePlan } from './execute.ts';
import { type GraphqlLimits, graphqlLimits } from './limits.ts';
import { createLookups } from './lookups.ts';
import { planQuery } from './plan.ts';
import { createSchema } from './schema.ts';
import { changePattern, plainFilter } from './subscription.ts';

/** Maximum of reported errors in variables. */
const maxErrors = 20;

export type GraphqlEngine = ReturnType<typeof createGraphqlEngine>;

/** Creates the GraphQL engine with the generic schema, which serves any number of agents. */
export function createGraphqlEngine(given: Partial<GraphqlLimits> = {}) {
  const limits: GraphqlLimits = { ...graphqlLimits, ...given };
  const schema = createSchema();
  const readDocument = documentReader(schema, limits);

  /** Throws the purpose's error for a query that is invalid or beyond a limit, before anything is read. */
  const prepare = (text: string, values: JsonObject, purpose: OperationPurpose) => {
    const prepared = readDocument(text, purpose);
    const declared = prepared.operation.variableDefinitions ?? [];
    const { variableValues: variables, errors } = getVariableValues(schema, declared, values, { maxErrors });
    if (errors) throw queryError(purpose, errors);
    const fields = graphqlErrors(purpose, () => planQuery(schema, prepared, variables, limits));
    return { ...prepared, variables, fields };
  };

  return {
    /**
     * Executes a query. Its metadata: `count` (statements in the result), `milliseconds`, `position` (of the last
     * change that is certainly included, to subscribe after), `truncated` (some pages have more), and `sources` (agents
     * named in provenances).
     *
     * Rejects with `knowledgeQuery` for an invalid query, and instead of returning a partial result; the detail
     * `QueryErrors` has the locations.
     */
    async query(context: QueryContext, request: KnowledgeQueryParams): Promise<KnowledgeQueryResponseResult> {
      const begun = performance.now();
      const { space, store, signal } = context;
      const { query, variables = {} } = request;
      const turn = takeTurn();
      if (turn) await turn;
      const { fields } = prepare(query, variables, 'query');
      if (signal.aborted) throw A2AError.from(signal.reason);
      // Read before the graph, so that no later change counts as included.
      const { last: position } = await store.extent(space);
      const budget = createQueryBudget(limits, context.memory);
      const lookups = createLookups(store, space, viewOf(context, request, store.now()), signal, budget);
      const data = await executePlan(schema, fields, { lookups, budget, limits }, signal).catch((thrown: unknown) => {
        throw failure(signal.aborted ? signal.reason : thrown);
      });
      const milliseconds = Math.round((performance.now() - begun) * 1_000) / 1_000;
      const queryMetadata = { ...budget.facts(), position, milliseconds };
      return { data, queryMetadata };
    },

    /**
     * Subscribes to `statementChanged`, or to a plain filter: a JSON object with its arguments. The selection must be
     * valid and is otherwise ignored: events carry whole changes. Once it resolves, every later change will be
     * delivered, and those after position `after` if that is given. Rejects with `knowledgeSubscription`.
     */
    async subscribe(
      context: QueryContext,
      { subscriptionQuery: text, variables = {} }: KnowledgeSubscribeParams,
      after?: number,
    ): Promise<KnowledgeChangeStream> {
      const turn = takeTurn();
      if (turn) await turn;
      const patternOf = (): ChangePattern => {
        const prepared = prepare(text, variables, 'subscription');
        return changePattern(schema, prepared, prepared.variables);
      };
      return followChanges(context, plainFilter(text) ?? patternOf(), after);
    },
  };
}

/** Internal errors are not the query's fault, and their messages are not shown. */
const failure = (thrown: unknown): A2AError =>
  thrown instanceof GraphQLError ? queryError('query', [thrown]) : A2AError.from(thrown);

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
