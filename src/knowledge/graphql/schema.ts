import { buildSchema, type GraphQLFieldResolver, type GraphQLSchema, isObjectType } from 'graphql';
import { type ResolverContext, resolvers } from './resolvers.ts';
import { schemaText } from './schema-text.ts';

type Resolver = GraphQLFieldResolver<unknown, ResolverContext>;

/** The generic schema, ready to be executed. */
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
