import fc from 'fast-check';
import { anyJson, anyText } from './arbitrary-json.ts';

/** The parts of JSON Schema that the schemas of legacy dialects use. */
export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly const?: string;
  readonly enum?: readonly string[];
  readonly anyOf?: readonly Schema[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly minItems?: number;
  readonly pattern?: string;
}

export type Definitions = Readonly<Record<string, Schema>>;

const someText = anyText.filter((text) => text !== '');
const time = fc.integer({ min: 0, max: 4_000_000_000_000 }).map((milliseconds) => new Date(milliseconds).toISOString());
const webUrl = fc.nat(999).map((n) => `https://example.com/${n}`);

/** Values of one definition. Members whose name ends in `At`, or is `timestamp`, are times. */
export function valuesOf(definitions: Definitions, name: string): fc.Arbitrary<unknown> {
  const schema = definitions[name];
  if (!schema) throw new Error(`no definition ${name}`);
  return values(definitions, schema);
}

function values(definitions: Definitions, schema: Schema): fc.Arbitrary<unknown> {
  if (schema.$ref) return valuesOf(definitions, schema.$ref.replace('#/definitions/', ''));
  if (schema.const !== undefined) return fc.constant(schema.const);
  if (schema.enum) return fc.constantFrom(...schema.enum);
  if (schema.anyOf) return fc.oneof(...schema.anyOf.map((choice) => values(definitions, choice)));
  const { type } = schema;
  if (typeof type === 'object') return fc.oneof(...type.map((one) => values(definitions, { ...schema, type: one })));
  if (type === 'null') return fc.constant(null);
  if (type === 'string') return schema.pattern ? webUrl : someText;
  if (type === 'boolean') return fc.boolean();
  if (type === 'number' || type === 'integer') return fc.integer();
  if (type === 'array') {
    const options = { minLength: schema.minItems ?? 0, maxLength: 3 };
    return fc.array(values(definitions, schema.items ?? {}), options);
  }
  if (type !== 'object') return anyJson;
  if (!schema.properties) {
    const key = someText.filter((text) => text !== '__proto__');
    return fc.dictionary(key, anyJson, { maxKeys: 3, noNullPrototype: true });
  }
  const entries = Object.entries(schema.properties).map(([key, property]) => {
    const value = /At$|^timestamp$/.test(key) ? time : values(definitions, property);
    return [key, schema.required?.includes(key) ? value : fc.option(value, { nil: undefined })] as const;
  });
  return fc
    .record(Object.fromEntries(entries))
    .map((record) => Object.fromEntries(Object.entries(record).filter(([, value]) => value !== undefined)));
}
