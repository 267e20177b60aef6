import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { afterEach, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import * as z from 'zod';
import { configKeys, keysOf } from '../../codegen/reference/config-keys.ts';
import { configSchema } from '../../codegen/reference/config-schema.ts';
import { configTables, defaultFault } from '../../codegen/reference/config-tables.ts';
import { withTables } from '../../codegen/reference/pages.ts';
import { settingsDocs } from '../../codegen/reference/settings-docs.ts';
import { parseConfig } from '../../src/config/parse.ts';

const page = readFileSync(new URL('../../docs/reference/configuration.md', import.meta.url), 'utf8');
const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

const validate = new Ajv2020({ strict: false }).compile(configSchema());
const faults = (value: unknown): string[] => {
  validate(value);
  return (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
};

describe('the page of the configuration', () => {
  const examples = [...page.matchAll(/^```yaml\n([\s\S]*?)^```$/gm)].map(([, text = '']) => text);
  it.each(examples.entries().toArray())('has an example %i that the gateway accepts', (_, text) => {
    const names = [...text.matchAll(/\$\{(\w+)\}/g)].map(([, name = '']) => name);
    const textOf = (name: string) => (name.endsWith('_HASH') ? `sha256:${'ab'.repeat(32)}` : 'secret');
    const env = Object.fromEntries(names.map((name) => [name, textOf(name)]));
    // Each example shows one section; a listener for the network needs authentication too.
    const whole = /^auth:/m.test(text) ? text : `${text}\nauth: { anonymous: true }\n`;
    expect(parseConfig(whole, { file: '/etc/gw/gateway.yaml', env }).agents.size).toBeGreaterThan(0);
  });

  it.each(examples.entries().toArray())('has an example %i that the JSON Schema accepts', (_, text) => {
    // As an editor reads it: references to the environment are texts.
    expect(faults(parse(text.replace(/\$\{\w+\}/g, 'text')))).toEqual([]);
  });

  it('has examples of every section', () => {
    const used = new Set(examples.flatMap((text) => [...text.matchAll(/^(\w+):/gm)].map(([, name]) => name)));
    const sections = configKeys().filter(({ path, accepts }) => /^\w+$/.test(path) && accepts.endsWith('a mapping'));
    expect(sections.length).toBeGreaterThan(8);
    expect(sections.map(({ path }) => path).filter((name) => !used.has(name))).toEqual([]);
  });

  it('has every key of the schema in a table', () => {
    const tables = [...configTables().values()].join('\n');
    for (const { path } of configKeys()) {
      const name = path.split(/[.>]/).at(-1) ?? '';
      expect(tables).toMatch(new RegExp(`^\\| (\\[)?\`([\\w.[\\]*]+\\.)?${name}(: \\w+)?\``, 'm'));
    }
  });
});

describe('the JSON Schema of the configuration', () => {
  it('refuses unknown keys and wrong values, and explains keys', () => {
    expect(faults({ listen: { prot: 1 } })).toEqual(['/listen must NOT have additional properties']);
    expect(faults({ durability: 'some' })).toEqual(['/durability must be equal to one of the allowed values']);
    expect(faults({ agents: { a: { kind: 'reference', knowledge: true }, b: { kind: 'reference' } } })).toEqual([]);
    expect(JSON.stringify(configSchema())).toContain('Time without an event or an answer after which a task fails.');
  });
});

describe('tables in a page', () => {
  const text = 'before\n<!-- table: a -->\nold\n<!-- end of table -->\nafter\n';
  it('replace what stood between their marks, and nothing else', () => {
    const written = withTables(text, new Map([['a', '| new |\n']]));
    expect(written).toBe('before\n<!-- table: a -->\n\n| new |\n\n<!-- end of table -->\nafter\n');
    expect(withTables(written, new Map([['a', '| new |\n']]))).toBe(written);
  });

  it('need a place, and places need a table', () => {
    expect(() => withTables('nothing', new Map([['a', '']]))).toThrow('no place for <!-- table: a -->');
    expect(() => withTables(text, new Map())).toThrow('there is no table a');
  });
});

it('comments of settings are found below every kind of type', () => {
  const folder = mkdtempSync(join(tmpdir(), 'settings-'));
  folders.push(folder);
  const file = join(folder, 'settings.ts');
  writeFileSync(
    file,
    `interface Common {
  /** A name. */
  readonly name?: string;
}
interface One extends Common {
  /** The first kind. */
  readonly kind: 'one';
  /** Two
   * lines. */
  readonly list?: readonly { /** In a list. */ readonly entry: string }[];
}
type Any = One | { readonly kind: 'two'; /** By name. */ readonly map?: Readonly<Record<string, Common>> };
export interface FileSettings {
  readonly bare?: string;
  readonly agents?: { readonly [K in string]?: Any };
}
`,
  );
  expect(Object.fromEntries(settingsDocs([pathToFileURL(file)]))).toEqual({
    'agents.*<one>.kind': 'The first kind.',
    'agents.*<one>.name': 'A name.',
    'agents.*<one>.list': 'Two lines.',
    'agents.*<one>.list[].entry': 'In a list.',
    'agents.*<two>.map': 'By name.',
    'agents.*<two>.map.*.name': 'A name.',
  });
});

it('a comment with another default than the schema is refused', () => {
  const [key] = [...keysOf(z.strictObject({ size: z.number().default(3) }), '')];
  if (!key) throw new Error('no key');
  expect(defaultFault(key, '`3`')).toBeUndefined();
  expect(defaultFault(key, '`4`: as is usual')).toBe('its default is 3, not 4');
  expect(defaultFault(key, undefined)).toBe('its comment does not say its default');
});
