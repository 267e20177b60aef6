import { createHash } from 'node:crypto';

/** Characters of a tool's name: as many as every client and model accepts. */
const longest = 64;
/** Characters of the digest that distinguishes names that would be the same. */
const digestLength = 8;

/**
 * Names for tools: letters, digits, `_` and `-`, at most 64 characters, no two the same. MCP (2025-11-25, tool names)
 * allows more, but the models behind many clients do not. A changed name that could be taken for another's ends in a
 * digest of the original name: it is the same each time, whatever other tools exist.
 *
 * @param originals the names of the tools
 * @param taken names that other tools have already
 */
export function toolNames(originals: readonly string[], taken: readonly string[]): string[] {
  const safe = originals.map((name) => name.replace(/[^\w-]+/g, '_'));
  const counts = new Map<string, number>();
  for (const name of [...taken, ...safe]) counts.set(name, (counts.get(name) ?? 0) + 1);
  return safe.map((name, index) => {
    if (name !== '' && name.length <= longest && counts.get(name) === 1) return name;
    const digest = createHash('sha256').update(`${originals[index]}`).digest('hex').slice(0, digestLength);
    return `${name.slice(0, longest - digestLength - 1)}_${digest}`;
  });
}
