import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { DescFile, DescMessage } from '@bufbuild/protobuf';
import type { Operation } from '../../src/gen/operations.ts';
import type { Comments } from '../comments.ts';
import { type Change, enumsOf, localNameOf, messagesOf, methodsOf } from './diff.ts';
import { hasMost, rpcNames, valueNames } from './mentions.ts';
import { mentionsWord } from './sources.ts';

/** Parts of the gateway that a change affects. */
export interface Touched {
  readonly operations: readonly string[];
  /** Scopes of these operations. */
  readonly scopes: readonly string[];
  /** Operations that require another scope in the new version. */
  readonly movedScopes: readonly { readonly operation: string; readonly from: string; readonly to: string }[];
  /** Errors that comments of new elements mention. */
  readonly errors: readonly { readonly error: string; readonly at: string }[];
  /** Pages that may have to be changed by hand. */
  readonly documents: readonly string[];
}

/** Returns the operations that changes affect: their rpc, or a message or enum within their request or response. */
export function touchedOperations(file: DescFile, changes: readonly Change[]): string[] {
  const owners = new Set(changes.map(({ owner }) => owner));
  const reaches = (message: DescMessage, seen: Set<DescMessage>): boolean => {
    if (seen.has(message)) return false;
    seen.add(message);
    if (owners.has(localNameOf(message))) return true;
    return message.fields.some(
      (field) =>
        (field.enum !== undefined && owners.has(localNameOf(field.enum))) ||
        (field.message !== undefined && reaches(field.message, seen)),
    );
  };
  return methodsOf(file)
    .filter(({ name, input, output }) => {
      const seen = new Set<DescMessage>();
      return owners.has(name) || reaches(input, seen) || reaches(output, seen);
    })
    .map(({ name }) => name);
}

const scopeOf = ({ reads }: Pick<Operation, 'reads'>): string => (reads ? 'tasks:read' : 'tasks');

/** Returns the scopes of operations, and the operations whose scope differs in the new version. */
export function touchedScopes(
  before: readonly Operation[],
  after: readonly Operation[],
  names: readonly string[],
): Pick<Touched, 'scopes' | 'movedScopes'> {
  const scopes = new Set([...after, ...before].filter(({ name }) => names.includes(name)).map(scopeOf));
  const movedScopes = after.flatMap((is) => {
    const was = before.find(({ name }) => name === is.name);
    const from = was && scopeOf(was);
    const to = scopeOf(is);
    return from !== undefined && from !== to ? [{ operation: is.name, from, to }] : [];
  });
  return { scopes: [...scopes].sort(), movedScopes };
}

const named = /\b[A-Z]\w+Error\b|\bHTTP [45]\d\d\b|\bgRPC `?[A-Z]+(?:_[A-Z]+)*\b|-32\d{3}\b/g;

/** Returns the errors that comments of new declarations mention: by class, HTTP or gRPC status, or JSON-RPC code. */
export function namedErrors(changes: readonly Change[], comments: Comments, after: DescFile): Touched['errors'] {
  return changes.flatMap(({ change, kind, name }) => {
    if (change !== 'added') return [];
    const { description = '' } = comments.of(fullName(kind, name, after));
    const errors = [...description.matchAll(named)].map(([error]) => error.replace('`', ''));
    return [...new Set(errors)].map((error) => ({ error, at: name }));
  });
}

/** Returns the full name by which comments are found. */
function fullName(kind: Change['kind'], name: string, file: DescFile): string {
  const [owner, member] = name.split('.');
  if (kind === 'rpc') {
    const service = file.services.find(({ methods }) => methods.some((one) => one.name === name));
    return `${service?.typeName}.${name}`;
  }
  const type = [...messagesOf(file), ...enumsOf(file)].find((one) => localNameOf(one) === owner);
  const field = type?.kind === 'message' && type.fields.find(({ jsonName }) => jsonName === member);
  return [type?.typeName, field ? field.name : member].filter((part) => part !== undefined).join('.');
}

/**
 * Returns the pages below `docs` and in the root that mention changed names or the end of a changed path, or that list
 * most of the rpcs or values to which a new one is added.
 */
export function touchedDocuments(root: string, changes: readonly Change[], before: DescFile): string[] {
  const words = changes.flatMap(({ kind, change, word, detail = '' }) => {
    if (kind === 'http rule') return [word, ...(/:\w+(?=$|,| )/.exec(detail)?.slice(0, 1) ?? [])];
    if (kind === 'field' && !/[A-Z]/.test(word)) return [];
    return change === 'added' || change === 'changed' ? [] : [word];
  });
  const lists = changes
    .filter(({ change }) => change === 'added')
    .flatMap(({ kind, name }) =>
      kind === 'rpc' ? [rpcNames(before)] : kind === 'enum value' ? [valueNames({ file: before }, name)] : [],
    );
  const pages = globSync(['*.md', 'docs/**/*.md'], { cwd: root }).sort();
  return pages.filter((page) => {
    const [byHand = ''] = readFileSync(join(root, page), 'utf8').split('<!-- From here on written by');
    const has = (word: string): boolean => (word.startsWith(':') ? byHand.includes(word) : mentionsWord(byHand, word));
    return words.some(has) || lists.some((list) => hasMost(byHand, list));
  });
}
