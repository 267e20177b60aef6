import * as z from 'zod';
import { fileSchema } from '../../src/config/schema.ts';
import { type AnySchema, asAny, innerOf } from '../../src/config/schema-facts.ts';

/** A key of the configuration file. */
export interface ConfigKey {
  /**
   * Such as `listen.port`, `agents.*<upstream>.silence` or `auth.apiKeys[].name`: `*` stands for names that the user chooses,
   * and `<…>` for the variant of a mapping.
   */
  readonly path: string;
  /** Meaning of the key. */
  readonly meaning: string;
  /** Accepted values, in the words of messages about wrong values. */
  readonly accepts: string;
  /** Markdown: `required`, a value, or what decides. Empty: the key may be absent. */
  readonly fallback: string;
  /** Schema that reads a value of the key. */
  readonly schema: AnySchema;
}

/** All keys of the configuration file, in the order of the schemas. */
export function configKeys(): ConfigKey[] {
  return [...keysOf(asAny(fileSchema), '')];
}

/**
 * The keys of a mapping and of everything below it.
 *
 * @throws Error for keys without a description
 */
export function* keysOf(schema: AnySchema, path: string): Generator<ConfigKey> {
  const { def } = schema._zod;
  switch (def.type) {
    case 'object':
      for (const [name, member] of Object.entries(def.shape)) {
        const below = path === '' ? name : `${path}.${name}`;
        const key = asAny(member);
        const [meaning, byRule] = splitDefault(descriptionOf(key, below));
        const value = defaultOf(key);
        const fallback = z.safeParse(key, undefined).success ? (byRule ?? (value && `\`${value}\``) ?? '') : 'required';
        yield { path: below, meaning, accepts: acceptedBy(key), fallback, schema: key };
        yield* keysOf(key, below);
      }
      return;
    case 'record':
      yield* keysOf(asAny(def.valueType), `${path}.*`);
      return;
    case 'array':
      yield* keysOf(asAny(def.element), `${path}[]`);
      return;
    case 'union':
      for (const option of def.options.map(asAny)) yield* keysOf(option, `${path}${variantOf(option)}`);
      return;
    default: {
      const inner = innerOf(schema);
      if (inner) yield* keysOf(inner, path);
    }
  }
}

/** `<upstream>` for a mapping with `kind: upstream`. */
function variantOf(schema: AnySchema): string {
  const { def } = schema._zod;
  if (def.type !== 'object') return '';
  const tag = [def.shape.kind, def.shape.type].find((key) => key?._zod.def.type === 'literal');
  return tag === undefined ? '' : `<${literalOf(asAny(tag))}>`;
}

const literalOf = (schema: AnySchema): string =>
  schema._zod.def.type === 'literal' ? schema._zod.def.values.join(', ') : '';

/** The value that stands for an absent key, as it is written. Undefined for lists and mappings, which say nothing. */
function defaultOf(schema: AnySchema): string | undefined {
  const { def } = schema._zod;
  if (def.type === 'prefault') return typeof def.defaultValue === 'object' ? undefined : String(def.defaultValue);
  const inner = innerOf(schema);
  return inner && defaultOf(inner);
}

/** The description of a key with its default, for readers of types and of the JSON Schema. */
export function describedAs(key: AnySchema): string {
  const value = defaultOf(key);
  const description = descriptionOf(key, 'a key');
  return value === undefined ? description : `${description} Default \`${value}\`.`;
}

/** @throws Error where there is none */
export function descriptionOf(key: AnySchema, path: string): string {
  const description = z.globalRegistry.get(key)?.description;
  if (description === undefined) throw new Error(`${path} has no description in its schema`);
  return description;
}

/** A description without its sentence about the default, and what that says. */
function splitDefault(description: string): [meaning: string, byRule: string | undefined] {
  const sentence = /\s*\bDefault:? (.+?)\.(?=\s|$)/.exec(description);
  if (!sentence) return [description, undefined];
  const byRule = (sentence[1] as string).replace(/^(true|false|\d+)$/, '`$1`');
  return [description.replace(sentence[0], '').trim(), byRule];
}

/** Returns the accepted values of a schema: the words of its message about a wrong value. */
function acceptedBy(schema: AnySchema): string {
  const { def } = schema._zod;
  if (def.type === 'literal') return `\`${literalOf(schema)}\``;
  if (def.type === 'unknown') return 'anything';
  const own = def.error?.({ code: 'invalid_type', input: undefined } as never);
  if (typeof own !== 'string') {
    const inner = innerOf(schema);
    return inner ? acceptedBy(inner) : '';
  }
  const words = own.replace(/^expected /, '').replace(/: a mapping with .*/s, ': a mapping');
  if (def.type !== 'array') return words;
  const element = acceptedBy(asAny(def.element));
  return element === '' || words.includes(element) || element.endsWith('mapping') ? words : `${words}; each ${element}`;
}
