import { SchemaError } from './bundle.ts';
import { header, propertyKey, quote } from './emit.ts';
import { type Definitions, referred, type Schema } from './json-schema.ts';

/**
 * Returns the source of the guards of a JSON Schema document: for each definition, a function in straight-line code
 * that says whether a value fits. Readers first call the guard; only if it refuses, the validator finds the faults.
 *
 * @param source inputs to name in the header
 * @throws SchemaError that names a definition with an unsupported construct
 */
export function schemaGuards(definitions: Definitions, source: string): string {
  const names: string[] = [];
  const guards = Object.entries(definitions).map(([name, schema]) => guardText(name, schema, names));
  const used = /\bg\.\w/.test(guards.join(''));
  return `${header(source)}
${used ? "import * as g from '../checks.ts';\n" : ''}import type * as t from './types.ts';

type Fields = Readonly<Record<string, unknown>>;

${names.join('')}${names.length > 0 ? '\n' : ''}${guards.join('\n')}`;
}

/** @param names collects the patterns, each once */
function guardText(name: string, schema: Schema, names: string[]): string {
  if (!schema.properties) {
    const test = testText(schema, 'value', name, names);
    return `export const is${name} = (value: unknown): value is t.${name} => ${test || 'true'};\n`;
  }
  const { properties, required = [] } = schema;
  const lines = Object.entries(properties).map(([key, property]) => {
    const value = propertyKey(key) === key ? `v.${key}` : `v[${quote(key)}]`;
    const test = testText(property, value, `${name}.${key}`, names);
    if (required.includes(key)) return `  if (${test ? `!(${test})` : `${value} === undefined`}) return false;\n`;
    return test ? `  if (${value} !== undefined && !(${test})) return false;\n` : '';
  });
  const body = lines.join('');
  return `export function is${name}(value: unknown): value is t.${name} {
  if (!g.isObject(value)) return false;
${body ? `  const v = value as Fields;\n${body}` : ''}  return true;
}
`;
}

/** Returns an expression that is true if `value` fits; '' if every value fits. */
function testText(schema: Schema, value: string, at: string, names: string[]): string {
  if (schema.$ref) return `is${referred(schema.$ref, at)}(${value})`;
  if (schema.const !== undefined) return `${value} === ${quote(schema.const)}`;
  if (schema.enum) return schema.enum.map((name) => `${value} === ${quote(name)}`).join(' || ');
  const choices =
    schema.anyOf ?? (typeof schema.type === 'object' ? schema.type.map((type) => ({ ...schema, type })) : []);
  if (choices.length > 0) return choices.map((choice) => testText(choice, value, at, names)).join(' || ');
  if (schema.type === undefined) return '';
  if (schema.type === 'array') {
    const item = testText(schema.items ?? {}, 'item', at, names);
    const guard = simpleGuard(item) ?? `(item) => ${item || 'true'}`;
    return `g.${schema.minItems ? 'isSomeOf' : 'isList'}(${value}, ${guard})`;
  }
  if (schema.type === 'string' && schema.pattern !== undefined) {
    const made = `new RegExp(${quote(schema.pattern)}, 'u');\n`;
    let at = names.findIndex((line) => line.endsWith(made));
    if (at < 0) at = names.push(`const pattern${names.length} = ${made}`) - 1;
    return `(typeof ${value} === 'string' && pattern${at}.test(${value}))`;
  }
  const tests: Readonly<Record<string, string>> = {
    string: `typeof ${value} === 'string'`,
    boolean: `typeof ${value} === 'boolean'`,
    number: `g.isNumber(${value})`,
    integer: `g.isInt32(${value})`,
    null: `${value} === null`,
    object: `g.isObject(${value})`,
  };
  const test = typeof schema.type === 'string' ? tests[schema.type] : undefined;
  if (test === undefined) throw new SchemaError(`${at}: a shape that the generators do not know`);
  return schema.minLength ? `(${test} && ${value} !== '')` : test;
}

/** Returns the name of the guard if a test consists only of a call of it. */
const simpleGuard = (test: string): string | undefined =>
  /^(\w[\w.]*)\(item\)$/.exec(test)?.[1] ?? (test === "typeof item === 'string'" ? 'g.isString' : undefined);
