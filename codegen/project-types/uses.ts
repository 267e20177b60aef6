import { spawnSync } from 'node:child_process';
import { existsSync, globSync, readFileSync, statSync } from 'node:fs';
import { basename, dirname, extname, join, relative, resolve, sep } from 'node:path';
import { type Change, namedMessages, type ProtoFile } from '../update/diff.ts';
import { hasMost, rpcNames, valueNames } from '../update/mentions.ts';
import { mentionsWord, withoutComments } from '../update/sources.ts';
import { mark } from './files.ts';

/** A line of the user's project that mentions changed elements. */
export interface Use {
  /** Path below the project, with forward slashes. */
  readonly file: string;
  readonly line: number;
  /** Changes of the elements that the line mentions. */
  readonly changes: readonly Change[];
}

const endings: ReadonlySet<string> = new Set([
  ...['.ts', '.tsx', '.mts', '.cts', '.js', '.jsx', '.mjs', '.cjs'],
  ...['.vue', '.svelte', '.astro'],
]);

/** Maximum characters of a file that is searched. Longer files are usually generated. */
const longest = 1_000_000;

/** Names of folders without source files, unless git tracks them. */
const left: ReadonlySet<string> = new Set(['node_modules', 'dist', 'build', 'out', 'coverage', 'vendor', 'target']);

/** Returns the project folder of a folder: the nearest one with a package.json, otherwise its parent. */
export function projectOf(folder: string): string {
  for (let at = resolve(folder); ; at = dirname(at)) {
    if (existsSync(join(at, 'package.json'))) return at;
    if (dirname(at) === at) return dirname(resolve(folder));
  }
}

/**
 * Returns the lines of a project that mention changed elements. Names of rpcs, messages and enum values are searched in
 * all files. Names of fields are searched in files that import something of A2A or mention the message, or everywhere
 * if no other message has a field of that name. For an enum or oneof with new members, or a message with a new required
 * field, returns the lines that mention the enum, oneof or message.
 *
 * @param folder folder of the types, which is not searched
 * @param was the previous proto
 */
export function usesOf(project: string, folder: string, changes: readonly Change[], was: ProtoFile): Use[] {
  const types = basename(folder);
  const searches = changes.flatMap((change) => searchFor(change, was, types));
  if (searches.length === 0) return [];
  return sourcesOf(project, folder).flatMap((file) => {
    const source = readFileSync(join(project, file), 'utf8');
    if (source.startsWith(mark)) return [];
    const code = withoutComments(source);
    const here = searches.filter(({ isIn }) => isIn(code));
    if (here.length === 0) return [];
    return code.split('\n').flatMap((text, at): Use[] => {
      const found = here.filter(({ at: pattern }) => pattern.test(text)).map(({ change }) => change);
      return found.length === 0 ? [] : [{ file, line: at + 1, changes: [...new Set(found)] }];
    });
  });
}

interface Search {
  readonly change: Change;
  /** Whether a file may mention the element. */
  readonly isIn: (code: string) => boolean;
  /** Pattern of the lines. */
  readonly at: RegExp;
}

const wordPattern = (...words: readonly string[]): RegExp =>
  new RegExp(`(?<![\\w$])(?:${words.map(escaped).join('|')})(?![\\w$])`);

const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&');

