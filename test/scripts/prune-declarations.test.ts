import { expect, it } from 'vitest';
import { pruneDeclarations } from '../../scripts/prune-declarations.ts';

const prune = (files: Record<string, string>, ...entries: string[]) =>
  Object.fromEntries(pruneDeclarations(new Map(Object.entries(files)), entries));

it('pruning declarations keeps what the entry reaches, with its comments, and drops the rest with its imports', () => {
  const files = {
    'index.d.ts': `export { type Wanted } from './inner/types.js';\n`,
    'inner/types.d.ts': `import type { Schema } from 'a-package';
import type { Part, Unused } from './part.js';
/** Wanted. */
export interface Wanted {
    /** A part. */
    readonly part: Part;
    readonly schema: string;
}
/** Not wanted. */
export declare const schema: Schema<Unused>;
`,
    'inner/part.d.ts': `export type Part = Local | import('./other.js').Other<number>;
type Local = { a: 1 };
export type Unused = { b: 2 };
`,
    'inner/other.d.ts': `export interface Other<T> {\n    t: T;\n}\nexport {};\n`,
    'inner/far.d.ts': `export declare const far: number;\n`,
  };
  expect(prune(files, 'index.d.ts')).toEqual({
    'index.d.ts': `export { type Wanted } from './inner/types.js';\n`,
    'inner/types.d.ts': `import type { Part } from './part.js';
/** Wanted. */
export interface Wanted {
    /** A part. */
    readonly part: Part;
    readonly schema: string;
}
`,
    'inner/part.d.ts': `export type Part = Local | import('./other.js').Other<number>;\ntype Local = { a: 1 };\n`,
    'inner/other.d.ts': files['inner/other.d.ts'],
  });
});

it('pruning declarations follows names through re-exports, whole modules and other names', () => {
  const files = {
    'index.d.ts': `export * from './all.js';\nexport * as space from './space.js';\nexport { a as b } from './names.js';\n`,
    'all.d.ts': `export * from './deep.js';\nexport declare const all: 1;\n`,
    'deep.d.ts': `export declare function deep(text: string): void;\nexport declare function deep(text: number): void;\ndeclare const text: 2;\n`,
    'space.d.ts': `import * as codec from './codec.js';\nexport type S = codec.T;\n`,
    'codec.d.ts': `export interface T {}\nexport interface U {}\n`,
    'names.d.ts': `declare class A { #private; }\nexport { A as a, C as c };\ndeclare class C {}\n`,
  };
  const { 'deep.d.ts': deep, 'names.d.ts': names, ...same } = prune(files, 'index.d.ts');
  expect(same).toEqual({
    'index.d.ts': files['index.d.ts'],
    'all.d.ts': files['all.d.ts'],
    'space.d.ts': files['space.d.ts'],
    'codec.d.ts': files['codec.d.ts'],
  });
  expect(deep).toBe(files['deep.d.ts'].replace('declare const text: 2;\n', ''));
  expect(names).toBe('declare class A { #private; }\nexport { A as a };\n');
});

it('pruning declarations keeps what other files add to an interface that is kept, and drops other additions', () => {
  const added = `import type { Part, Unused } from './part.js';
export interface Own {}
declare module './base.js' {
    interface Kept {
        readonly part?: Part;
    }
}
`;
  const files = {
    'index.d.ts': `export type { Kept } from './base.js';\nexport type { Own } from './added.js';\n`,
    'base.d.ts': 'export interface Kept {\n}\nexport interface Dropped {\n}\n',
    'added.d.ts': `${added}declare module './base.js' {\n    interface Dropped {\n        unused: Unused;\n    }\n}\n`,
    'part.d.ts': 'export interface Part {}\nexport interface Unused {}\n',
  };
  expect(prune(files, 'index.d.ts')).toEqual({
    'index.d.ts': files['index.d.ts'],
    'base.d.ts': 'export interface Kept {\n}\n',
    'added.d.ts': added.replace('Part, Unused', 'Part'),
    'part.d.ts': 'export interface Part {}\n',
  });
});

it('pruning declarations takes names of members, parameters and type parameters for no references', () => {
  const { 'a.d.ts': left } = prune(
    {
      'index.d.ts': `export { f, G } from './a.js';\n`,
      'a.d.ts': `export declare function f(one: Two, { three }: { three: 3 }, ...four: Five[]): asserts one is Six;
export interface G<seven> { eight: seven; nine(ten: 1): void }
declare const three: 3; declare const four: 4; declare const eight: 8; declare const nine: 9; declare const ten: 10;
interface Two {} interface Five {} interface Six extends Two {}
`,
    },
    'index.d.ts',
  );
  expect(left?.match(/(?<=declare const |interface )\w+/g)).toEqual(['G', 'Two', 'Five', 'Six']);
});

it('pruning declarations refuses what it does not understand', () => {
  expect(() => prune({ 'index.d.ts': 'declare const a: 1;\nexport default a;\n' }, 'index.d.ts')).toThrow('efault');
});
