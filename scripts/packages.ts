/**
 * Packages whose code is in the files of the package, so that users need not install them. They are devDependencies. All
 * others that src imports are dependencies, which npm installs, or optional peer dependencies, which users install for
 * the features that need them.
 */
export const included: readonly string[] = ['@modelcontextprotocol/sdk', 'ajv', 'commander', 'kysely', 'zod'];
