import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { describe, expect, it } from 'vitest';
import { parseAst } from 'vitest/node';
import { resolveTool } from '../../scripts/tools.ts';
import { paced } from '../support/pace.ts';

/**
 * Every regular expression of the program takes time in proportion to the text. A checker (recheck) proves it for each,
 * from its automaton, or gives a text that takes longer. A pattern that it cannot judge counts as refused: a look-ahead, or
 * a repetition with large bounds within another. Such patterns can be written more simply, or as a loop
 * (`core/model/text.ts`).
 *
 * A verdict takes a good part of a second and never changes, so `regular-expressions.json` keeps those of a version of the checker:
 * what is not in it is judged, and a part of the others, by TEST_SEED. `UPDATE=1` in the environment writes it anew.
 */

/** The functions of recheck that this test uses. */
interface Checker {
  checkSync(
    source: string,
    flags: string,
    parameters: { readonly checker: 'automaton'; readonly timeout: number },
  ):
    | { readonly status: 'safe' }
    | { readonly status: 'unknown'; readonly error: { readonly kind: string } }
    | {
        readonly status: 'vulnerable';
        readonly complexity: { readonly summary: string };
        readonly attack: { readonly pattern: string };
      };
}

const root = new URL('../../', import.meta.url);
// The build in JavaScript, whose verdict is the same on every machine.
const { checkSync }: Checker = createRequire(import.meta.url)(resolveTool('tests', 'recheck/lib/browser.js'));

interface Pattern {
  readonly source: string;
  readonly flags: string;
}

/** The members of a syntax node that this test reads. */
interface Node {
  readonly type?: string;
  readonly start?: number;
  readonly regex?: { readonly pattern: string; readonly flags: string };
  readonly callee?: { readonly name?: string };
  readonly key?: { readonly name?: string };
  readonly value?: { readonly value?: unknown };
  readonly arguments?: readonly { readonly value?: unknown }[];
}

interface Found {
  /** By the path and line where each stands first. */
  readonly literals: ReadonlyMap<string, Pattern>;
  /** Files that make patterns while the program runs. */
  readonly makers: ReadonlySet<string>;
}

function findPatterns(): Found {
  const literals = new Map<string, Pattern>();
  const makers = new Set<string>();
  const seen = new Set<string>();
  for (const path of globSync('src/**/*.{ts,tsx}', { cwd: root }).sort()) {
    const text = readFileSync(new URL(path, root), 'utf8');
    const visit = (node: unknown): void => {
      if (typeof node !== 'object' || node === null) return;
      const { type, regex, start, callee, key: name, value: own, arguments: given = [] } = node as Node;
      const add = (source: string, flags: string): void => {
        const key = `/${source}/${flags}`;
        const line = text.slice(0, start).split('\n').length;
        if (!seen.has(key)) literals.set(`${path}:${line} ${key}`, { source, flags });
        seen.add(key);
      };
      if (type === 'Literal' && regex) add(regex.pattern, regex.flags);
      if ((type === 'NewExpression' || type === 'CallExpression') && callee?.name === 'RegExp') {
        const [source, flags = ''] = given.map(({ value }) => value);
        if (typeof source === 'string' && typeof flags === 'string') add(source, flags);
        else makers.add(path);
      }
      // `read-shape.ts` makes expressions of the patterns in generated shapes.
      if (type === 'Property' && name?.name === 'pattern' && typeof own?.value === 'string') add(own.value, 'u');
      for (const child of Object.values(node)) visit(child);
    };
    visit(parseAst(text, { lang: path.endsWith('x') ? 'tsx' : 'ts' }).body);
  }
  return { literals, makers };
}

/** Why a pattern is not linear; undefined if it is. */
function faultOf({ source, flags }: Pattern): string | undefined {
  const verdict = checkSync(source, flags, { checker: 'automaton', timeout: paced(60_000) });
  if (verdict.status === 'safe') return undefined;
  if (verdict.status === 'unknown') return `cannot be judged (${verdict.error.kind})`;
  return `${verdict.complexity.summary}, for example ${verdict.attack.pattern}`;
}

const file = new URL('regular-expressions.json', import.meta.url);
const kept: { readonly checker: string; readonly linear: readonly string[] } = JSON.parse(readFileSync(file, 'utf8'));
const manifest = JSON.parse(readFileSync(resolveTool('tests', 'recheck/package.json'), 'utf8'));
const checker = `recheck ${manifest.version}`;
const isUpdate = process.env.UPDATE !== undefined;
/** The runner prints it; `TEST_SEED=N` judges the same part again. */
const seed = Number(process.env.TEST_SEED ?? 0);

/** The pattern of a place, as `/source/flags`. */
const patternAt = (place: string): string => place.slice(place.indexOf(' ') + 1);

it.each([
  ['trimming at the end', /0+$/],
  ['two repetitions of the same characters', /^([0-9]*)\.?([0-9]*)$/],
  ['a repetition of repetitions', /^(?:a+)+$/],
  ['an end that may be missing', /<[^>]*>/],
  ['three repetitions', /[^:]+\.[^:]+$/],
])('the checker refuses %s', (_, { source, flags }) => {
  expect(faultOf({ source, flags })).toMatch(/polynomial|exponential/);
});

describe('a regular expression of the program', () => {
  const { literals, makers } = findPatterns();

  it('a regular expression of the program is found in every part of it', () => {
    const parts = new Set([...literals.keys()].map((place) => place.split('/')[1]));
    expect([...parts].sort()).toEqual(
      expect.arrayContaining(['auth', 'core', 'dialects', 'extensions', 'net', 'wire']),
    );
  });

  it('a regular expression of the program stands in the sources, unless the configuration holds it', () => {
    // The patterns of SHACL shapes, which are interrupted, and `pattern` of generated shapes, which are looked at above.
    expect([...makers].sort()).toEqual(['src/extensions/knowledge/alignment/shapes/load.ts', 'src/wire/read-shape.ts']);
  });

  it('a regular expression of the program takes time in proportion to the text', { timeout: paced(300_000) }, () => {
    const isKept = (place: string): boolean => kept.checker === checker && kept.linear.includes(patternAt(place));
    const judged = [...literals].filter(([place], at) => isUpdate || !isKept(place) || (at + seed) % 16 === 0);
    const faulty = judged.flatMap(([place, pattern]) => {
      const fault = faultOf(pattern);
      return fault === undefined ? [] : [`${place}: ${fault}`];
    });
    expect(faulty).toEqual([]);
    const linear = [...literals.keys()].map(patternAt).sort();
    if (isUpdate) writeFileSync(file, `${JSON.stringify({ checker, linear }, undefined, 2)}\n`);
  });
});
