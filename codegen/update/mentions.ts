import type { DescFile } from '@bufbuild/protobuf';
import { type Change, localNameOf, messagesOf, methodsOf, namedEnums, type ProtoFile } from './diff.ts';
import { type Declaration, mentionsWord } from './sources.ts';

/** A place that must be written or checked. */
export interface Place {
  /** Path below the project. */
  readonly file: string;
  /** Function, constant or class; absent if the place is in none. */
  readonly name?: string;
  readonly line?: number;
  readonly why: string;
}

/**
 * Returns the declarations that mention changed elements. Names of rpcs, messages and enum values are searched
 * everywhere. Names of fields are searched in the dialects, in declarations that also name the message, or in all if no
 * other message has a field of that name. For an enum or oneof with new members, returns the declarations that list
 * most of its values or members.
 */
export function mentions(declarations: readonly Declaration[], changes: readonly Change[], was: DescFile): Place[] {
  const places = changes.flatMap((change) => {
    const found = declarations.filter(searchFor(change, was));
    return found.map(({ file, name, line }) => ({ file, name, line, why: reason(change) }));
  });
  return unite(places);
}

const none = (): boolean => false;

function searchFor(change: Change, was: DescFile): (one: Declaration) => boolean {
  const { kind, word, name } = change;
  if (change.change === 'added') {
    if (kind === 'rpc') return ({ code }) => hasMost(code, rpcNames(was));
    return kind === 'enum value' ? ({ code }) => hasMost(code, valueNames({ file: was }, name)) : none;
  }
  if (kind === 'oneof') return growsOneof(change, was);
  // Routes and options are read from the generated tables.
  if (change.change === 'changed' || kind === 'http rule') return none;
  if (kind !== 'field') return ({ code }) => mentionsWord(code, word);
  const owner = name.split('.')[0] ?? '';
  const holders = messagesOf(was).filter(({ fields }) => fields.some(({ jsonName }) => jsonName === word));
  const isUnique = holders.length === 1;
  // In all other places, uses of fields are typed, so the compiler finds them.
  return ({ file, code }) =>
    file.startsWith('src/dialects/') && mentionsWord(code, word) && (isUnique || mentionsWord(code, owner));
}

/** Returns the names of all rpcs of a file. */
export const rpcNames = (file: DescFile): string[] => methodsOf(file).map(({ name }) => name);

/** Returns the values of the enum that a change such as `TaskState.TASK_STATE_PAUSED` concerns. */
export function valueNames(proto: Pick<ProtoFile, 'file' | 'types'>, name: string): string[] {
  const owner = namedEnums(proto).find((one) => one.name === name.split('.')[0]);
  return owner?.type.values.map((value) => value.name) ?? [];
}

/** Returns whether a declaration names a message and at least half of the members of its oneof. */
function growsOneof({ name }: Change, was: DescFile): (one: Declaration) => boolean {
  const [owner = '', oneof] = name.split('.');
  const message = messagesOf(was).find((one) => localNameOf(one) === owner);
  const members = message?.oneofs.find((one) => one.name === oneof)?.fields.map(({ jsonName }) => jsonName) ?? [];
  return ({ code }) => mentionsWord(code, owner) && hasMost(code, members);
}

/** Whether code contains at least half of the words, and at least two of them. */
export function hasMost(code: string, words: readonly string[]): boolean {
  const found = words.filter((word) => mentionsWord(code, word)).length;
  return found >= 2 && found * 2 >= words.length;
}

function reason({ kind, change, name, word }: Change): string {
  if (kind === 'rpc' && change === 'added') return `lists most rpcs; ${word} is new`;
  if (change === 'added') return `lists most values of ${name.split('.')[0]}; ${word} is new`;
  if (kind === 'oneof') return `lists most members of ${name}, to which members were added`;
  return `mentions ${word}`;
}

/** Merges places with the same declaration, combining their reasons. */
export function unite(places: readonly Place[]): Place[] {
  const found = new Map<string, { place: Place; reasons: Set<string> }>();
  for (const place of places) {
    const key = `${place.file} ${place.name ?? place.line}`;
    const united = found.get(key) ?? { place, reasons: new Set() };
    united.reasons.add(place.why);
    found.set(key, united);
  }
  const all = [...found.values()].map(({ place, reasons }) => ({ ...place, why: [...reasons].join('; ') }));
  return all.sort((a, b) => (a.file < b.file ? -1 : a.file > b.file ? 1 : (a.line ?? 0) - (b.line ?? 0)));
}
