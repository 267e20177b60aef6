import {
  type DocumentNode,
  GraphQLError,
  type GraphQLSchema,
  getOperationAST,
  Lexer,
  type OperationDefinitionNode,
  parse,
  Source,
  specifiedRules,
  TokenKind,
  validate,
} from 'graphql';
import { graphqlErrors, type OperationPurpose, queryError } from './errors.ts';
import type { GraphqlLimits } from './limits.ts';
import { measureStructure } from './structure.ts';

/** A valid document, and its only operation. */
export interface Prepared {
  readonly document: DocumentNode;
  readonly operation: OperationDefinitionNode;
}

/** Maximum of validation errors. */
const maxErrors = 20;

/** Maximum of comments. */
const maxComments = 1_000;

const opening: ReadonlySet<TokenKind> = new Set([TokenKind.BRACE_L, TokenKind.BRACKET_L, TokenKind.PAREN_L]);
const closing: ReadonlySet<TokenKind> = new Set([TokenKind.BRACE_R, TokenKind.BRACKET_R, TokenKind.PAREN_R]);

/** Counts tokens before parsing: the parser recurses for every bracket. */
function measureTokens(source: Source, limits: GraphqlLimits): void {
  const refuse = (message: string, start: number) => {
    throw new GraphQLError(message, { source, positions: [start] });
  };
  if (source.body.length > limits.text) refuse(`The query is longer than ${limits.text} characters`, 0);
  const lexer = new Lexer(source);
  let [tokens, nesting, directives] = [0, 0, 0];
  for (let token = lexer.advance(); token.kind !== TokenKind.EOF; token = lexer.advance()) {
    tokens += 1;
    if (opening.has(token.kind)) nesting += 1;
    if (closing.has(token.kind)) nesting -= 1;
    if (token.kind === TokenKind.AT) directives += 1;
    if (tokens > limits.tokens) refuse(`The query has more than ${limits.tokens} tokens`, token.start);
    if (nesting > limits.nesting) refuse(`Brackets are nested deeper than ${limits.nesting}`, token.start);
    if (directives > limits.directives) refuse(`The query has more than ${limits.directives} directives`, token.start);
  }
}

function parsed(text: string, limits: GraphqlLimits): DocumentNode {
  const source = new Source(text, 'query');
  measureTokens(source, limits);
  const document = parse(source, { maxLexicalTokens: limits.tokens, maxComments });
  measureStructure(document, limits);
  return document;
}

/** Cache of valid documents: agents repeat a query with other variables. */
const keptTexts = 100;
const keptCharacters = 2_000;

/**
 * Returns a function that parses and validates texts, within limits. It throws the purpose's error, with locations, for
 * a document that is invalid or does not have exactly one operation of the right kind.
 */
export function documentReader(
  schema: GraphQLSchema,
  limits: GraphqlLimits,
): (text: string, purpose: OperationPurpose) => Prepared {
  /** In LRU order. */
  const kept = new Map<string, Prepared>();

  const read = (text: string, purpose: OperationPurpose): Prepared => {
    const document = graphqlErrors(purpose, () => parsed(text, limits));
    const errors = validate(schema, document, specifiedRules, { maxErrors });
    if (errors.length > 0) throw queryError(purpose, errors);
    const operation = getOperationAST(document);
    if (operation) return { document, operation };
    const wanted = 'The document must contain exactly one operation';
    throw queryError(purpose, [new GraphQLError(wanted, { nodes: document.definitions })]);
  };

  const keep = (text: string, prepared: Prepared): void => {
    if (text.length > keptCharacters) return;
    kept.delete(text);
    kept.set(text, prepared);
    const [oldest] = kept.keys();
    if (kept.size > keptTexts && oldest !== undefined) kept.delete(oldest);
  };

  return (text, purpose) => {
    const prepared = kept.get(text) ?? read(text, purpose);
    keep(text, prepared);
    const { operation } = prepared;
    if (operation.operation === purpose.operation) return prepared;
    const wanted = `This is a ${operation.operation}; expected a ${purpose.operation}`;
    throw queryError(purpose, [new GraphQLError(wanted, { nodes: operation })]);
  };
}
