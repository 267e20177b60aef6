import { isDeepStrictEqual } from 'node:util';
import type { Image } from '../image.ts';
import type { Definitions, Schema } from '../json-schema.ts';
import { type Model, typesWithImports } from '../model.ts';
import { type Change, compareProtos, type ProtoFile } from '../update/diff.ts';
import { versions } from '../versions.ts';
import { readBuiltIn } from './built-in.ts';
import { readCarried } from './carried.ts';
import { imageIn, type LastRun } from './record.ts';
import type { Spec } from './spec.ts';

/** Returns the changes between the specifications of the last run and this run, field by field. */
export function changesSince(last: LastRun, spec: Spec): Change[] {
  if (last.definitions && spec.definitions) {
    const protos = compareProtos(protoOf(imageIn(last), last.proto), protoOf(spec.image, spec.model.file));
    const services = protos.filter(({ kind }) => ['package', 'service', 'rpc', 'http rule'].includes(kind));
    return [...compareDefinitions(last.definitions, spec.definitions), ...services];
  }
  return compareProtos(protoOf(imageIn(last), last.proto), protoOf(spec.image, spec.model.file));
}

/** Returns the proto of a record, with all types that are generated from it. */
export const protoOf = ({ registry }: Image, name: string): ProtoFile => {
  const file = registry.getFile(name);
  if (!file) throw new Error(`no such proto file: ${name}`);
  return { file, registry, types: typesWithImports(file) };
};

/** Describes a change in one line. */
export const changeLine = ({ change, kind, name, detail }: Change): string =>
  `${change} ${kind} ${name}${detail ? `: ${detail}` : ''}`;

/** Returns the changes of a JSON form that no proto describes. */
function compareDefinitions(was: Definitions, is: Definitions): Change[] {
  const changes: Change[] = [];
  for (const name of new Set([...Object.keys(was), ...Object.keys(is)])) {
    const before = was[name];
    const after = is[name];
    const kind = (before ?? after)?.enum ? 'enum' : 'message';
    if (!before || !after) {
      changes.push({ kind, change: before ? 'removed' : 'added', name, owner: name, word: name });
      continue;
    }
    if (!before.properties || !after.properties) {
      if (!isDeepStrictEqual(ownPart(before), ownPart(after))) {
        changes.push({ kind, change: 'changed', name, detail: textOf(after), owner: name, word: name });
      }
      continue;
    }
    changes.push(...compareProperties(name, before, after));
  }
  return changes;
}

function compareProperties(owner: string, was: Schema, is: Schema): Change[] {
  const before = was.properties ?? {};
  const after = is.properties ?? {};
  const words = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  return words.flatMap((word): Change[] => {
    const a = before[word];
    const b = after[word];
    const common = { kind: 'field' as const, name: `${owner}.${word}`, owner, word };
    if (!a || !b) return [{ ...common, change: a ? 'removed' : 'added', ...(b && { detail: textOf(b) }) }];
    const found: Change[] = [];
    if (!isDeepStrictEqual(ownPart(a), ownPart(b))) {
      found.push({ ...common, change: 'retyped', detail: `${textOf(a)} to ${textOf(b)}` });
    }
    const [needed, needs] = [was, is].map(({ required = [] }) => required.includes(word));
    if (needed !== needs)
      found.push({ ...common, change: 'changed', detail: needs ? 'now required' : 'no longer required' });
    return found;
  });
}

function ownPart(schema: Schema): unknown {
  return JSON.parse(
    JSON.stringify(schema, (key, value) => (key === 'description' && typeof value === 'string' ? undefined : value)),
  );
}

const textOf = (schema: Schema): string =>
  JSON.stringify(ownPart(schema)).replaceAll('"', '').replaceAll('#/definitions/', '');

/** A new name, with the older versions of A2A that cannot express it. */
export interface NewLoss {
  /** Name, such as `Task.labels`. */
  readonly name: string;
  /** Names of dialects, newest first. */
  readonly dialects: readonly string[];
}

/**
 * Returns the new names that older versions lose: fields according to the tables of dialects and the older versions of
 * A2A 1.x, rpcs and enum values by name.
 */
export async function newLosses(spec: Spec, changes: readonly Change[]): Promise<NewLoss[]> {
  if (spec.definitions || !changes.some(({ change }) => change === 'added')) return [];
  const older = await olderVersions(spec);
  const carried = Object.entries(await readCarried());
  return changes.flatMap(({ kind, change, name, owner, word }): NewLoss[] => {
    if (change !== 'added') return [];
    const lacks = ({ model }: Pick<Spec, 'model'>): boolean => !has(model, kind, owner, word);
    const versionsWithout = older.filter(lacks).map((version) => version.name);
    // Dialect tables show only for fields whether an older dialect has an equivalent under another name.
    const isNewName = (kind === 'rpc' || kind === 'enum value') && older.every(lacks);
    const others = carried.flatMap(([dialect, messages]) => {
      const fields = Object.hasOwn(messages, owner) ? messages[owner] : undefined;
      const isLost = kind === 'field' && fields !== undefined && !fields.includes(word);
      return isNewName || isLost ? [dialect] : [];
    });
    const dialects = [...versionsWithout, ...others];
    return dialects.length === 0 ? [] : [{ name, dialects }];
  });
}

/**
 * Returns the versions of A2A 1.x before a specification, newest first; for a user's own specification, all versions.
 */
async function olderVersions({ title }: Spec): Promise<{ readonly name: string; readonly model: Model }[]> {
  const at = versions.findIndex(({ version }) => `A2A ${version}` === title);
  const older: { readonly name: string; readonly model: Model }[] = [];
  for (const { name, version } of versions.slice(at + 1))
    older.push({ name, model: (await readBuiltIn(version)).model });
  return older;
}

function has({ messages, enums, operations }: Model, kind: Change['kind'], owner: string, word: string): boolean {
  if (kind === 'rpc') return operations.some(({ rpc }) => rpc === word);
  if (kind === 'enum value') return enums.some(({ values }) => values.some(({ name }) => name === word));
  // If a version lacks a whole message, the field that uses the message is reported instead.
  if (kind !== 'field') return true;
  const message = messages.find(({ name }) => name === owner);
  return message === undefined || message.fields.some(({ jsonName }) => jsonName === word);
}
