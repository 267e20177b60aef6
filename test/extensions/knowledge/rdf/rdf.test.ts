import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { KGStatement } from '../../../../src/extensions/knowledge/model/knowledge.ts';
import {
  formatOf,
  type KnowledgeFormat,
  readStatements,
  writeStatements,
} from '../../../../src/extensions/knowledge/rdf/documents.ts';
import { graphOf } from '../store/fixtures.ts';

const xsd = 'http://www.w3.org/2001/XMLSchema#';
const rdfType = 'http://www.w3.org/1999/02/22-rdf-syntax-ns#type';

async function* pieces(text: string, size = 7): AsyncGenerator<Uint8Array> {
  const bytes = Buffer.from(text);
  for (let i = 0; i < bytes.length; i += size) yield bytes.subarray(i, i + size);
}

async function* each(statements: readonly KGStatement[]): AsyncGenerator<KGStatement> {
  yield* statements;
}

async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const collected: T[] = [];
  for await (const item of items) collected.push(item);
  return collected;
}

const read = (text: string, format: KnowledgeFormat, base?: string): Promise<KGStatement[]> =>
  collect(readStatements(pieces(text), format, base === undefined ? {} : { base }));

const write = async (statements: readonly KGStatement[], format: KnowledgeFormat): Promise<string> =>
  (await collect(writeStatements(each(statements), format))).join('');

describe('documents of statements', () => {
  it('Turtle is read, whatever the pieces that it comes in', async () => {
    const text = `@prefix ex: <http://example.com/> .
      ex:alice a ex:Person ; ex:name "Ålice", "Alice"@en ; ex:age 42 ; ex:height 1.75 ; ex:happy true ;
        ex:born "2000-01-01"^^<${xsd}date> ; ex:knows [ ex:name "Bob" ] ; ex:page <here> .`;
    const statements = await read(text, 'turtle', 'http://base.example/');
    const objects = Object.fromEntries(
      statements.map(({ predicate, object }) => [predicate.id.replace('http://example.com/', ''), object]),
    );
    expect(statements).toHaveLength(10);
    expect(objects).toMatchObject({
      [rdfType]: { id: 'http://example.com/Person' },
      age: { value: 42 },
      height: { value: 1.75, type: `${xsd}decimal` },
      happy: { value: true },
      born: { value: '2000-01-01', type: `${xsd}date` },
      page: { id: 'http://base.example/here' },
    });
    expect(statements.map(({ object }) => object)).toContainEqual({ value: 'Ålice' });
    const english = { value: 'Alice', type: 'https://www.w3.org/ns/i18n#en' };
    expect(statements.map(({ object }) => object)).toContainEqual(english);
    expect(await write([{ subject: { id: 'ex:a' }, predicate: { id: 'ex:b' }, object: english }], 'nquads')).toBe(
      '<ex:a> <ex:b> "Alice"@en .\n',
    );
    const bob = statements.find(({ object }) => object.value === 'Bob')?.subject.id ?? '';
    expect(bob).toMatch(/^_:/);
    expect(objects.knows).toEqual({ id: bob });
    const again = await read(text, 'turtle', 'http://base.example/');
    expect(again.find(({ object }) => object.value === 'Bob')?.subject.id).not.toBe(bob);
  });

  it('N-Quads say in which graph, and what things are', async () => {
    const statement: KGStatement = {
      subject: { id: 'http://e/a', type: 'http://e/T' },
      predicate: { id: 'rdf:type' },
      object: { id: 'http://e/b', type: 'http://e/U' },
      graph: 'http://e/g',
      certainty: 0.5,
      provenance: { by: 'x' },
    };
    expect(await write([statement], 'nquads')).toBe(
      [
        `<http://e/a> <${rdfType}> <http://e/b> <http://e/g> .`,
        `<http://e/a> <${rdfType}> <http://e/T> <http://e/g> .`,
        `<http://e/b> <${rdfType}> <http://e/U> <http://e/g> .\n`,
      ].join('\n'),
    );
    expect(await write([statement], 'turtle')).not.toContain('http://e/g');
    expect(await read(await write([statement], 'jsonl'), 'jsonl')).toEqual([statement]);
  });

  it('what is not what it is said to be is refused, with the line', async () => {
    const wrong = { kind: 'invalidParams' };
    await expect(read('<a:a> <a:b> .\n', 'nquads')).rejects.toMatchObject({
      ...wrong,
      message: expect.stringMatching(/^Not nquads: .*line 1/),
    });
    await expect(read('<a:a> <a:b> <a:c> .\n<a:a> "x" <a:c> .', 'turtle')).rejects.toMatchObject({
      ...wrong,
      message: expect.stringMatching(/line 2/),
    });
    await expect(read('\n{"subject": 1}\n', 'jsonl')).rejects.toMatchObject({
      ...wrong,
      message: 'Line 2: not a statement',
    });
    await expect(read('\n\n{', 'jsonl')).rejects.toMatchObject({
      ...wrong,
      message: expect.stringMatching(/^Line 3: not JSON/),
    });
  });

  it('a source that fails, fails the reading', async () => {
    async function* failing(): AsyncGenerator<string> {
      yield '<a:a> <a:b> <a:c> .\n';
      throw new Error('the disk is gone');
    }
    await expect(collect(readStatements(failing(), 'nquads'))).rejects.toThrow(/^the disk is gone$/);
  });

  it('names of files say what is in them', () => {
    const names = ['a.nq', 'b.c/d.TTL', 'x.nt', 'x.trig', 'x.jsonl', 'x.csv', 'nq', 'x.constructor'];
    const formats = ['nquads', 'turtle', 'ntriples', 'trig', 'jsonl', undefined, undefined, undefined];
    expect(names.map(formatOf)).toEqual(formats);
  });

  it('any statement comes back from N-Quads and TriG as it went in', async () => {
    const text = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 20 });
    const id = fc.oneof(
      text,
      text.map((each) => `urn:a2a-gateway:id:${each}`),
      fc.constant('http://example.com/x y'),
    );
    const statement: fc.Arbitrary<KGStatement> = fc.record(
      {
        subject: fc.record({ id }),
        predicate: fc.record({ id }),
        object: fc.oneof(
          fc.record({ id }),
          fc.oneof(text, fc.boolean(), fc.double({ noNaN: true, noDefaultInfinity: true })).map((value) => ({
            value: Object.is(value, -0) ? 0 : value,
          })),
          text.map((value) => ({ value, type: `urn:x ${value}` })),
        ),
        graph: id,
      },
      { requiredKeys: ['subject', 'predicate', 'object'] },
    );
    await fc.assert(
      fc.asyncProperty(
        fc.array(statement, { maxLength: 5 }),
        fc.constantFrom('nquads', 'trig'),
        async (all, format) => {
          const back = await read(await write(all, format as KnowledgeFormat), format as KnowledgeFormat);
          expect(graphOf(back)).toEqual(graphOf(all));
        },
      ),
      { numRuns: 50 },
    );
  });

  it('a document of thousands of statements is written in pieces', async () => {
    const statements = Array.from({ length: 3_000 }, (_, i) => ({
      subject: { id: `http://e/s${i % 700}` },
      predicate: { id: 'http://e/p' },
      object: { value: `value ${i}` },
    }));
    const parts = await collect(writeStatements(each(statements), 'nquads'));
    expect(parts.length).toBeGreaterThan(1);
    expect(await read(parts.join(''), 'nquads')).toEqual(statements);
  });
});
