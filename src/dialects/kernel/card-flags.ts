import type { AgentExtension } from '../../core/model/a2a.ts';
import { sameJson } from '../../core/model/json.ts';
import { type FlaggedExtension, flaggedExtensions } from './extension-facts.ts';

// Cards before A2A 1.0 have some extensions as members of their capabilities, those of `flaggedExtensions`.

const rows: readonly FlaggedExtension[] = flaggedExtensions;

/** Members of a card for one extension, as they were read. */
type Flags = Readonly<Record<string, unknown>>;

/** Members of a card that do not follow from its extensions, by the names of extensions. */
export type PreservedFlags = Readonly<Partial<Record<(typeof flaggedExtensions)[number]['name'], Flags>>>;

const flaggedUris: ReadonlySet<string | undefined> = new Set(rows.map(({ uri }) => uri));

/** Whether cards have the extension as members of their capabilities. */
export const isFlagged = ({ uri }: { readonly uri?: string }): boolean => flaggedUris.has(uri);

/** The extensions of the flags, and their members, as pages about dialects name them. */
export const flaggedTitles = rows.map(({ title }) => title).join(' and ');
export const flagTitles = rows
  .map(({ title, flag, list }) => `${title} also as \`${flag}\` and \`${list}\``)
  .join(', ');

const flagNames: ReadonlySet<string> = new Set(rows.flatMap(({ flag, list }) => [flag, list]));

/** Returns capabilities without these members. */
export const withoutFlags = <T extends object>(capabilities: T): T =>
  Object.fromEntries(Object.entries(capabilities).filter(([name]) => !flagNames.has(name))) as T;

const flagsIn = ({ flag, list }: FlaggedExtension, members: Flags): Flags =>
  Object.fromEntries([flag, list].flatMap((name) => (members[name] === undefined ? [] : [[name, members[name]]])));

const extensionFor = ({ uri, list, param }: FlaggedExtension, flags: Flags): AgentExtension => ({
  uri,
  params: { [param]: flags[list] ?? [] },
});

/** The names in the list of an extension; undefined for a card that does not have the extension. */
export function listedNames(
  { uri, param }: FlaggedExtension,
  extensions: readonly { readonly uri?: string; readonly params?: Flags }[] = [],
): readonly string[] | undefined {
  const found = extensions.find((each) => each.uri === uri);
  if (!found) return undefined;
  const names = found.params?.[param];
  return Array.isArray(names) ? names.filter((name) => typeof name === 'string') : [];
}

/**
 * Reads the flags of a card.
 *
 * @param listed the extensions that the card lists
 * @returns further extensions of the v1 card, and the original flags, as far as `writeFlags` needs them
 */
export function readFlags(
  capabilities: object,
  listed: readonly Pick<AgentExtension, 'uri'>[],
): { readonly extensions: readonly AgentExtension[]; readonly preserved: PreservedFlags } {
  const read = rows.flatMap((row) => {
    const flags = flagsIn(row, capabilities as Flags);
    const isListed = listed.some(({ uri }) => uri === row.uri);
    return isListed || Object.keys(flags).length === 0 ? [] : [{ row, flags }];
  });
  return {
    extensions: read.flatMap(({ row, flags }) => (flags[row.flag] === true ? [extensionFor(row, flags)] : [])),
    preserved: Object.fromEntries(read.map(({ row, flags }) => [row.name, flags])),
  };
}

/**
 * Returns the flags for a v1 card, and the extensions that a card with these flags lists.
 *
 * @param preserved the flags of the card that was read
 */
export function writeFlags(
  extensions: readonly AgentExtension[],
  preserved: PreservedFlags,
): { readonly flags: Flags; readonly listed: readonly AgentExtension[] } {
  const flags: Record<string, unknown> = {};
  const implied = new Set<AgentExtension>();
  for (const row of rows) {
    const former = (preserved as Readonly<Record<string, Flags | undefined>>)[row.name];
    const ours = extensions.find(({ uri }) => uri === row.uri);
    if (!ours) {
      if (former?.[row.flag] !== true) Object.assign(flags, former);
    } else if (former?.[row.flag] && sameJson(ours, extensionFor(row, former))) {
      Object.assign(flags, former);
      implied.add(ours);
    } else {
      Object.assign(flags, { [row.flag]: true, [row.list]: [...(listedNames(row, [ours]) ?? [])] });
    }
  }
  return { flags, listed: extensions.filter((extension) => !implied.has(extension)) };
}
