import { SchemaError } from '../bundle.ts';
import { literal, propertyKey, quote } from '../emit.ts';
import { type Definitions, referred, type Schema } from '../json-schema.ts';

/**
 * Source of the zod validators of a JSON Schema document: one for each definition, with the type that `types.ts` has for it.
 *
 * @param types specifier of the module with the types
 * @throws SchemaError naming a definition that uses what the generator does not know
 */
export function zodShapesSource(definitions: Definitions, types: string): string {
  const schemas = Object.entries(definitions).map(
    ([name, schema]) => `/** Validates \`${name}\`. */
export const ${name}Schema: z.ZodType<t.${name}> = ${definition(name, schema)};
`,
  );
  const body = schemas.join('\n');
  const code = body.replace(/'(?:\\.|[^'\\])*'/g, '');
  const helpers = [/\bstruct\b/.test(code) ? structHelper : '', /\btime\b(?!:)/.test(code) ? timeHelper : ''].join('');
  return `import { z } from 'zod';
import type * as t from ${quote(types)};

${helpers}/** A schema for each field of a type, and for nothing else. */
type Fields<T> = { readonly [K in keyof Required<T>]: z.ZodType };

${body}`;
}

const structHelper = `/** A JSON object. */
const struct: z.ZodType<Record<string, unknown>> = z.custom<Record<string, unknown>>(
  (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
  'expected an object',
);

`;

const timeHelper = `/** A time in ISO 8601, such as 2026-01-31T12:00:00Z. */
const time: z.ZodType<string> = z.string().refine((value) => {
  const form = /^(\\d{4}-\\d\\d-(\\d\\d)T\\d\\d:\\d\\d)(:\\d\\d)?(?:[.,]\\d+)?(?:Z|[+-]\\d\\d(?::?\\d\\d)?)?$/;
  const [, minute = '', day, second = ':00'] = form.exec(value) ?? [];
  // A day that does not exist is read as one of the next month.
  return new Date(\`\${minute}\${second}Z\`).getUTCDate() === Number(day);
}, 'expected a time such as 2026-01-31T12:00:00Z');

`;

function definition(name: string, schema: Schema): string {
  if (!schema.properties) return schemaText(schema, name, true);
  const { properties, required = [] } = schema;
  const lines = Object.entries(properties).map(([key, property]) => {
    const text = `${schemaText(property, `${name}.${key}`)}${required.includes(key) ? '' : '.exactOptional()'}`;
    // Read when the first value is validated, so that definitions may have each other in any order.
    return /\w+Schema\b/.test(text)
      ? `  get ${propertyKey(key)}() {\n    return ${text};\n  },\n`
      : `  ${propertyKey(key)}: ${text},\n`;
  });
  return `z.looseObject({\n${lines.join('')}} satisfies Fields<t.${name}>)`;
}

/** @param outside of an object, where other definitions may not be there yet */
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
    return `z.array(${schemaText(schema.items ?? {}, at, outside)})${schema.minItems ? '.min(1)' : ''}`;
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
    object: 'struct',
  };
  const text = known[schema.type];
  if (text === undefined) throw new SchemaError(`${at}: a shape that the generators do not know`);
  return text;
}
