/** What dialects list their losses with. */

/** Paths below another, which is given with its dot. */
export const below = (prefix: string, paths: readonly string[]): string[] => paths.map((path) => prefix + path);
