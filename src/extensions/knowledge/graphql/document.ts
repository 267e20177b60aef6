import {
  type ASTNode,
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  GraphQLError,
  type GraphQLSchema,
  getOperationAST,
  Kind,
  Lexer,
  type OperationDefinitionNode,
  parse,
  type SelectionNode,
  type SelectionSetNode,
  Source,
  specifiedRules,
  TokenKind,
  validate,
} from 'graphql';
import { countWork } from '../turns.ts';
import { graphqlErrors, type OperationPurpose, queryError } from './errors.ts';
import type { GraphqlLimits } from './limits.ts';

/** A valid document and its only operation. */
export interface Prepared {
  readonly document: DocumentNode;
  readonly operation: OperationDefinitionNode;
}

/** The fragments of a document, by name. */
type Fragments = ReadonlyMap<string, FragmentDefinitionNode>;

export const fragmentsOf = ({ definitions }: DocumentNode): Fragments =>
  new Map(
    definitions.flatMap((one) => (one.kind === Kind.FRAGMENT_DEFINITION ? [[one.name.value, one] as const] : [])),
  );

interface Options {
  /** Names of the fragments that contain the selection set. */
  readonly within?: readonly string[];
  /** Whether a field or fragment is part of the result. Default: all are. */
  readonly isIncluded?: (selection: SelectionNode) => boolean;
  /** Called with every field and fragment. */
  readonly onSelection?: (selection: SelectionNode) => void;
}

/**
 * Yields the fields of a selection set, including those of its fragments, each with the names of the fragments that
 * contain it. These fragments are not expanded again, since validation rejects recursive fragments. All type conditions
 * hold, because the schema contains neither interfaces nor unions.
 */
export function* fieldsIn(
  { selections }: SelectionSetNode,
  fragments: Fragments,
  options: Options = {},
): Generator<readonly [field: FieldNode, within: readonly string[]]> {
  const { within = [], isIncluded, onSelection } = options;
  for (const selection of selections) {
    onSelection?.(selection);
    if (isIncluded?.(selection) === false) continue;
    if (selection.kind === Kind.FIELD) yield [selection, within];
    else if (selection.kind === Kind.INLINE_FRAGMENT) {
      yield* fieldsIn(selection.selectionSet, fragments, options);
    } else {
      const name = selection.name.value;
      const fragment = within.includes(name) ? undefined : fragments.get(name);
      if (fragment) yield* fieldsIn(fragment.selectionSet, fragments, { ...options, within: [...within, name] });
    }
  }
}

/** Maximum number of validation errors. */
const maxErrors = 20;

const maxComments = 1_000;

const opening: ReadonlySet<TokenKind> = new Set([TokenKind.BRACE_L, TokenKind.BRACKET_L, TokenKind.PAREN_L]);
const closing: ReadonlySet<TokenKind> = new Set([TokenKind.BRACE_R, TokenKind.BRACKET_R, TokenKind.PAREN_R]);

/**
 * Counts tokens before parsing, because the parser recurses at every bracket. The count also bounds the cost of
 * validation.
 */
function measureTokens(source: Source, limits: GraphqlLimits): void {
  const refuse = (message: string, start: number) => {
    throw new GraphQLError(message, { source, positions: [start] });
  };
  if (source.body.length > limits.text) refuse(`The query is longer than ${limits.text} characters`, 0);
  const lexer = new Lexer(source);
  let [tokens, nesting, directives, comments] = [0, 0, 0, 0];
  for (let token = lexer.advance(); token.kind !== TokenKind.EOF; token = lexer.advance()) {
    tokens += 1;
    countWork(1);
    if (opening.has(token.kind)) nesting += 1;
    if (closing.has(token.kind)) nesting -= 1;
    if (token.kind === TokenKind.AT) directives += 1;
    if (tokens > limits.tokens) refuse(`The query has more than ${limits.tokens} tokens`, token.start);
    if (nesting > limits.nesting) refuse(`Brackets are nested deeper than ${limits.nesting}`, token.start);
    if (directives > limits.directives) refuse(`The query has more than ${limits.directives} directives`, token.start);
    // The lexer skips comments, and not every version limits them.
    for (let before = token.prev; before?.kind === TokenKind.COMMENT; before = before.prev) comments += 1;
    if (comments > maxComments) refuse(`The query has more than ${maxComments} comments`, token.start);
  }
}

