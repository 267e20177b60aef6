import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { missingPackages } from '../../../codegen/project-types/packages.ts';
import { newFolder } from '../../support/folders.ts';

function install(folder: string, name: string, version: string): void {
  mkdirSync(join(folder, 'node_modules', name), { recursive: true });
  writeFileSync(join(folder, 'node_modules', name, 'package.json'), JSON.stringify({ name, version }));
}

test.each([
  ['2.17.0', []],
  ['2.18.3', []],
  ['3.0.0', []],
  ['2.12.0', ['@bufbuild/protobuf@^2.17.0']],
  ['1.10.1', ['@bufbuild/protobuf@^2.17.0']],
])('a project with version %s of what the files import lacks %j', (version, lacking) => {
  const folder = newFolder();
  install(folder, '@bufbuild/protobuf', version);
  const file = `import { fileDesc } from "@bufbuild/protobuf/codegenv2";\n`;
  expect(missingPackages([file], [], folder)).toEqual(lacking);
});
