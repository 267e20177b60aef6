import { readdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { differences, knownFailuresFolder, matchesCase, readKnownFile, readKnownList } from './known-list.ts';

const lists = readdirSync(knownFailuresFolder);

/** A sentence in quotation marks, a section, or a generation of the protocol that cannot do what a case wants. */
const citation = /"[^"]{15,}"|\bsection \d|\b0\.[1-3]\b/i;

describe.each(lists)('the list of known failures %s', (name) => {
  it(`the list of known failures ${name} cites the specification for each of its cases`, () => {
    for (const { pattern, reason } of readKnownFile(name)) expect(reason, pattern).toMatch(citation);
  });

  it(`the list of known failures ${name} has each case once`, () => {
    const patterns = readKnownFile(name).map(({ pattern }) => pattern);
    expect(patterns).toEqual([...new Set(patterns)]);
  });
});

describe('a list of known failures', () => {
  const list = readKnownList('# A list.\n\n# RFC 1: "It\n# is so."\na/one\na/t*\n\n# RFC 2: "It may be."\n? b/race\n');

  it('a list of known failures gives each case the reason of its paragraph', () => {
    expect(list).toEqual([
      { pattern: 'a/one', isRace: false, reason: 'RFC 1: "It is so."' },
      { pattern: 'a/t*', isRace: false, reason: 'RFC 1: "It is so."' },
      { pattern: 'b/race', isRace: true, reason: 'RFC 2: "It may be."' },
    ]);
  });

  it('a list of known failures matches any text with a star, and everything else literally', () => {
    expect(matchesCase('a/*::x[grpc]', 'a/b::x[grpc]')).toBe(true);
    expect(matchesCase('a/*::x[grpc]', 'a/b::xg')).toBe(false);
    expect(matchesCase('a.b', 'a-b')).toBe(false);
  });

  const names = ['a/one', 'a/two', 'a/three', 'b/race', 'c'];

  it('a list of known failures agrees with a run in which what it names fails', () => {
    expect(
      differences(
        list,
        names,
        new Map([
          ['a/one', ''],
          ['a/two', ''],
        ]),
        true,
      ),
    ).toEqual([]);
  });

  it('a list of known failures differs from a run in which something else fails', () => {
    const failures = new Map([
      ['a/one', ''],
      ['a/two', ''],
      ['c', 'words'],
    ]);
    expect(differences(list, names, failures, true)).toEqual(['c fails: words']);
  });

  it('a list of known failures differs from a run in which a case that it names passes', () => {
    expect(differences(list, names, new Map([['a/two', '']]), true)).toEqual([
      'a/one does not fail: take it off the list',
    ]);
  });

  it('a list of known failures says nothing of cases that were not run, unless the run is whole', () => {
    expect(differences(list, ['c'], new Map(), false)).toEqual([]);
    expect(differences(list, ['c'], new Map(), true)).toHaveLength(2);
  });
});
