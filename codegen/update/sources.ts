import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, sep } from 'node:path';

/** A top-level function, class, constant or type of a source file. */
export interface Declaration {
  /** Path below the project, with forward slashes. */
  readonly file: string;
  readonly name: string;
  /** Number of its first line, from 1. */
  readonly line: number;
  /** Source without comments. */
  readonly code: string;
}

const head =
  /^(?:export )?(?:default )?(?:async )?(?:abstract )?(?:function\*?|const|let|class|interface|type) ([\w$]+)/;
const method = /^ {2}(?:(?:static|async|get|set|override) )*\*?([#\w]+)(?:<[^>]*>)?\(/;

/**
 * Returns the declarations in the TypeScript files of a folder, except generated ones. They are recognized by their
 * first line, which the formatter does not indent.
 */
export function declarationsIn(root: string, dir: string): Declaration[] {
  if (!existsSync(join(root, dir))) return [];
  const files = readdirSync(join(root, dir), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .map((file) => `${dir}/${file.split(sep).join('/')}`)
    .filter((file) => !file.startsWith('src/gen/'));
  return files.sort().flatMap((file) => declarationsOf(file, readFileSync(join(root, file), 'utf8')));
}

/** Returns the declarations of a file. */
export function declarationsOf(file: string, source: string): Declaration[] {
  const code = withoutComments(source);
  const lines = code.split('\n');
  const starts = lines.flatMap((line, at) => (head.test(line) ? [at] : []));
  return starts.map((start, at) => ({
    file,
    name: head.exec(lines[start] ?? '')?.[1] ?? '',
    line: start + 1,
    code: lines.slice(start, starts[at + 1]).join('\n'),
  }));
}

/** Returns the name of the declaration, or of the class method, that contains a line. */
export function nameAt(declarations: readonly Declaration[], file: string, line: number): string | undefined {
  const found = declarations.findLast((one) => one.file === file && one.line <= line);
  if (!found) return undefined;
  const before = found.code.split('\n').slice(0, line - found.line + 1);
  if (!/^(?:export )?(?:default )?(?:abstract )?class /.test(found.code)) return found.name;
  const member = before.findLast((text) => method.test(text));
  return member === undefined ? found.name : `${found.name}.${method.exec(member)?.[1]}`;
}

/** Returns source with comments blanked out. Line numbers are unchanged. */
export function withoutComments(source: string): string {
  const part = /("(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|`(?:\\.|[^`\\])*`)|\/\/[^\n]*|\/\*[\s\S]*?\*\//g;
  return source.replace(part, (all, text?: string) => text ?? all.replace(/[^\n]/g, ''));
}

/** Whether code contains a word, as an identifier or in a string. */
export function mentionsWord(code: string, word: string): boolean {
  return new RegExp(`(?<![\\w$])${word.replaceAll('.', '\\.')}(?![\\w$])`).test(code);
}
