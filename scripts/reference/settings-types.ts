import * as z from 'zod';
import { fileSchema } from '../../src/config/schema.ts';
import { type AnySchema, asAny, innerOf, schemaFacts } from '../../src/config/schema-facts.ts';
import { anyAgent } from '../../src/config/sections/agents.ts';
import { grants } from '../../src/config/sections/auth.ts';
import { alignment } from '../../src/config/sections/knowledge.ts';
import { upstreamOptions } from '../../src/config/sections/upstream.ts';
import { describedAs, descriptionOf } from './config-keys.ts';

/** Of these, the named types are written, with those that they refer to. */
const roots = {
  input: [fileSchema, anyAgent, grants],
  output: [fileSchema, upstreamOptions, grants, alignment],
} as const;

type Side = keyof typeof roots;

const header = `// Generated from src/config by scripts/reference. Do not edit.

/**
 * The settings of a configuration file, and of programs, as types: \`…Settings\` as they are written, and \`…Config\` as the
 * gateway uses them, with defaults, milliseconds and bytes. They need no other package.
 */
`;

/** The text of `src/gen/settings.ts`: the types that the schemas of the configuration name. */
export function settingsTypes(): string {
  const declarations = new Map<string, string>();
  for (const side of ['input', 'output'] as const) {
    for (const root of roots[side]) typeOf(asAny(root), { side, declarations, indent: '' });
  }
  return `${header}\n${[...declarations.values()].join('\n')}`;
}

interface Place {
  readonly side: Side;
  /** By name, in the order of their first use. */
  readonly declarations: Map<string, string>;
  readonly indent: string;
  /** Description of the value. */
  readonly description?: string;
}

/** The type of a schema's values: its name, which is declared, or its structure. */
function typeOf(schema: AnySchema, place: Place): string {
  const { side, declarations } = place;
  const name = schemaFacts.get(schema)?.[side];
  if (name === undefined) return structureOf(schema, place);
  if (!declarations.has(name)) {
    // The place in the order comes first, then the types that it refers to.
    declarations.set(name, '');
    const type = structureOf(schema, { ...place, indent: '' });
    const text = z.globalRegistry.get(schema)?.description ?? place.description;
    const isObject = schema._zod.def.type === 'object';
    if (side === 'output' && /\bunknown\b/.test(type)) {
      throw new Error(`${name} has values of a type that its schema does not tell: register their type`);
    }
    declarations.set(
      name,
      `${comment(text, '')}export ${isObject ? `interface ${name} ${type}` : `type ${name} = ${type};`}\n`,
    );
  }
  return name;
}

function structureOf(schema: AnySchema, place: Place): string {
  const { def } = schema._zod;
  const type = schemaFacts.get(schema)?.type;
  if (type !== undefined && (place.side === 'input' || def.type === 'custom')) return type;
  const inside = (inner: z.core.$ZodType): string => typeOf(asAny(inner), place);
  switch (def.type) {
    case 'string':
    case 'number':
    case 'boolean':
      return def.type;
    case 'literal':
      return oneOf(def.values);
    case 'enum':
      return oneOf(Object.values(def.entries));
    case 'union':
      return [...new Set(def.options.map(inside))].join(' | ');
    case 'array': {
      const element = inside(def.element);
      return `readonly ${element.includes(' | ') && !element.startsWith('{') ? `(${element})` : element}[]`;
    }
    case 'record': {
      const isOpen = def.keyType._zod.def.type === 'string';
      const value = inside(def.valueType);
      return isOpen ? `Readonly<Record<string, ${value}>>` : `{ readonly [K in ${inside(def.keyType)}]?: ${value} }`;
    }
    case 'object':
      return `{\n${Object.entries(def.shape)
        .map(([name, key]) => property(name, asAny(key), place))
        .join('')}${place.indent}}`;
    default: {
      const inner = innerOf(schema, place.side);
      return inner ? typeOf(inner, place) : 'unknown';
    }
  }
}

function property(name: string, key: AnySchema, { side, declarations, indent }: Place): string {
  const inner = `${indent}  `;
  const description = side === 'input' ? describedAs(key) : withUnit(key);
  const type = typeOf(key, { side, declarations, indent: inner, description });
  const isOptional =
    key._zod[side === 'input' ? 'optin' : 'optout'] === 'optional' ||
    (side === 'input' && key._zod.optin !== undefined);
  const absent = isOptional && side === 'output' ? ' | undefined' : '';
  return `${comment(description, inner)}${inner}readonly ${name}${isOptional ? '?' : ''}: ${type}${absent};\n`;
}

const oneOf = (values: readonly unknown[]): string =>
  values.map((value) => (typeof value === 'string' ? `'${value}'` : String(value))).join(' | ');

/** The description of a key with the unit that its numbers have in the gateway, where defaults are filled in. */
function withUnit(key: AnySchema): string {
  const unit = unitOf(key);
  const description = descriptionOf(key, 'a key');
  return unit === undefined ? description : `${description} In ${unit}.`;
}

function unitOf(schema: AnySchema): string | undefined {
  const inner = innerOf(schema);
  return schemaFacts.get(schema)?.unit ?? (inner && unitOf(inner));
}

/** A comment of one line; nothing without a text. */
const comment = (text: string | undefined, indent: string): string =>
  text === undefined ? '' : `${indent}/** ${text.replaceAll('*/', '*\\/')} */\n`;
