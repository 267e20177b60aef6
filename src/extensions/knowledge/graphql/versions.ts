import {
  type GraphQLError,
  type GraphQLField,
  type GraphQLLeafType,
  type GraphQLObjectType,
  type GraphQLSchema,
  getVariableValues,
  SchemaMetaFieldDef,
  TypeMetaFieldDef,
  TypeNameMetaFieldDef,
  type VariableDefinitionNode,
  type VariableValues,
} from 'graphql';
import type { JsonObject } from '../../../core/model/json.ts';

/** Functions of `graphql` that differ between versions 16 and 17. */

/** Returns the values of an operation's variables, in the form that the installed version expects. */
export function coercedVariables(
  schema: GraphQLSchema,
  declared: readonly VariableDefinitionNode[],
  values: JsonObject,
  options: { readonly maxErrors: number },
): { readonly variables: VariableValues } | { readonly errors: readonly GraphQLError[] } {
  const result: {
    readonly errors?: readonly GraphQLError[];
    readonly variableValues?: VariableValues;
    /** Present in version 16. */
    readonly coerced?: unknown;
  } = getVariableValues(schema, declared, values, options);
  if (result.errors) return { errors: result.errors };
  return { variables: result.variableValues ?? (result.coerced as VariableValues) };
}

const introspection: ReadonlyMap<string, GraphQLField<unknown, unknown>> = new Map(
  [SchemaMetaFieldDef, TypeMetaFieldDef].map((field) => [field.name, field]),
);

/** Returns a field of a type or of introspection. Version 16 does not export a function for this. */
export function fieldOf(
  schema: GraphQLSchema,
  parent: GraphQLObjectType,
  name: string,
): GraphQLField<unknown, unknown> | undefined {
  if (name === TypeNameMetaFieldDef.name) return TypeNameMetaFieldDef;
  const meta = parent === schema.getQueryType() ? introspection.get(name) : undefined;
  return meta ?? parent.getFields()[name];
}

/** Converts a leaf value to its form in results. */
export function coercedOutput(leaf: GraphQLLeafType, value: unknown): unknown {
  const { coerceOutputValue }: Partial<Pick<GraphQLLeafType, 'coerceOutputValue'>> = leaf;
  return coerceOutputValue === undefined ? leaf.serialize(value) : leaf.coerceOutputValue(value);
}
