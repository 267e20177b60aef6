/** Default limits on queries and results. */
export const graphqlLimits = {
  /** UTF-16 units of the query's text. */
  text: 100_000,
  tokens: 4_000,
  /** Nesting depth of brackets. */
  nesting: 64,
  /** Directives, repetitions included. */
  directives: 50,
  /** Aliases, those in fragments once per spread. */
  aliases: 200,
  /** Fields and fragments, those in fragments once per spread. */
  fields: 1_000,
  /** Nesting depth of fields, fragments included. */
  depth: 30,
  /** Pairs of fields with the same response path, which validation compares. */
  pairs: 2_000,
  /** Estimated cost of introspection. */
  introspection: 200_000,
  /** Estimated cost of the result if all pages were full: see `plan.ts`. Checked before anything is read. */
  cost: 5_000_000,
  /** Actual cost of the result, counted during execution. */
  values: 100_000,
  /** Characters of a result's JSON, and bytes of the statements that are read for it. */
  characters: 4 * 1024 * 1024,
  /** Default of `first`. */
  page: 100,
  /** Maximum of `first`. */
  largestPage: 1_000,
  /** Maximum of `totalCount`. */
  count: 100_000,
  /** Maximum of `totalCount` for each item of a list. */
  repeatedCount: 1_000,
};

export type GraphqlLimits = Readonly<typeof graphqlLimits>;

/** Maximum of a `totalCount`, for each item of a list or once. */
export const countLimit = ({ count, repeatedCount }: GraphqlLimits, repeated: boolean): number =>
  repeated ? repeatedCount : count;

export const lookupPrice = 5;

export const countPrice = (atMost: number): number => atMost / 20;