/** The fields with one response path. */
interface Slot {
  fields: number;
  readonly below: Map<string, Slot>;
}

const newSlot = (): Slot => ({ fields: 0, below: new Map() });

const messages = {
  fields: (limit: number) => `The query has more than ${limit} fields and fragments, counted once per spread`,
  aliases: (limit: number) => `The query has more than ${limit} aliases`,
  depth: (limit: number) => `Fields are nested deeper than ${limit}`,
  pairs: () => 'The query selects the same field too often',
};

/**
 * Measures a document with its fragments expanded. Validation compares all pairs of fields with the same response path,
 * so these pairs are counted.
 *
 * @throws GraphQLError with the location of the first excess
 */
function measureStructure(document: DocumentNode, limits: GraphqlLimits): void {
  const fragments = fragmentsOf(document);
  const spread = new Set<string>();
  const count = { fields: 0, aliases: 0, pairs: 0 };

  const check = (limit: keyof typeof messages, amount: number, node: ASTNode): void => {
    if (amount > limits[limit]) throw new GraphQLError(messages[limit](limits[limit]), { nodes: node });
  };

  const visit = (set: SelectionSetNode, within: readonly string[], slot: Slot, depth: number): void => {
    const onSelection = (selection: SelectionNode): void => {
      count.fields += 1;
      check('fields', count.fields, selection);
      if (selection.kind === Kind.FRAGMENT_SPREAD) spread.add(selection.name.value);
    };
    const fields = fieldsIn(set, fragments, { within, onSelection });
    for (const [field, inside] of fields) {
      check('depth', depth, field);
      if (field.alias) count.aliases += 1;
      check('aliases', count.aliases, field);
      const name = field.alias?.value ?? field.name.value;
      const below = slot.below.get(name) ?? newSlot();
      slot.below.set(name, below);
      count.pairs += below.fields;
      below.fields += 1;
      check('pairs', count.pairs, field);
      if (field.selectionSet) visit(field.selectionSet, inside, below, depth + 1);
    }
  };

  for (const definition of document.definitions) {
    if (definition.kind === Kind.OPERATION_DEFINITION) visit(definition.selectionSet, [], newSlot(), 1);
  }
  // Unused fragments are validated too.
  for (const [name, { selectionSet }] of fragments) {
    if (!spread.has(name)) visit(selectionSet, [], newSlot(), 1);
  }
}

function parsed(text: string, limits: GraphqlLimits): DocumentNode {
  const source = new Source(text, 'query');
  measureTokens(source, limits);
  const document = parse(source);
  measureStructure(document, limits);
  return document;
}

/** Limits of the cache of valid documents. Agents often repeat a query with other variables. */
const cachedTexts = 100;
const cachedCharacters = 2_000;

/**
 * Returns a function that parses and validates documents within limits.
 *
 * @throws A2AError of the purpose, with locations, for a document that is invalid or does not contain exactly one
 * operation of the required kind
 */
export function documentReader(
  schema: GraphQLSchema,
  limits: GraphqlLimits,
): (text: string, purpose: OperationPurpose) => Prepared {
  /** Documents by text, in LRU order. */
  const cache = new Map<string, Prepared>();

  const read = (text: string, purpose: OperationPurpose): Prepared => {
    const document = graphqlErrors(purpose, () => parsed(text, limits));
    const errors = validate(schema, document, specifiedRules, { maxErrors });
    if (errors.length > 0) throw queryError(purpose, errors);
    const operation = getOperationAST(document);
    if (operation) return { document, operation };
    const message = 'The document must contain exactly one operation';
    throw queryError(purpose, [new GraphQLError(message, { nodes: document.definitions })]);
  };

  const keep = (text: string, prepared: Prepared): void => {
    if (text.length > cachedCharacters) return;
    cache.delete(text);
    cache.set(text, prepared);
    const [oldest] = cache.keys();
    if (cache.size > cachedTexts && oldest !== undefined) cache.delete(oldest);
  };

  return (text, purpose) => {
    const prepared = cache.get(text) ?? read(text, purpose);
    keep(text, prepared);
    const { operation } = prepared;
    if (operation.operation === purpose) return prepared;
    const message = `This is a ${operation.operation}; expected a ${purpose}`;
    throw queryError(purpose, [new GraphQLError(message, { nodes: operation })]);
  };
}
