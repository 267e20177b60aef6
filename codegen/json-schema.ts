import type { JSONSchema } from 'json-schema-to-typescript';
import type { Shape } from '../src/gen/api.ts';
import { SchemaError } from './bundle.ts';
import { header, literal, propertyKey, quote } from './emit.ts';
import { schemaGuards } from './schema-guards.ts';
import { compileTypes } from './types.ts';

/**
 * Generates types and tables of shapes that no proto describes: those of the dialects before A2A 1.0. The input is a
 * JSON Schema with references of the form `#/definitions/NAME`, in the subset of the language that such schemas use.
 */

/** A JSON Schema document in `codegen/schemas`, and the output folder of its code. */
export interface SchemaTarget {
  readonly dir: string;
  readonly schema: string;
  /** Whether guards are generated too, for shapes that are read on the hot path. */
  readonly guarded?: true;
  /**
   * Whether the document contains only the definitions in which a dialect differs from another. No types are generated.
   */
  readonly differences?: true;
}

/** A definition or a part of one. */
export interface Schema extends Shape {
  readonly anyOf?: readonly Schema[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly description?: string;
  /** `date-time`: a time in ISO 8601. */
  readonly format?: string;
}

/** The `definitions` of a document, by name. */
export type Definitions = Readonly<Record<string, Schema>>;

/**
 * Returns the generated files of a document, by name.
 *
 * @param json the parsed document
 * @param source inputs to name in the headers
 * @throws SchemaError that names a definition with an unsupported construct
 */
export async function schemaFiles(
  json: unknown,
  source: string,
  { guarded, differences }: Pick<SchemaTarget, 'guarded' | 'differences'> = {},
): Promise<Record<string, string>> {
  const definitions = (json as { definitions?: Definitions } | null)?.definitions;
  if (typeof definitions !== 'object' || definitions === null) throw new SchemaError(`${source}: no definitions`);
  return {
    ...(!differences && { 'types.ts': `${header(source)}\n${await typesBody(definitions)}\n` }),
    'shapes.ts': shapesSource(definitions, source),
    ...(guarded && { 'guards.ts': schemaGuards(definitions, source) }),
  };
}

async function typesBody(definitions: Definitions): Promise<string> {
  const entries = Object.entries(definitions).map(([name, schema]): [string, JSONSchema] => {
    const head = { title: name, ...(schema.description && { description: schema.description }) };
    if (!schema.properties) return [name, { ...head, tsType: typeText(schema, name) }];
    const properties = Object.entries(schema.properties).map(([key, property]) => [
      key,
      {
        tsType: typeText(property, `${name}.${key}`),
        ...(property.description && { description: property.description }),
      },
    ]);
    return [
      name,
      {
        ...head,
        type: 'object',
        properties: Object.fromEntries(properties),
        required: [...(schema.required ?? [])],
        additionalProperties: false,
      },
    ];
  });
  return compileTypes(Object.fromEntries(entries));
}

/** Returns a schema as a TypeScript type. */
function typeText(schema: Schema, at: string): string {
  if (schema.$ref) return referred(schema.$ref, at);
  if (schema.const !== undefined) return quote(schema.const);
  if (schema.enum) return schema.enum.map(quote).join(' | ');
  if (schema.anyOf) return schema.anyOf.map((choice) => typeText(choice, at)).join(' | ');
  if (schema.type === undefined) return 'unknown';
  if (typeof schema.type !== 'string') {
    return schema.type.map((type) => typeText({ ...schema, type }, at)).join(' | ');
  }
  if (schema.type === 'array') {
    const item = typeText(schema.items ?? {}, at);
    return item.includes(' ') ? `(${item})[]` : `${item}[]`;
  }
  const known: Readonly<Record<string, string>> = {
    string: 'string',
    number: 'number',
    integer: 'number',
    boolean: 'boolean',
    null: 'null',
    object: 'Record<string, unknown>',
  };
  return known[schema.type] ?? unknown(schema, at);
}

/** Returns the definitions as a table without descriptions. */
function shapesSource(definitions: Definitions, source: string): string {
  const rows = Object.entries(definitions).map(([name, { properties, ...schema }]) => {
    const head = literal(shapeOf(schema, name));
    if (!properties) return `  ${name}: ${head},\n`;
    const members = Object.entries(properties).map(
      ([key, property]) => `    ${propertyKey(key)}: ${literal(shapeOf(property, `${name}.${key}`))},\n`,
    );
    return `  ${name}: { ${head.slice(2, -2)}, properties: {\n${members.join('')}  } },\n`;
  });
  return `${header(source)}
import type { Shape } from '../api.ts';

/** Shapes by definition. */
export const shapes = {
${rows.join('')}} satisfies Readonly<Record<string, Shape>>;
`;
}

function shapeOf({ $ref, anyOf, items, properties, description: _, ...own }: Schema, at: string): Shape {
  if (properties) throw new SchemaError(`${at}: an object inside of another shape, without a name`);
  return {
    ...($ref !== undefined && { $ref: referred($ref, at) }),
    ...own,
    ...(anyOf && { anyOf: anyOf.map((choice) => shapeOf(choice, at)) }),
    ...(items && { items: shapeOf(items, at) }),
  };
}

/**
 * Returns the name of the definition that a `$ref` refers to.
 *
 * @throws SchemaError if the reference has another form
 */
export function referred(ref: string, at: string): string {
  const name = /^#\/definitions\/(\w+)$/.exec(ref)?.[1];
  if (name === undefined) throw new SchemaError(`${at}: reference to ${ref}`);
  return name;
}

function unknown(schema: Schema, at: string): never {
  throw new SchemaError(`${at}: a shape that the generators do not know: ${JSON.stringify(schema)}`);
}
