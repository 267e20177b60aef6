import { buildSchema, type GraphQLFieldResolver, type GraphQLSchema, isObjectType } from 'graphql';
import { type ResolverContext, resolvers } from './resolvers.ts';

/** The generic schema of every agent with knowledge. */
export const schemaText = `
"A literal: a string, a number or a boolean."
scalar Literal

"A JSON object."
scalar JSON

"A moment as ISO 8601 has it, in UTC."
scalar DateTime

type Query {
  "Statements that all arguments fit."
  statements(
    subject: ID
    predicate: ID
    "Id of a resource."
    object: ID
    "Text of a literal, of any datatype."
    value: String
    "What the subject is an instance of."
    type: ID
    "A named graph; the empty string is the default graph. Without it: any."
    graph: ID
    "From 0 to 1. Statements without a certainty are certain."
    minCertainty: Float
    "At most so many: 100 by default, and up to 1000."
    first: Int
    "Begins after this \`endCursor\`."
    after: String
  ): StatementConnection!
  "The resource that is the subject or the object of statements; null where there are none."
  entity(id: ID!): Entity
  "Resources that are the subject or the object of statements."
  entities(
    "What they are instances of."
    type: ID
    "At most so many: 100 by default, and up to 1000."
    first: Int
    "Begins after this \`endCursor\`."
    after: String
  ): EntityConnection!
}

type Subscription {
  "Changes of statements that all arguments fit. Every event is a whole change, whatever is selected."
  statementChanged(subject: ID, predicate: ID, object: ID, type: ID, graph: ID): StatementChange!
}

type StatementConnection {
  nodes: [Statement!]!
  pageInfo: PageInfo!
  "How many there are on all pages. Where that is beyond a bound: the bound."
  totalCount: Int!
  "False: there are more than \`totalCount\`."
  totalCountIsExact: Boolean!
}

type EntityConnection {
  nodes: [Entity!]!
  pageInfo: PageInfo!
  "How many there are on all pages. Where that is beyond a bound: the bound."
  totalCount: Int!
  "False: there are more than \`totalCount\`."
  totalCountIsExact: Boolean!
}

type PageInfo {
  "Null where the page is empty."
  endCursor: String
  hasNextPage: Boolean!
}

type Statement {
  subject: Subject!
  predicate: Predicate!
  object: Object!
  "Null: the default graph."
  graph: ID
  "From 0 to 1. Null: not stated, which counts as certain."
  certainty: Float
  provenance: JSON
  "When it was last stated."
  timestamp: DateTime!
}

type Subject {
  id: ID!
  "What the statement calls it an instance of."
  type: ID
  "From here on through the graph."
  entity: Entity!
}

type Predicate {
  id: ID!
}

"A resource, which has an id, or a literal, which has a value."
type Object {
  id: ID
  value: Literal
  "What the statement calls the resource an instance of, or the datatype of the literal."
  type: ID
  "From here on through the graph. Null for a literal."
  entity: Entity
}

type Entity {
  id: ID!
  types: [ID!]!
  "Statements about it."
  out(predicate: ID, first: Int, after: String): StatementConnection!
  "Statements that have it as their object."
  in(predicate: ID, first: Int, after: String): StatementConnection!
}

type StatementChange {
  op: PatchOperation!
  statement: Statement!
}

enum PatchOperation {
  add
  remove
  replace
}
`;

type Resolver = GraphQLFieldResolver<unknown, ResolverContext>;

/** The executable schema. */
export function createSchema(): GraphQLSchema {
  const schema = buildSchema(schemaText);
  for (const [typeName, fields] of Object.entries(resolvers)) {
    const type = schema.getType(typeName);
    if (!isObjectType(type)) throw new Error(`The schema has no type ${typeName}`);
    for (const [name, resolve] of Object.entries(fields)) {
      const field = type.getFields()[name];
      if (!field) throw new Error(`The schema has no field ${typeName}.${name}`);
      field.resolve = resolve as Resolver;
    }
  }
  return schema;
}
