import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './written.ts';

/** The strictest options that projects have. */
const compilerOptions = {
  target: 'ES2022',
  module: 'NodeNext',
  noEmit: true,
  strict: true,
  types: [],
  declaration: true,
  isolatedDeclarations: true,
  isolatedModules: true,
  erasableSyntaxOnly: true,
  verbatimModuleSyntax: true,
  allowImportingTsExtensions: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  noPropertyAccessFromIndexSignature: true,
  noImplicitOverride: true,
  noImplicitReturns: true,
  noUnusedLocals: true,
  noUnusedParameters: true,
  skipLibCheck: true,
};

/** Output of the compiler for a folder. */
export function compile(folder: string): string {
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['**/*.ts'] }));
  const tsc = join(root, 'node_modules/typescript/bin/tsc');
  return spawnSync(process.execPath, [tsc, '-p', folder, '--singleThreaded'], { cwd: folder, encoding: 'utf8' }).stdout;
}
