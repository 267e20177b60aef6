import { describe, expect, it } from 'vitest';
import { readFlags, withoutFlags, writeFlags } from '../../../src/dialects/kernel/card-flags.ts';
import { knowledgeGraph } from '../../../src/dialects/kernel/extension-facts.ts';

const { uri } = knowledgeGraph;
const other = { uri: 'https://example.com/other' };
const flagsOf = (knowledgeGraph: unknown, ...list: unknown[]) =>
  list.length === 0 ? { knowledgeGraph } : { knowledgeGraph, knowledgeGraphQueryLanguages: list[0] };
const extension = (...queryLanguages: string[]) => ({ uri, params: { queryLanguages } });

describe('flags of a card', () => {
  it.each([
    ['no flags', {}, []],
    ['an extension with a list', flagsOf(true, ['graphql', 'sparql']), [extension('graphql', 'sparql')]],
    ['an extension without a list', flagsOf(true), [extension()]],
    ['an extension with null for its list', flagsOf(true, null), [extension()]],
    ['no extension', flagsOf(false), []],
    ['null for an extension', flagsOf(null), []],
    ['a list without the flag', { knowledgeGraphQueryLanguages: ['graphql'] }, []],
  ])('flags for %s are read as extensions, and written as they were read', (_, flags, extensions) => {
    const read = readFlags({ streaming: true, ...flags }, [other]);
    expect(read.extensions).toEqual(extensions);
    expect(writeFlags([other, ...read.extensions], read.preserved)).toEqual({ flags, listed: [other] });
  });

  it('flags beside the extension itself add nothing to it, and it stays listed', () => {
    const read = readFlags(flagsOf(true, ['graphql']), [{ uri }]);
    expect(read).toEqual({ extensions: [], preserved: {} });
    const listed = [extension('sparql')];
    expect(writeFlags(listed, read.preserved)).toEqual({ flags: flagsOf(true, ['sparql']), listed });
  });

  it('flags of a card whose extension has changed or has gone since it was read follow the extension', () => {
    const { preserved } = readFlags(flagsOf(true, ['graphql']), []);
    const listed = [extension('sparql')];
    expect(writeFlags(listed, preserved)).toEqual({ flags: flagsOf(true, ['sparql']), listed });
    expect(writeFlags([other], preserved)).toEqual({ flags: {}, listed: [other] });
  });

  it('flags are left out of capabilities that are signed without them', () => {
    expect(withoutFlags({ streaming: true, ...flagsOf(true, []) })).toEqual({ streaming: true });
  });
});
