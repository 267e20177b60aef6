/** Modules that programs import, by their path in the package. Each is in `exports` of package.json. */
export const libraries: Readonly<Record<string, string>> = {
  index: 'src/index.ts',
  testing: 'src/testing/index.ts',
  grpc: 'src/rpc-clients/grpc.ts',
  'grpc-0.3': 'src/rpc-clients/grpc-0.3.ts',
  'grpc-js': 'src/mounts/grpc-js.ts',
  connect: 'src/mounts/connect.ts',
};

/** Modules that other processes of the gateway run. `fork` refers to them by their source. */
const programs = {
  'extensions/knowledge/alignment/shapes/process-main': 'src/extensions/knowledge/alignment/shapes/process-main.ts',
};

/** Modules that users start or import, by their path in the package. All other code is in files that these share. */
export const entries: Readonly<Record<string, string>> = { ...libraries, 'cli/main': 'src/cli/main.ts', ...programs };

/**
 * Packages whose code is in the files of the package, so that users need not install them. They are devDependencies. All
 * others that src imports are dependencies, which npm installs, or those of `src/config/packages.ts` and the optional peer
 * dependencies, which users install for the features that need them.
 */
export const included: readonly string[] = [
  '@bufbuild/protobuf',
  '@modelcontextprotocol/client',
  '@modelcontextprotocol/core',
  '@modelcontextprotocol/server',
  '@noble/hashes',
  'ajv',
  'commander',
  'kysely',
  'pino',
  'zod',
];

/** Packages included in the code of the console. */
export const includedInPages: readonly string[] = ['@preact/signals', 'preact'];
