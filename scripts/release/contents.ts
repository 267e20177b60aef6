/** Files of the package; any other file in it is a mistake. */
const expected: readonly RegExp[] = [
  /^(package\.json|LICENSE|(README|CHANGELOG|SECURITY|CONTRIBUTING|ARCHITECTURE)\.md)$/,
  /^bin\/(a2a-gateway|node-version)\.js$/,
  /^proto\/.+\.proto$/,
  /^dist\/.+(\.js|\.d\.ts|\.json)$/,
  /^dist\/project-types\/specs\/[\w.-]+\.json\.br$/,
  /^dist\/stores\/sqlite\/tables\.sql$/,
  /^dist\/cli\/project\/[\w.]+\.txt$/,
  /^dist\/console\/(index\.html|assets\/[\w-]+\.(js|css|svg))(\.br)?$/,
  /^dist\/THIRD-PARTY-NOTICES\.txt$/,
  /^docs\/.+\.(md|svg|png)$/,
  /^examples\/.+\.(ts|yaml|yml|cfg|conf|json|md)$/,
  /^tools\/(compile|types|plugins)\/package(-lock)?\.json$/,
  /^deploy\/.+\.(yaml|yml|json|tpl|txt|helmignore)$/,
];

/** Files on which users and other programs rely. */
const required: readonly string[] = [
  'package.json',
  'LICENSE',
  'README.md',
  'CHANGELOG.md',
  'SECURITY.md',
  'bin/a2a-gateway.js',
  'bin/node-version.js',
  'dist/index.js',
  'dist/index.d.ts',
  'dist/cli/main.js',
  'dist/cli/project/agent.txt',
  'dist/console/index.html',
  'dist/project-types/command.js',
  'dist/project-types/specs/a2a-1.0.json.br',
  'tools/types/package-lock.json',
  'dist/stores/sqlite/tables.sql',
  'dist/THIRD-PARTY-NOTICES.txt',
  'dist/sbom.cdx.json',
];

/** Files that should not be in the package, and files that it lacks. */
export function contentErrors(files: readonly string[]): string[] {
  const strays = files.filter((path) => !expected.some((pattern) => pattern.test(path)));
  const missing = required.filter((path) => !files.includes(path));
  return [
    ...strays.map((path) => `the package has ${path}, which is none of its files`),
    ...missing.map((path) => `the package lacks ${path}`),
  ];
}
