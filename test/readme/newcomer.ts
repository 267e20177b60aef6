/** Variables of a newcomer's shell: those of this process without those of the test run around it. */
export function newcomerEnv(): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(
    ([name]) => !/^(npm_|NODE_(?!EXTRA_CA_CERTS)|VITEST|TEST|INIT_CWD)/.test(name),
  );
  return Object.fromEntries(kept.map(([name, value]) => [name, name === 'PATH' ? withoutModules(value) : value]));
}

/** Programs of the machine, and those that `npm run test:ecosystem` has brought instead. */
const withoutModules = (path = ''): string =>
  path
    .split(':')
    .filter((folder) => !/node_modules\/(?!\.cache\/)/.test(folder))
    .join(':');
