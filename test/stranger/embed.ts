import { readFileSync, writeFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { join } from 'node:path';
import type { Place } from './place.ts';

/** Servers that the gateway is embedded in, and how. */
const frameworks = {
  http: 'middleware',
  express4: 'middleware',
  express5: 'attached',
  fastify: 'attached',
  hono: 'attached',
} as const;

const servers = [
  'express4@npm:express@4',
  'express5@npm:express@5',
  'fastify@5',
  'hono@4',
  '@hono/node-server@1',
  // What the gateway's gRPC client needs is in the package.
];
const tools = ['typescript', '@types/node@24', '@types/express5@npm:@types/express@5'];

/** Embeds the gateway in every server, with authentication and tenants of one's own, and calls it. */
export async function embed(place: Place): Promise<void> {
  const { isTypeScript, tarball } = place.options;
  const cwd = place.folder('embedded');
  const program = (name: string): string => `${name}.${isTypeScript ? 'ts' : 'js'}`;
  writeFileSync(join(cwd, 'package.json'), JSON.stringify({ private: true, type: 'module' }));
  for (const name of ['server', 'caller']) {
    const text = readFileSync(new URL(`files/${name}.ts`, import.meta.url), 'utf8');
    writeFileSync(join(cwd, program(name)), isTypeScript ? text : stripTypeScriptTypes(text));
  }
  await place.step('install the package and five servers', () =>
    place.run(
      cwd,
      'npm',
      'install',
      '--prefer-offline',
      '--loglevel=error',
      tarball,
      ...servers,
      ...(isTypeScript ? tools : []),
    ),
  );
  if (isTypeScript) {
    for (const name of ['tsconfig.json', 'express4.d.ts']) {
      writeFileSync(join(cwd, name), readFileSync(new URL(`files/${name}`, import.meta.url)));
    }
    await place.step('check the types', () => place.run(cwd, 'npx', '--no-install', 'tsc'));
  }
  for (const [name, how] of Object.entries(frameworks)) {
    await place.step(`embed it in ${name} (${how})`, async () => {
      const { url, stop } = await place.start(cwd, 'node', program('server'), name);
      try {
        await place.run(cwd, 'node', program('caller'), url, how);
      } finally {
        await stop();
      }
    });
  }
}
