import * as z from 'zod';
import { fileSchema } from '../../src/config/schema.ts';

/** A key of the configuration file. */
export interface ConfigKey {
  /** As in `settingsDocs`. */
  readonly path: string;
  /** What it accepts, as messages about wrong values say. */
  readonly accepts: string;
  readonly required: boolean;
  /** The value that the schema has where the key is absent. Undefined: none. */
  readonly fallback: unknown;
  /** What reads a value of the key. */
  readonly schema: z.core.$ZodType;
}

type Schema = z.core.$ZodTypes;
const asKnown = (schema: z.core.$ZodType): Schema => schema as Schema;

/** All keys of the configuration file, in the order of the schemas. */
export function configKeys(): ConfigKey[] {
  return [...keysOf(asKnown(fileSchema), '')];
}

/** The keys of a mapping and of everything below it. */
export function* keysOf(schema: Schema, path: string): Generator<ConfigKey> {
  const { def } = schema._zod;
  switch (def.type) {
    case 'object':
      for (const [name, value] of Object.entries(def.shape)) {
        const below = path === '' ? name : `${path}.${name}`;
        const key = asKnown(value);
        yield {
          path: below,
          accepts: acceptedBy(key),
          required: !z.safeParse(key, undefined).success,
          fallback: fallbackOf(key),
          schema: key,
        };
        yield* keysOf(key, below);
      }
      return;
    case 'record':
      yield* keysOf(asKnown(def.valueType), `${path}.*`);
      return;
    case 'array':
      yield* keysOf(asKnown(def.element), `${path}[]`);
      return;
    case 'union':
      for (const option of def.options.map(asKnown)) yield* keysOf(option, `${path}${variantOf(option)}`);
      return;
    default: {
      const inner = innerOf(schema);
      if (inner) yield* keysOf(inner, path);
    }
  }
}

/** The schema that another one wraps. */
function innerOf(schema: Schema): Schema | undefined {
  const { def } = schema._zod;
  if (def.type === 'pipe') return asKnown(def.in._zod.def.type === 'transform' ? def.out : def.in);
  return 'innerType' in def ? asKnown(def.innerType) : undefined;
}

/** `<upstream>` for a mapping with `kind: upstream`. */
function variantOf(schema: Schema): string {
  const { def } = schema._zod;
  if (def.type !== 'object') return '';
  const tag = [def.shape.kind, def.shape.type].find((key) => key?._zod.def.type === 'literal');
  return tag === undefined ? '' : `<${literalOf(asKnown(tag))}>`;
}

const literalOf = (schema: Schema): string =>
  schema._zod.def.type === 'literal' ? schema._zod.def.values.join(', ') : '';

function fallbackOf(schema: Schema): unknown {
  const { def } = schema._zod;
  if (def.type === 'default') return def.defaultValue;
  if (def.type === 'prefault') return undefined;
  const inner = innerOf(schema);
  return inner && fallbackOf(inner);
}

/** What a schema accepts: the words of its message about a wrong value. */
function acceptedBy(schema: Schema): string {
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
  const element = acceptedBy(asKnown(def.element));
  return element === '' || words.includes(element) || element.endsWith('mapping') ? words : `${words}; each ${element}`;
}
