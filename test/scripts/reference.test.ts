import { readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import * as z from 'zod';
import { configKeys, keysOf } from '../../scripts/reference/config-keys.ts';
import { configSchema } from '../../scripts/reference/config-schema.ts';
import { configTables } from '../../scripts/reference/config-tables.ts';
import { withTables } from '../../scripts/reference/pages.ts';
import { asAny } from '../../src/config/schema-facts.ts';

const page = readFileSync(new URL('../../docs/reference/configuration.md', import.meta.url), 'utf8');

const validate = new Ajv2020({ strict: false }).compile(configSchema());
const faults = (value: unknown): string[] => {
  validate(value);
  return (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
};

describe('the page of the configuration', () => {
  const examples = [...page.matchAll(/^```yaml\n([\s\S]*?)^```$/gm)].map(([, text = '']) => text);
  it.each(examples.entries().toArray())(
    'the page of the configuration has an example %i that the JSON Schema accepts',
    (_, text) => {
      // An editor reads references to the environment as texts.
      expect(faults(parse(text.replace(/\$\{\w+\}/g, 'text')))).toEqual([]);
    },
  );

  it('the page of the configuration has examples of every section', () => {
    const used = new Set(examples.flatMap((text) => [...text.matchAll(/^(\w+):/gm)].map(([, name]) => name)));
    const sections = configKeys().filter(({ path, accepts }) => /^\w+$/.test(path) && accepts.endsWith('a mapping'));
    expect(sections.length).toBeGreaterThan(8);
    expect(sections.map(({ path }) => path).filter((name) => !used.has(name))).toEqual([]);
  });

  it('the page of the configuration has every key of the schema in a table', () => {
    const tables = [...configTables().values()].join('\n');
    for (const { path } of configKeys()) {
      const name = path.split(/[.>]/).at(-1) ?? '';
      expect(tables).toMatch(new RegExp(`^\\| (\\[)?\`([\\w.[\\]*]+\\.)?${name}(: \\w+)?\``, 'm'));
    }
  });
});

it('the JSON Schema of the configuration refuses unknown keys and wrong values, and explains keys', () => {
  expect(faults({ listen: { prot: 1 } })).toEqual(['/listen must NOT have additional properties']);
  expect(faults({ durability: 'some' })).toEqual(['/durability must be equal to one of the allowed values']);
  expect(faults({ agents: { a: { kind: 'reference', knowledge: true }, b: { kind: 'reference' } } })).toEqual([]);
  expect(JSON.stringify(configSchema())).toContain('Time without an event or a response after which a task fails.');
});

describe('tables in a page', () => {
  const text = 'before\n<!-- table: a -->\nold\n<!-- end of table -->\nafter\n';
  it('tables in a page replace what stood between their marks, and nothing else', () => {
    const written = withTables(text, new Map([['a', '| new |\n']]));
    expect(written).toBe('before\n<!-- table: a -->\n\n| new |\n\n<!-- end of table -->\nafter\n');
    expect(withTables(written, new Map([['a', '| new |\n']]))).toBe(written);
  });

  it('tables in a page need a place, and places need a table', () => {
    expect(() => withTables('nothing', new Map([['a', '']]))).toThrow('no place for <!-- table: a -->');
    expect(() => withTables(text, new Map())).toThrow('there is no table a');
  });
});

it('a key without a description is refused', () => {
  const schema = z.strictObject({ size: z.number().describe('How large.'), depth: z.number() });
  expect(() => [...keysOf(asAny(schema), 'box')]).toThrow('box.depth has no description in its schema');
});
