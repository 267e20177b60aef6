/** How much a query may ask for, and how much it may get. */
export interface GraphqlLimits {
  /** UTF-16 units of the query's text. */
  readonly text: number;
  /** Words and signs of the query. */
  readonly tokens: number;
  /** How deep its brackets may be nested. */
  readonly nesting: number;
  /** Directives, repeated ones too. */
  readonly directives: number;
  /** Aliases, those of fragments as often as they are spread. */
  readonly aliases: number;
  /** Fields and fragments, those in fragments as often as they are spread. */
  readonly fields: number;
  /** How deep fields may be nested, fragments included. */
  readonly depth: number;
  /** Pairs of fields that would be compared, since they end up in one place of the answer. */
  readonly pairs: number;
  /** What is told of the schema itself could cost, in the same way as `cost`. */
  readonly introspection: number;
  /** What the answer could cost, were all pages full: see `cost.ts`. Judged before anything is read. */
  readonly cost: number;
  /** What the answer may cost as it comes together. */
  readonly values: number;
  /** UTF-16 units that the statements of an answer may have together, their provenance included. */
  readonly characters: number;
  /** Items of a page where `first` does not say. */
  readonly page: number;
  /** What `first` may say. */
  readonly largestPage: number;
  /** How far `totalCount` counts. */
  readonly count: number;
  /** How far it counts for each item of a list. */
  readonly repeatedCount: number;
}

/** What queries may ask for where nobody says else. */
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

/** How far `totalCount` counts, there for each item of a list, or once. */
export const countLimit = ({ count, repeatedCount }: GraphqlLimits, repeated: boolean): number =>
  repeated ? repeatedCount : count;

/** What is paid for one value that is looked up. */
export const lookupPrice = 5;

/** What is paid for counting so far. */
export const countPrice = (atMost: number): number => atMost / 20;
