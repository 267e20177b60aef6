import { buildSchema, type GraphQLFieldResolver, type GraphQLSchema, isObjectType } from 'graphql';
import { type ResolverContext, resolvers } from './resolvers.ts';

const paged = `
    "Maximum number of items, up to 1000. Default: 100."
    first: Int
    "The \`endCursor\` of the previous page."
    after: String`;

/** Fields of connections other than `nodes`. */
const connected = `
  pageInfo: PageInfo!
  "The number of items on all pages, up to a limit."
  totalCount: Int!
  "False if there are more than \`totalCount\`."
  totalCountIsExact: Boolean!`;

/** The generic schema of every agent with a knowledge graph. */
const schemaText = `
"A literal: a string, a number or a boolean."
scalar Literal

"A JSON object."
scalar JSON

"A time in ISO 8601, in UTC."
scalar DateTime

type Query {
  "Statements that match all arguments."
  statements(
    subject: ID
    predicate: ID
    "Id of a resource."
    object: ID
    "Text of a literal, of any datatype."
    value: String
    "Type of the subject."
    type: ID
    "A named graph; the empty string is the default graph. Absent: any graph."
    graph: ID
    "Minimum certainty from 0 to 1. Statements without a certainty count as certain."
    minCertainty: Float${paged}
  ): StatementConnection!
  "The resource that is the subject or the object of statements; null if there are none."
  entity(id: ID!): Entity
  "Resources that are the subject or the object of statements."
  entities(
    "Type of the resources."
    type: ID${paged}
  ): EntityConnection!
}

type Subscription {
  "Changes of statements that match all arguments. Every event contains the whole change, whatever is selected."
  statementChanged(subject: ID, predicate: ID, object: ID, type: ID, graph: ID): StatementChange!
}

type StatementConnection {
  nodes: [Statement!]!${connected}
}

type EntityConnection {
  nodes: [Entity!]!${connected}
}

type PageInfo {
  "Null on an empty page."
  endCursor: String
  hasNextPage: Boolean!
}

type Statement {
  subject: Subject!
  predicate: Predicate!
  object: Object!
  "Name of the graph. Null for the default graph."
  graph: ID
  "Certainty from 0 to 1. Null if it is not stated, which counts as certain."
  certainty: Float
  provenance: JSON
  "The time at which the statement was last added."
  timestamp: DateTime!
}

type Subject {
  id: ID!
  "The type of the subject, as this statement states it."
  type: ID
  "The entity of the subject, from which to traverse the graph."
  entity: Entity!
}

type Predicate {
  id: ID!
}

"A resource with an id, or a literal with a value."
type Object {
  id: ID
  value: Literal
  "The type of the resource, as this statement states it, or the datatype of the literal."
  type: ID
  "The entity of the object, from which to traverse the graph. Null for a literal."
  entity: Entity
}

type Entity {
  id: ID!
  types: [ID!]!
  "Statements with the entity as their subject."
  out(predicate: ID, first: Int, after: String): StatementConnection!
  "Statements with the entity as their object."
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
