/** Limits on queries and results. */
export interface GraphqlLimits {
  /** UTF-16 units of the query's text. */
  readonly text: number;
  /** Tokens of the query. */
  readonly tokens: number;
  /** Nesting depth of brackets. */
  readonly nesting: number;
  /** Directives, repetitions included. */
  readonly directives: number;
  /** Aliases, those in fragments once per spread. */
  readonly aliases: number;
  /** Fields and fragments, those in fragments once per spread. */
  readonly fields: number;
  /** Nesting depth of fields, fragments included. */
  readonly depth: number;
  /** Pairs of fields with the same response path, which validation compares. */
  readonly pairs: number;
  /** Estimated cost of introspection. */
  readonly introspection: number;
  /** Estimated cost of the result if all pages were full: see `estimate.ts`. Checked before anything is read. */
  readonly cost: number;
  /** Actual cost of the result, counted during execution. */
  readonly values: number;
  /** UTF-16 units of all statements of a result, with their provenance. */
  readonly characters: number;
  /** Default of `first`. */
  readonly page: number;
  /** Maximum of `first`. */
  readonly largestPage: number;
  /** Maximum of `totalCount`. */
  readonly count: number;
  /** Maximum of `totalCount` for each item of a list. */
  readonly repeatedCount: number;
}

/** Default limits. */
export const graphqlLimits: GraphqlLimits = {
  text: 100_000,
  tokens: 4_000,
  nesting: 64,
  directives: 50,
  aliases: 200,
  fields: 1_000,
  depth: 30,
  pairs: 2_000,
  introspection: 200_000,
  cost: 100_000_000,
  values: 500_000,
  characters: 16 * 1024 * 1024,
  page: 100,
  largestPage: 1_000,
  count: 100_000,
  repeatedCount: 1_000,
};

/** Maximum of a `totalCount`, for each item of a list or once. */
export const countLimit = ({ count, repeatedCount }: GraphqlLimits, repeated: boolean): number =>
  repeated ? repeatedCount : count;

/** Cost of a lookup. */
export const lookupPrice = 5;

/** Cost of a count. */
export const countPrice = (atMost: number): number => atMost / 20;