const importing = /\b(?:from|import|require)\s*\(?\s*['"`]([^'"`\n]+)['"`]/g;

/** Whether code imports something of A2A: the generated files, or a package with `a2a` in its name. */
const importsTypes = (code: string, types: string): boolean =>
  [...code.matchAll(importing)].some(([, name = '']) => /a2a/i.test(name) || name.split('/').includes(types));

/** @param types name of the folder of the generated files */
function searchFor(change: Change, was: ProtoFile, types: string): Search[] {
  const { kind, word, owner, name } = change;
  const anywhere = (pattern: RegExp): Search[] => [{ change, isIn: (code) => pattern.test(code), at: pattern }];
  if (change.change === 'added') {
    if (kind === 'rpc') return listing(change, rpcNames(was.file));
    if (kind === 'enum value') return listing(change, valueNames(was, name));
    // Code that creates such a message must set the new field.
    if (kind === 'field' && /\bREQUIRED\b/.test(change.detail ?? '')) return anywhere(wordPattern(owner));
    if (kind !== 'http rule') return [];
  }
  if (kind === 'package') return anywhere(packagePattern(was));
  if (kind === 'oneof') return [{ change, isIn: growsOneof(change, was), at: wordPattern(name.split('.')[0] ?? '') }];
  if (kind === 'rpc' || kind === 'http rule') return anywhere(rpcPattern(change));
  if (kind !== 'field') return anywhere(wordPattern(word));
  const holders = namedMessages(was).filter(({ type }) => type.fields.some(({ jsonName }) => jsonName === word));
  const protoName = holders[0]?.type.fields.find(({ jsonName }) => jsonName === word)?.name ?? word;
  const before = name.split('.')[0] ?? owner;
  const pattern = wordPattern(word, protoName);
  const owners = [before, owner].flatMap((type) => [type, type.charAt(0).toLowerCase() + type.slice(1)]);
  const isIn = (code: string): boolean =>
    pattern.test(code) &&
    (holders.length <= 1 || owners.some((type) => mentionsWord(code, type)) || importsTypes(code, types));
  return [{ change, isIn, at: pattern }];
}

/**
 * Returns a pattern for a package name, with which rpc paths and full names begin; for a package without a name, for
 * its services.
 */
function packagePattern({ file }: ProtoFile): RegExp {
  const pkg = file.proto.package;
  if (pkg !== '') return wordPattern(pkg);
  const services = file.services.map(({ name }) => `/${escaped(name)}/`);
  return services.length === 0 ? /$^/ : new RegExp(services.join('|'));
}

/** Returns a pattern for an rpc: its name, the name of a client's method, and the ends of its paths. */
function rpcPattern({ word, kind, detail = '' }: Change): RegExp {
  const names = [word, word.charAt(0).toLowerCase() + word.slice(1)];
  const named = wordPattern(...names).source;
  if (kind !== 'http rule') return new RegExp(named);
  // For `POST /tasks/{id=*}:cancel, body *`: `:cancel`, or otherwise the last name in the path.
  const paths = [...detail.matchAll(/\b[A-Z]+ (\/[^\s,]+)/g)].map(([, path = '']) => path);
  const ends = paths.flatMap((path) => /(:\w+|\/[\w.-]+)(?:\/\{[^}]*\})?$/.exec(path)?.[1] ?? []);
  return new RegExp([named, ...ends.map((end) => `${escaped(end)}(?![\\w-])`)].join('|'));
}

/** Searches for lines with some names, in files that list most of them. */
function listing(change: Change, names: readonly string[]): Search[] {
  if (names.length === 0) return [];
  return [{ change, isIn: (code) => hasMost(code, names), at: wordPattern(...names) }];
}

/** Returns whether code mentions a message and at least half of the members of its oneof. */
function growsOneof({ name }: Change, was: ProtoFile): (code: string) => boolean {
  const [owner = '', oneof] = name.split('.');
  const message = namedMessages(was).find((one) => one.name === owner);
  const members = message?.type.oneofs.find((one) => one.name === oneof)?.fields.map(({ jsonName }) => jsonName) ?? [];
  return (code) => mentionsWord(code, owner) && hasMost(code, members);
}

/**
 * Returns the source files of a project: those that git tracks, and other files that git does not ignore outside of
 * folders without sources.
 */
function sourcesOf(project: string, folder: string): string[] {
  const own = relative(project, folder).split(sep).join('/');
  const isSource = (file: string): boolean =>
    endings.has(extname(file)) && !file.endsWith('.d.ts') && !file.startsWith(`${own}/`);
  const isReadable = (file: string): boolean => {
    const place = statSync(join(project, file), { throwIfNoEntry: false });
    return place?.isFile() === true && place.size <= longest;
  };
  return (filesOfGit(project) ?? filesBelow(project)).filter(isSource).filter(isReadable).sort();
}

/** Whether a file is in a folder that by its name contains no sources. */
const isLeft = (file: string): boolean =>
  file
    .split('/')
    .slice(0, -1)
    .some((name) => left.has(name) || name.startsWith('.'));

function filesOfGit(project: string): string[] | undefined {
  const list = (...args: readonly string[]): string[] | undefined => {
    const { status, stdout } = spawnSync('git', ['ls-files', '-z', ...args], {
      cwd: project,
      encoding: 'utf8',
      maxBuffer: 64 << 20,
      timeout: 30_000,
    });
    return status === 0 ? stdout.split('\0').filter((file) => file !== '') : undefined;
  };
  const tracked = list('--cached');
  if (tracked === undefined) return undefined;
  const others = list('--others', '--exclude-standard') ?? [];
  const isPackage = (file: string): boolean => file.split('/').includes('node_modules');
  return [...new Set([...tracked.filter((file) => !isPackage(file)), ...others.filter((file) => !isLeft(file))])];
}

const filesBelow = (project: string): string[] =>
  globSync('**/*.{ts,tsx,mts,cts,js,jsx,mjs,cjs,vue,svelte,astro}', {
    cwd: project,
    exclude: (name) => left.has(name) || (name.startsWith('.') && name.length > 1),
  }).map((file) => file.split(sep).join('/'));
