import { SchemaError } from '../bundle.ts';
import { literal, propertyKey, quote } from '../emit.ts';
import { type Definitions, referred, type Schema } from '../json-schema.ts';
import { helpersSource } from './zod-helpers.ts';

/**
 * Returns the source of the zod validators of a JSON Schema document: one for each definition, typed by `types.ts`.
 *
 * @param types module specifier of the types
 * @throws SchemaError that names a definition with an unsupported construct
 */
export function zodShapesSource(definitions: Definitions, types: string): string {
  const schemas = Object.entries(definitions).map(
    ([name, schema]) => `/** Validates \`${name}\`. */
export const ${name}Schema: z.ZodType<t.${name}> = ${definition(name, schema)};
`,
  );
  const body = schemas.join('\n');
  return `import { z } from 'zod';
import type * as t from ${quote(types)};

${helpersSource(body)}/** A schema for each field of a type, and for nothing else. */
type Fields<T> = { readonly [K in keyof Required<T>]: z.ZodType };

${body}`;
}

function definition(name: string, schema: Schema): string {
  if (!schema.properties) return schemaText(schema, name, true);
  const { properties, required = [] } = schema;
  const lines = Object.entries(properties).map(([key, property]) => {
    const text = `${schemaText(property, `${name}.${key}`)}${required.includes(key) ? '' : '.exactOptional()'}`;
    // A getter, read when the first value is validated, so that definitions may refer to each other in any order.
    return /\w+Schema\b/.test(text)
      ? `  get ${propertyKey(key)}() {\n    return ${text};\n  },\n`
      : `  ${propertyKey(key)}: ${text},\n`;
  });
  return `object(z.looseObject({\n${lines.join('')}} satisfies Fields<t.${name}>))`;
}

/** @param outside whether the schema is outside of an object, where other definitions may not be initialized yet */
function schemaText(schema: Schema, at: string, outside = false): string {
  if (schema.$ref) {
    const name = `${referred(schema.$ref, at)}Schema`;
    return outside ? `z.lazy(() => ${name})` : name;
  }
  if (schema.const !== undefined) return `z.literal(${quote(schema.const)})`;
  if (schema.enum) return `z.enum(${literal(schema.enum)})`;
  if (schema.anyOf) return `z.union([${schema.anyOf.map((choice) => schemaText(choice, at, outside)).join(', ')}])`;
  if (schema.type === undefined) return 'z.unknown()';
  if (typeof schema.type !== 'string') {
    const types = schema.type.filter((type) => type !== 'null');
    const [first = 'null'] = types;
    const one =
      types.length <= 1
        ? schemaText({ ...schema, type: first }, at, outside)
        : `z.union([${types.map((type) => schemaText({ ...schema, type }, at, outside)).join(', ')}])`;
    return types.length === schema.type.length || types.length === 0 ? one : `${one}.nullable()`;
  }
  if (schema.type === 'array') {
    return `list(${schemaText(schema.items ?? {}, at, outside)}${schema.minItems ? ', 1' : ''})`;
  }
  if (schema.type === 'string' && schema.format === 'date-time') return 'time';
  if (schema.type === 'string') {
    const pattern = schema.pattern === undefined ? '' : `.regex(new RegExp(${quote(schema.pattern)}, 'u'))`;
    return `z.string()${schema.minLength ? '.min(1)' : ''}${pattern}`;
  }
  const known: Readonly<Record<string, string>> = {
    number: 'z.number()',
    integer: 'z.int32()',
    boolean: 'z.boolean()',
    null: 'z.null()',
    object: 'anyObject',
  };
  const text = known[schema.type];
  if (text === undefined) throw new SchemaError(`${at}: a shape that the generators do not know`);
  return text;
}
