import * as z from 'zod';
import { type ConfigKey, configKeys } from './config-keys.ts';
import { settingsDocs } from './settings-docs.ts';

/** A key with what its comment says. */
interface Documented extends ConfigKey {
  readonly meaning: string;
  /** Markdown for the column of defaults. */
  readonly shownDefault: string;
}

/** Subtrees with a table of their own: its name in the page, and the path of the mapping. */
const tables = {
  knowledge: 'agents.*<reference>.knowledge',
  credentials: 'agents.*<upstream>.auth',
  module: 'agents.*<module>',
  upstream: 'agents.*<upstream>',
  mcp: 'agents.*<mcp>',
} as const;

/** The keys of every agent, whatever its kind. */
const common = /^agents\.\*<\w+>\.(hosts|cards|knowledge)(?=\W|$)/;

/**
 * Tables of all keys of the configuration file, by their names in `docs/reference/configuration.md`.
 *
 * @throws Error for keys without a comment in the settings of `src/config`, and for comments with another default than the schema
 */
export function configTables(): Map<string, string> {
  const comments = settingsDocs();
  const faults: string[] = [];
  const keys = configKeys().map((key): Documented => {
    const comment = comments.get(key.path);
    if (comment === undefined) faults.push(`${key.path} has no comment`);
    const [meaning, stated] = splitDefault(comment ?? '');
    const fault = defaultFault(key, stated);
    if (fault !== undefined) faults.push(`${key.path}: ${fault}`);
    return { ...key, meaning, shownDefault: key.required ? 'required' : (stated ?? '') };
  });
  if (faults.length > 0)
    throw new Error(`comments of the settings in src/config:\n${faults.map((line) => `  ${line}`).join('\n')}`);

  const found = new Map<string, string>();
  const sections = keys.filter(({ path }) => /^\w+$/.test(path));
  found.set(
    'sections',
    table(sections, (key) => (hasTable(key, keys) ? `[\`${key.path}\`](#${key.path})` : code(key.path))),
  );
  for (const section of sections) {
    if (section.path !== 'agents' && hasTable(section, keys)) found.set(section.path, tableBelow(keys, section.path));
  }
  found.set(
    'agents',
    table(keys.filter(isCommon), ({ path }) => code(path.slice('agents.*<reference>.'.length))),
  );
  for (const [name, path] of Object.entries(tables)) found.set(name, tableBelow(keys, path));
  return found;
}

/** Keys of all agents, which stand in one table; knowledge has its own. */
const isCommon = ({ path }: ConfigKey): boolean =>
  path.startsWith('agents.*<reference>.') && common.test(path) && !/\.knowledge\W/.test(path);

const hasTable = ({ path }: ConfigKey, keys: readonly ConfigKey[]): boolean =>
  keys.some((key) => key.path.startsWith(`${path}.`));

/** The table of the keys below a path, without those that have a table of their own. */
function tableBelow(keys: readonly Documented[], base: string): string {
  const isBelow = (path: string) => path.startsWith(`${base}.`) || path.startsWith(`${base}<`);
  const inOther = (path: string) =>
    Object.values(tables).some((other) => other !== base && !base.startsWith(other) && path.startsWith(`${other}.`)) ||
    /\.auth</.test(path.slice(base.length)) ||
    (base !== tables.knowledge && common.test(path) && base.startsWith('agents'));
  const rows = keys.filter(({ path }) => isBelow(path) && (base === tables.credentials || !inOther(path)));
  return table(rows, ({ path, accepts }) => {
    const key = path.slice(base.length).replace(/^(<\w+>)?\./, '');
    return code(accepts.startsWith('`') && /^(kind|type)$/.test(key) ? `${key}: ${accepts.replaceAll('`', '')}` : key);
  });
}

function table(keys: readonly Documented[], nameOf: (key: Documented) => string): string {
  const rows = keys.map((key) => {
    const variant = /(^|\W)(kind|type): /.test(nameOf(key));
    const cells = [nameOf(key), variant ? '' : acceptedText(key), variant ? '' : key.shownDefault, linked(key)];
    return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |\n`;
  });
  return `| key | value | default | meaning |\n| --- | --- | --- | --- |\n${rows.join('')}`;
}

const code = (text: string): string => `\`${text}\``;

/** What a key accepts, with its words as code. */
const acceptedText = ({ accepts }: ConfigKey): string =>
  accepts
    .replace(/^.*: a mapping/, 'a mapping')
    .replace(/"([^"]+)"/g, '`$1`')
    .replace(/(?<!`)\*(?!`)/g, '\\*');

/** The meaning of a key, with a link where another table has its keys. */
function linked({ path, meaning }: Documented): string {
  if (/\.auth$/.test(path)) return `${meaning} See [credentials](#credentials).`;
  return /\.knowledge$/.test(path) ? `${meaning} See [knowledge](#knowledge).` : meaning;
}

/** A comment without its sentence about the default, and what that says. */
function splitDefault(comment: string): [meaning: string, stated: string | undefined] {
  const sentence = /\s*\bDefault:? (.+?)\.(?=\s|$)/.exec(comment);
  if (!sentence) return [comment, undefined];
  const stated = (sentence[1] as string).replace(/^(true|false|\d+)$/, '`$1`');
  return [comment.replace(sentence[0], '').trim(), stated];
}

/** Whether a stated default is another one than the schema's, and how. */
export function defaultFault({ fallback, schema }: ConfigKey, stated: string | undefined): string | undefined {
  if (fallback === undefined || Array.isArray(fallback)) return undefined;
  const literal = /^`([^`]+)`/.exec(stated ?? '')?.[1];
  if (literal === undefined) return 'its comment does not say its default';
  const [said, actual] = [literal, undefined].map((value) => z.safeParse(schema, readScalar(value)).data);
  return said === actual ? undefined : `its default is ${JSON.stringify(fallback)}, not ${literal}`;
}

/** As YAML reads it. */
const readScalar = (text: string | undefined): unknown => (/^\d+$/.test(text ?? '') ? Number(text) : text);
