import { type ConfigKey, configKeys } from './config-keys.ts';

/** Subtrees with a table of their own: its name in the page, and the path of the mapping. */
const tables = {
  knowledge: 'agents.*<reference>.knowledge',
  // Credentials of tool servers have every kind.
  credentials: 'agents.*<mcp>.servers.*.auth',
  exchange: 'agents.*<upstream>.auth<exchange>',
  jwtBearer: 'agents.*<upstream>.auth<jwtBearer>',
  module: 'agents.*<module>',
  upstream: 'agents.*<upstream>',
  mcp: 'agents.*<mcp>',
} as const;

/** The keys of every agent, whatever its kind. */
const common = /^agents\.\*<\w+>\.(hosts|cards|knowledge|questions)(?=\W|$)/;

/** Tables of all keys of the configuration file, by their names in `docs/reference/configuration.md`. */
export function configTables(): Map<string, string> {
  const keys = configKeys();
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
  path.startsWith('agents.*<reference>.') && common.test(path) && !/\.(knowledge|questions)\W/.test(path);

const hasTable = ({ path }: ConfigKey, keys: readonly ConfigKey[]): boolean =>
  keys.some((key) => key.path.startsWith(`${path}.`) || key.path.startsWith(`${path}[].`));

/** The table of the keys below a path, without those that have a table of their own. */
function tableBelow(keys: readonly ConfigKey[], base: string): string {
  const isBelow = (path: string) => [`${base}.`, `${base}<`, `${base}[].`].some((start) => path.startsWith(start));
  const inOther = (path: string) =>
    Object.values(tables).some((other) => other !== base && !base.startsWith(other) && path.startsWith(`${other}.`)) ||
    /\.auth</.test(path.slice(base.length)) ||
    (base !== tables.knowledge && common.test(path) && base.startsWith('agents'));
  const rows = keys.filter(({ path }) => isBelow(path) && (base === tables.credentials || !inOther(path)));
  return table(rows, ({ path, accepts }) => {
    const key = path.slice(base.length).replace(/^(<\w+>|\[\])?\./, '');
    return code(accepts.startsWith('`') && /^(kind|type)$/.test(key) ? `${key}: ${accepts.replaceAll('`', '')}` : key);
  });
}

function table(keys: readonly ConfigKey[], nameOf: (key: ConfigKey) => string): string {
  const rows = keys.map((key) => {
    const variant = /(^|\W)(kind|type): /.test(nameOf(key));
    const cells = [nameOf(key), variant ? '' : acceptedText(key), variant ? '' : key.fallback, linked(key)];
    return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |\n`;
  });
  return `| key | value | default | meaning |\n| --- | --- | --- | --- |\n${rows.join('')}`;
}

const code = (text: string): string => `\`${text}\``;

/** Returns the accepted values of a key, with its words as code. */
const acceptedText = ({ accepts }: ConfigKey): string =>
  accepts
    .replace(/^.*: a mapping/, 'a mapping')
    .replace(/"([^"]+)"/g, '`$1`')
    .replace(/(?<!`)\*(?!`)/g, '\\*');

/** The meaning of a key, with a link where another table has its keys. */
function linked({ path, meaning }: ConfigKey): string {
  if (/\.auth$/.test(path)) return `${meaning} See [credentials](#credentials).`;
  const [, own] = /\.(knowledge|questions)$/.exec(path) ?? [];
  return own ? `${meaning} See [${own}](#${own}).` : meaning;
}
