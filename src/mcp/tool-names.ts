import { createHash } from 'node:crypto';

/** Characters of a tool's name: as many as every client and model takes. */
const longest = 64;
/** Characters of what tells names apart that would be the same. */
const digestLength = 8;

/**
 * Names for tools: letters, digits, `_` and `-`, at most 64 characters, no two the same. MCP (2025-11-25, tool names)
 * allows more, but the models behind many clients do not. A name that had to be changed so that it might be taken for
 * another's ends in a digest of what was wanted: it is the same each time, whatever other tools there are.
 *
 * @param wanted what the tools are called at home
 * @param taken names that others have already
 */
export function toolNames(wanted: readonly string[], taken: readonly string[]): string[] {
  const plain = wanted.map((name) => name.replace(/[^\w-]+/g, '_'));
  const counts = new Map<string, number>();
  for (const name of [...taken, ...plain]) counts.set(name, (counts.get(name) ?? 0) + 1);
  return plain.map((name, index) => {
    if (name !== '' && name.length <= longest && counts.get(name) === 1) return name;
    const digest = createHash('sha256').update(`${wanted[index]}`).digest('hex').slice(0, digestLength);
    return `${name.slice(0, longest - digestLength - 1)}_${digest}`;
  });
}
