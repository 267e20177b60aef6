import { describe, expect, it } from 'vitest';
import { upwardArrows } from '../../scripts/house/folders.ts';
import { unboundMethods } from '../../scripts/house/methods.ts';
import { filesThatName } from '../../scripts/house/naming.ts';
import { parseFile } from '../../scripts/house/syntax.ts';
import { importsOf } from '../../scripts/imports.ts';

const importing = (path: string, ...specifiers: string[]) => {
  const text = specifiers.map((specifier) => `import '${specifier}';`).join('\n');
  return { path, lines: specifiers.length, imports: importsOf(text) };
};

describe('the measures of the house', () => {
  it('a file names an extension by an identifier, a private member, a section key or an import of its files', () => {
    const feature = { folders: ['src/extensions/trees/'], names: /^(?:trees|Tree\w*)$/ };
    const files = [
      parseFile('src/a.ts', 'export const treesOfLife = 1;'),
      parseFile('src/b.ts', 'export function f(x: TreeRun) { return x; }'),
      parseFile('src/c.ts', "export const path = ['limits', 'trees'];"),
      parseFile('src/d.ts', "import '../extensions/trees/index.ts';"),
      parseFile('src/e.ts', 'export class A { #trees = 1; }'),
      parseFile('src/f.ts', '// trees\nexport const a = "many trees";'),
      parseFile('src/extensions/trees/index.ts', 'export const trees = 1;'),
    ];
    expect(filesThatName(feature, files)).toEqual(['src/b.ts', 'src/c.ts', 'src/d.ts', 'src/e.ts']);
    const except = ['src/b.ts', 'src/c.ts'];
    expect(filesThatName({ ...feature, except }, files)).toEqual(['src/d.ts', 'src/e.ts']);
  });

  it('a function has the lines from its first to its last one, with the functions in it', () => {
    const text = 'class A {\n  open() {\n    return () => {\n      return 1;\n    };\n  }\n}\nconst f = () => 1;\n';
    const { functions, classes } = parseFile('src/a.ts', text);
    expect(functions).toEqual([
      { place: 'src/a.ts: open', size: 5 },
      { place: 'src/a.ts: open', size: 3 },
      { place: 'src/a.ts: f', size: 1 },
    ]);
    expect(classes).toEqual([{ place: 'src/a.ts: A', size: 1 }]);
  });

  const turn = 'export class Turn { #n = 0; open() { return this.#n; } close = () => this.#n; kind() { return 1; } }';
  const taken = (text: string) => unboundMethods([parseFile('src/turn.ts', turn), parseFile('src/a.ts', text)]);

  it.each([
    ['destructured from a new object', 'const { open } = new Turn();', 'open'],
    ['passed from a variable', 'const turn = new Turn();\nlist.map(turn.open);', 'turn.open'],
    ['passed from a parameter', 'function f(turn: Turn) { return { open: turn.open }; }', 'turn.open'],
    ['passed from a private member', 'class A { #turn: Turn; f() { return [this.#turn.open]; } }', 'this.#turn.open'],
    ['passed from an object of any class', 'export const f = (x) => list.map(x.open);', 'x.open'],
    ['left out by a spread', 'const turn = new Turn();\nexport const a = { ...turn };', '...turn'],
  ])('a method is found that is %s', (_, text, place) => {
    expect(taken(text)).toEqual([expect.stringMatching(new RegExp(`^src/a.ts:\\d: ${place.replaceAll('.', '\\.')}$`))]);
  });

  it('a method is found that an object hands on itself', () => {
    const text = 'export class A { #run() { return this; } f() { return list.map(this.#run); } }';
    expect(taken(text)).toEqual(['src/a.ts:1: this.#run']);
  });

  it.each([
    ['called', 'const turn = new Turn();\nturn.open();\nturn.open?.();'],
    ['bound', 'const turn = new Turn();\nlist.map(turn.open.bind(turn));'],
    ['an arrow function', 'const { close } = new Turn();'],
    ['without an own object', 'const { kind } = new Turn();'],
    [
      'a member of another object',
      'export interface Door { open: () => void }\nexport const f = (door) => list.map(door.open);',
    ],
  ])('a method may be handed on that is %s', (_, text) => {
    expect(taken(text)).toEqual([]);
  });

  it('folders beside each other that import one another have an arrow upward, and others have none', () => {
    const down = [
      importing('src/b/one.ts', '../a/one.ts'),
      importing('src/c/deep/one.ts', '../../a/one.ts', '../x.ts'),
    ];
    expect(upwardArrows(down)).toEqual([]);
    const back = importing('src/a/two.ts', '../b/two.ts');
    expect(upwardArrows([...down, importing('src/b/three.ts', '../a/three.ts'), back])).toHaveLength(1);
  });

  it('a circle of three folders has one arrow upward', () => {
    const circle = [
      importing('src/a/one.ts', '../b/one.ts'),
      importing('src/b/one.ts', '../c/one.ts'),
      importing('src/c/one.ts', '../a/one.ts'),
      importing('src/d/one.ts', '../a/one.ts'),
    ];
    expect(upwardArrows(circle)).toHaveLength(1);
  });
});
