/** Default limits on queries and their results. */
export const graphqlLimits = {
  /** UTF-16 units of the query text. */
  text: 100_000,
  tokens: 4_000,
  /** Nesting depth of brackets. */
  nesting: 64,
  /** Directives, including repetitions. */
  directives: 50,
  /** Aliases; an alias in a fragment counts once per spread. */
  aliases: 200,
  /** Fields and fragments; those in a fragment count once per spread. */
  fields: 1_000,
  /** Nesting depth of fields, including those in fragments. */
  depth: 30,
  /** Pairs of fields with the same response path, which validation compares. */
  pairs: 2_000,
  /** Estimated cost of introspection. */
  introspection: 200_000,
  /** Estimated cost of the result with all pages full (`plan.ts`). Checked before anything is read. */
  cost: 5_000_000,
  /** Actual cost of the result, counted during execution. */
  values: 100_000,
  /** Characters of the result's JSON, and bytes of the statements that are read for it. */
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

/** Returns the maximum of a `totalCount`; a lower one if it is counted for each item of a list. */
export const countLimit = ({ count, repeatedCount }: GraphqlLimits, repeated: boolean): number =>
  repeated ? repeatedCount : count;

export const lookupPrice = 5;

export const countPrice = (atMost: number): number => atMost / 20;
