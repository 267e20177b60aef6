import { performance } from 'node:perf_hooks';
import { GraphQLError, type GraphQLSchema, getArgumentValues, type VariableValues } from 'graphql';
import { A2AError } from '../../../core/model/errors.ts';
import { defined, isObject, type JsonObject, parsedJson } from '../../../core/model/json.ts';
import type {
  KnowledgeQueryParams,
  KnowledgeQueryResponseResult,
  KnowledgeSubscribeParams,
} from '../../../gen/knowledge-v1/types.ts';
import { type ChangePattern, followChanges } from '../change-stream.ts';
import type { KnowledgeView } from '../model/graph.ts';
import type { KnowledgeChangeStream } from '../model/knowledge.ts';
import type { QueryContext } from '../ports.ts';
import { takeTurn } from '../turns.ts';
import { QueryBudget } from './budget.ts';
import { documentReader, fieldsIn, fragmentsOf, type Prepared } from './document.ts';
import { graphqlErrors, type OperationPurpose, queryError } from './errors.ts';
import { executePlan } from './execute.ts';
import { type GraphqlLimits, graphqlLimits } from './limits.ts';
import { Lookups } from './lookups.ts';
import { planQuery } from './plan.ts';
import { definedStrings } from './resolvers.ts';
import { createSchema } from './schema.ts';
import { coercedVariables } from './versions.ts';

/** Maximum number of reported errors in variables. */
const maxErrors = 20;

/** The GraphQL engine with the generic schema. One engine serves any number of agents. */
export class GraphqlEngine {
  readonly #limits: GraphqlLimits;
  readonly #schema = createSchema();
  readonly #readDocument: ReturnType<typeof documentReader>;

  constructor(given: Partial<GraphqlLimits> = {}) {
    this.#limits = { ...graphqlLimits, ...given };
    this.#readDocument = documentReader(this.#schema, this.#limits);
  }

  /**
   * Executes a query. Metadata of the result: `count` (statements in the result), `milliseconds`, `position` (of the
   * last change that is certainly included, after which to subscribe), `truncated` (whether a page was cut off), and
   * `sources` (agents named in provenances).
   *
   * @throws A2AError `knowledgeQuery` for an invalid query, and instead of returning a partial result; its detail
   * `QueryErrors` contains the locations
   */
  async query(context: QueryContext, request: KnowledgeQueryParams): Promise<KnowledgeQueryResponseResult> {
    const begun = performance.now();
    const { space, store, signal } = context;
    const { query, variables = {} } = request;
    const turn = takeTurn();
    if (turn) await turn;
    const { fields } = this.#prepare(query, variables, 'query');
    if (signal.aborted) throw A2AError.from(signal.reason);
    // Read before the graph, so that no later change counts as included.
    const { last: position } = await store.extent(space);
    const budget = new QueryBudget(this.#limits, context.requester);
    const lookups = new Lookups(store, space, viewOf(context, request, store.now()), signal, budget);
    const data = await executePlan(this.#schema, fields, { lookups, budget, limits: this.#limits }, signal).catch(
      (thrown: unknown) => {
        throw failure(signal.aborted ? signal.reason : thrown);
      },
    );
    const milliseconds = Math.round((performance.now() - begun) * 1_000) / 1_000;
    const queryMetadata = { ...budget.facts(), position, milliseconds };
    return { data, queryMetadata };
  }

  /**
   * Subscribes to `statementChanged`, or to a plain filter: a JSON object with its arguments. The selection must be
   * valid and is otherwise ignored, because events contain whole changes. Once the promise resolves, every later change
   * will be delivered, and those after position `after` if it is given.
   *
   * @throws A2AError `knowledgeSubscription`
   */
  async subscribe(
    context: QueryContext,
    { subscriptionQuery: text, variables = {} }: KnowledgeSubscribeParams,
    after?: number,
  ): Promise<KnowledgeChangeStream> {
    const turn = takeTurn();
    if (turn) await turn;
    const patternOf = (): ChangePattern => {
      const prepared = this.#prepare(text, variables, 'subscription');
      return changePattern(this.#schema, prepared, prepared.variables);
    };
    return followChanges(context, plainFilter(text) ?? patternOf(), after);
  }

  /**
   * Checks a query before anything is read.
   *
   * @throws A2AError of the purpose, for a query that is invalid or beyond a limit
   */
  #prepare(text: string, values: JsonObject, purpose: OperationPurpose) {
    // Version 16 throws from some of its validation rules.
    const prepared = graphqlErrors(purpose, () => this.#readDocument(text, purpose));
    const declared = prepared.operation.variableDefinitions ?? [];
    const coerced = coercedVariables(this.#schema, declared, values, { maxErrors });
    if ('errors' in coerced) throw queryError(purpose, coerced.errors);
    const { variables } = coerced;
    const fields = graphqlErrors(purpose, () => planQuery(this.#schema, prepared, variables, this.#limits));
    return { ...prepared, variables, fields };
  }
}

/** Converts an error. Only a GraphQLError is the query's fault; messages of internal errors are not shown. */
const failure = (thrown: unknown): A2AError =>
  thrown instanceof GraphQLError ? queryError('query', [thrown]) : A2AError.from(thrown);

/** Returns the statements that a caller and a query may see. */
function viewOf(
  { hidden }: QueryContext,
  { requiredCertainty, maxAgeSeconds }: KnowledgeQueryParams,
  now: number,
): KnowledgeView {
  const since = maxAgeSeconds === undefined ? undefined : now - maxAgeSeconds * 1_000;
  return defined({ minCertainty: requiredCertainty, since, hidden });
}

/** Fields of a change pattern, which are the arguments of `statementChanged`. */
const names: readonly string[] = ['subject', 'predicate', 'object', 'type', 'graph'] satisfies (keyof ChangePattern)[];

/**
 * Returns the changes that a valid subscription selects. Validation allows one root field.
 *
 * @throws A2AError `knowledgeSubscription` if there is none
 */
function changePattern(schema: GraphQLSchema, prepared: Prepared, variables: VariableValues): ChangePattern {
  const { document, operation } = prepared;
  const [[node] = []] = fieldsIn(operation.selectionSet, fragmentsOf(document));
  const field = node && schema.getSubscriptionType()?.getFields()[node.name.value];
  if (field) return definedStrings(getArgumentValues(field, node, variables));
  throw queryError('subscription', [new GraphQLError('The subscription selects no field', { nodes: operation })]);
}

const refuse = (what: string): A2AError => new A2AError('knowledgeSubscription', `The filter ${what}`);

/**
 * Parses a plain filter: a JSON object with the arguments of `statementChanged`, such as `{"subject": "urn:a"}`.
 * Undefined for text that is not a JSON object.
 *
 * @throws A2AError `knowledgeSubscription` for unknown fields or invalid values
 */
function plainFilter(text: string): ChangePattern | undefined {
  const filter = objectIn(text);
  if (!filter) return undefined;
  for (const [name, value] of Object.entries(filter)) {
    if (!names.includes(name))
      throw refuse(`has an unknown field ${name.slice(0, 64)}; known fields: ${names.join(', ')}`);
    if (value !== null && typeof value !== 'string') throw refuse(`must have a string as its ${name}`);
  }
  return definedStrings(filter);
}

function objectIn(text: string): JsonObject | undefined {
  if (!text.trimStart().startsWith('{')) return undefined;
  const value = parsedJson(text);
  return isObject(value) ? value : undefined;
}
